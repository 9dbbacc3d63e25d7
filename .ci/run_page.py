"""Run a page of the documentation from its text in a scratch folder, as its reader would: .ci/wheel does this.

python .ci/run_page.py tests/docs/page_blocks.py PAGE
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from importlib import import_module
from pathlib import Path

COMMAND = str(Path(sysconfig.get_path("scripts")) / "oracledp")


def run(words: list[str]) -> tuple[int, str]:
    """One command in a process of its own."""
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
    print("$ oracledp", *words)
    return done.returncode, done.stdout + done.stderr


def main() -> None:
    """Stop with a list of what went wrong, if anything did."""
    reader, page = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    sys.path.insert(0, str(reader.parent))
    run_page = import_module(reader.stem).run_page
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wrong = run_page(page, run, {"__name__": "__main__"})
        os.chdir("/")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
