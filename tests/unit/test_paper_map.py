"""The map from the paper to the code has no empty cell, and every file and test that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from experiments.online import theorems

import oracledp as odp
from experiments import paper_bounds

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    line
    for line in (ROOT / "docs/paper-to-code.md").read_text().splitlines()
    if line.startswith("|") and not re.match(r"\|[-|]+\|$", line) and not line.startswith("| the paper |")
]
MODULES = {"bounds": odp.bounds, "paper_bounds": paper_bounds, "theorems": theorems}
PLACES = ("src/oracledp", "tests", "docs", ".")


def test_no_cell_is_empty() -> None:
    assert len(ROWS) > 70
    for row in ROWS:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        assert len(cells) == 4, row
        assert all(cells), row


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:50])
def test_what_is_named_exists(row: str) -> None:
    for name in re.findall(r"`([^`]+)`", row):
        path = re.match(r"((?:\w[\w-]*/)+[\w.-]*|[\w-]+\.(?:py|md))", name)
        if path is not None:
            found = [ROOT / place / path[1] for place in (*PLACES, "src/oracledp/mechanisms/robust")]
            assert any(file.exists() for file in found), name
    for module, name in re.findall(r"`(\w+)\.(\w+)[`…(]", row):
        if module in MODULES:
            assert hasattr(MODULES[module], name), name
    _check_tests(row)


def _check_tests(row: str) -> None:
    """``file::test_name…`` begins the name of a test in that file; ``::test_name`` refers to some test of ours."""
    every = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for file, test in re.findall(r"`([\w/.]*)::(\w+)…?`", row):
        text = (ROOT / "tests" / file).read_text() if file else every
        assert f"def {test}" in text, f"{file}::{test}"
