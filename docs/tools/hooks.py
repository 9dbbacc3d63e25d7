"""What mkdocs needs to know of the rest of the repository: proofs are pages, other files are named, not linked."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#:]+?)(?P<anchor>#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the proofs, which stand beside the documentation."""
    for note in sorted((ROOT / "proofs").glob("*.md")):
        files.append(File.generated(config, f"proofs/{note.name}", abs_src_path=str(note)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links that leave the documentation: to a proof, to that page; to any other file, its name alone."""
    folder = Path(page.file.src_uri).parent.as_posix()
    home = folder if folder.startswith("proofs") else normpath(f"docs/{folder}")

    def settle(found: re.Match[str]) -> str:
        place = normpath(f"{home}/{found['target']}")
        if place.startswith("docs/") or not (ROOT / place).exists():
            return found[0]
        if re.fullmatch(r"proofs/[\w-]+\.md", place):
            up = "../" * len(Path(page.file.src_uri).parts[:-1])
            return f"[{found['text']}]({up}{place}{found['anchor'] or ''})"
        return found["text"] if found["text"].strip("`") == place else f"{found['text']} (`{place}`)"

    return LINK.sub(settle, re.sub(r"(?ms)^<!-- .*?-->\n", "", markdown))


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Searching from the disk needs a worker's stand-in, which the theme would fetch from the network."""
    up = "../" * len(Path(page.file.dest_uri).parts[:-1])
    settled, found = re.subn(r"https://unpkg\.com/iframe-worker/shim", f"{up}assets/worker.js", output)
    if found != 1 or re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?://[^"]+"', settled):
        raise ValueError(f"{page.file.dest_uri} loads something from the network")
    return settled
