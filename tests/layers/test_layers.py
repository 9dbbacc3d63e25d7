"""The rooms of the house: who may import whom stands in docs/architecture.md, and nowhere is it otherwise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from import_graph import PACKAGE, cycles, graph, room

ROOT = Path(__file__).parents[2]
TABLE = re.compile(r"^\| `(\w+)` \|([^|]*)\|[^|]*\|$", re.MULTILINE)


def allowed() -> dict[str, set[str]]:
    """The table of rooms in the document: each with those it may import, and all that those may."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    direct = {name: set(re.findall(r"`(\w+)`", below)) for name, below in TABLE.findall(text)}
    closed: dict[str, set[str]] = {}
    for name in direct:  # a room stands in the table after those below it
        closed[name] = direct[name].union(*(closed[below] for below in direct[name]))
    return closed


def rooms() -> dict[str, set[str]]:
    """Each room with those that it imports, types and lazy imports included; the package's own page is no room."""
    found: dict[str, set[str]] = {}
    for module, imported in graph(of_types=True).items():
        if module:
            found.setdefault(room(module), set()).update(room(other) for other in imported - {"", "_engine"})
    return {name: others - {name} for name, others in found.items()}


def test_the_table_names_every_room() -> None:
    assert set(allowed()) == set(rooms())


@pytest.mark.parametrize("name", sorted(rooms()))
def test_a_room_imports_only_what_lies_below_it(name: str) -> None:
    assert rooms()[name] <= allowed()[name]


def test_no_rooms_import_each_other() -> None:
    assert cycles(rooms()) == []


def test_no_modules_import_each_other_even_lazily() -> None:
    assert cycles(graph(of_types=False)) == []


def test_oracles_see_no_randomness_and_classes_no_table() -> None:
    found = graph(of_types=True)
    for module, imported in found.items():
        if room(module) == "oracles":
            assert not {other for other in imported if room(other) == "randomness"}, module
        if room(module) == "classes":
            assert not {other for other in imported if other.startswith("data.table")}, module


def test_no_file_is_longer_than_a_reader_bears() -> None:
    long = {str(p.relative_to(PACKAGE)): len(p.read_text().splitlines()) for p in PACKAGE.rglob("*.py")}
    assert {name: lines for name, lines in long.items() if lines > 345} == {}
