"""User pages, commands and errors speak plain English: phrases that readers stumbled over stay out, and so do codes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "reference")]
SOURCES = sorted((ROOT / "src/oracledp").rglob("*.py"))
STUMBLED_OVER = (
    "will be worth",
    "ε bears",
    "lets one see",
    "a mutant more",
    "predict y when if",
    "and is said so",
    "Hold what is claimed against",
    "from public numbers alone, so",
    "points of a hundred",
    "informations",
    "allows to ",
    "permits to ",
    "in order that",
    "the both ",
    "it exists a",
)
CODES = re.compile(r"\b(?:trap [A-Z]\d+|erratum [A-Z]\d+)\b")
EXPLAINED = ("docs/glossary.md", "docs/paper-to-code.md")  # these list the codes that comments and proofs use


@pytest.mark.parametrize("path", [*PAGES, *SOURCES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_that_readers_stumble_over(path: Path) -> None:
    text = " ".join(path.read_text(encoding="utf-8").split())
    assert [phrase for phrase in STUMBLED_OVER if phrase in text] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_codes_of_our_own(path: Path) -> None:
    if path.relative_to(ROOT).as_posix() not in EXPLAINED:
        assert CODES.findall(path.read_text(encoding="utf-8")) == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120
