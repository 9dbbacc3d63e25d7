"""The code blocks of a page, and how each is run: in order, in one scratch folder, in one Python namespace.

- ``python`` is executed; with ``>>>`` it is a doctest, and must print what the page shows.
- ``console`` holds commands after ``$`` and what they print; ``…`` stands for any text, a line of ``…`` for any lines.
- ``yaml`` and ``csv`` whose first line is ``# NAME`` are files.
- a block without a language is shown, not run, and may hold no command.

``<!-- not run: REASON -->`` in the line above leaves a block out. ``<!-- run: COMMAND -->`` and the lines between
``<!-- run python`` and ``-->`` set the stage unseen, on pages that begin in the middle of things.
"""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

HIDDEN = "<!-- run python"
STAGE = re.compile(r"^<!-- (?P<what>not run|run): (?P<words>.+) -->$")
Runner = Callable[[list[str]], tuple[int, str]]


@dataclass(frozen=True)
class Block:
    """One block, where it begins, and why it is not run, if it is not."""

    language: str
    text: str
    line: int
    excuse: str = ""


def blocks(text: str) -> Iterator[Block]:
    """Every fenced block of a page, and each hidden command as a block of its own."""
    lines = iter(enumerate(text.splitlines(), start=1))
    excuse = ""
    for number, line in lines:
        stage = STAGE.match(line)
        if stage is not None and stage["what"] == "run":
            yield Block("console", f"$ {stage['words']}", number)
        elif stage is not None:
            excuse = stage["words"]
        elif line == HIDDEN:
            yield Block("python", _until("-->", lines), number)
        elif line.startswith("```"):
            yield Block(line[3:].split(" ")[0], _until("```", lines), number, excuse)
            excuse = ""


def _until(end: str, lines: Iterator[tuple[int, str]]) -> str:
    return "".join(f"{line}\n" for _, line in takewhile(lambda pair: not pair[1].startswith(end), lines))


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the text that the page shows below it."""
    joined = text.replace("\\\n", " ")
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield re.sub(r"\s+#\s.*$", "", command).strip(), shown.strip("\n")


def matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed: ``…`` is any text within a line, a line of ``…`` any lines."""
    pattern = ""
    for line in shown.splitlines():
        if line.strip() == "…":
            pattern += r"(.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("…")) + r"\s*\n"
    return (
        re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed.strip("\n").splitlines()) + "\n") is not None
    )


def run_page(page: Path, run: Runner, names: dict[str, Any]) -> list[str]:
    """Run every block of a page in the current folder; the mistakes found, each with its line."""
    wrong: list[str] = []
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.excuse:
            continue
        try:
            wrong += [f"{page.name}:{block.line}: {what}" for what in _mistakes(block, run, names)]
        except Exception as error:
            wrong.append(f"{page.name}:{block.line}: {type(error).__name__}: {error}")
    return wrong


def _mistakes(block: Block, run: Runner, names: dict[str, Any]) -> Iterator[str]:
    first, _, rest = block.text.partition("\n")
    if block.language == "python" and ">>>" in block.text:
        parsed = doctest.DocTestParser().get_doctest(block.text, names, "page", None, 0)
        told: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(parsed, out=told.append, clear_globs=False)
        names.update(parsed.globs)
        yield from (text for text in told if runner.failures)
    elif block.language == "python":
        exec(compile(block.text, f"line {block.line}", "exec", dont_inherit=True), names)
    elif block.language == "console":
        for command, shown in commands(block.text):
            yield from _command_mistakes(command, shown, run)
    elif block.language in ("yaml", "csv") and first.startswith("# "):
        Path(first[2:].strip()).write_text(rest if block.language == "csv" else block.text, encoding="utf-8")
    elif not block.language and re.search(r"^(\$ |oracledp [a-z]|python -m|make )", block.text, re.MULTILINE):
        yield "commands belong into a console block, which is run"


def _command_mistakes(command: str, shown: str, run: Runner) -> Iterator[str]:
    line, _, redirected = command.partition(" > ")
    words = shlex.split(line)
    if words[0] == "head":
        code, printed = 0, "\n".join(Path(words[-1]).read_text(encoding="utf-8").splitlines()[: int(words[1][1:])])
    elif words[0] == "oracledp":
        code, printed = run(words[1:])
    else:
        yield f"{words[0]} is not run here: say why above the block"
        return
    expected = re.search(r"# exit code (\d+)", shown)
    if code != (int(expected[1]) if expected else 0):
        yield f"`{command}` ended with {code}: {printed}"
    elif redirected:
        Path(redirected).write_text(printed, encoding="utf-8")
    elif shown and not matches(re.sub(r"\n?# exit code \d+$", "", shown), printed):
        yield f"`{command}` printed\n{printed}"
