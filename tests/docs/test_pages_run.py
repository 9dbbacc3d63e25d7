"""Every code block of the README and of the documentation runs, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from page_blocks import blocks, commands, matches, run_page

from in_process import invoke
from oracledp.classes.registry import FAMILIES, KINDS
from oracledp.cli.outputs import NOT_RECORDED
from oracledp.mechanisms.registry import SELECTIONS

ROOT = Path(__file__).parents[2]
MADE = ("notebooks", "reference")  # by make docs, which executes the notebooks itself
PAGES = sorted([ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name not in MADE)])
ELSEWHERE = {"tables.md", "schema.md"}  # their doctests have tests of their own, on every engine that is there
MOST_EXCUSES = 30


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in ELSEWHERE], ids=name_of)
def test_the_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEDP_ACTOR", "ada")

    def run(words: list[str]) -> tuple[int, str]:
        code, printed, complaint = invoke(capsys, *words)
        return code, printed + complaint.replace(f"{NOT_RECORDED}\n", "")  # pages do not repeat the reminder

    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        assert run_page(page, run, names) == []
    finally:
        for registry in (KINDS, FAMILIES, SELECTIONS):
            registry._added.clear()


def test_few_blocks_are_left_out_and_each_says_why() -> None:
    left_out = [(name_of(page), block.line) for page in PAGES for block in blocks(page.read_text()) if block.excuse]
    assert len(left_out) <= MOST_EXCUSES, left_out


def test_what_a_page_shows_can_be_wrong() -> None:
    assert matches("wrote … rows\n…\nend", "wrote 17 rows\nand\nmore\nend\n")
    assert not matches("wrote … rows", "read 17 rows")
    assert not matches("one line", "one line\nanother")


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ oracledp learn \\\n    a.csv   # a remark\nshown\n```\n", encoding="utf-8")
    assert list(commands("$ oracledp learn \\\n    a.csv   # a remark\nshown\n")) == [
        ("oracledp learn      a.csv", "shown")
    ]
    assert run_page(page, lambda words: (2, "no such file"), {}) == [
        "page.md:1: `oracledp learn      a.csv` ended with 2: no such file"
    ]
    assert len(run_page(page, lambda words: (0, "other"), {})) == 1
    assert run_page(page, lambda words: (0, "shown\n"), {}) == []
