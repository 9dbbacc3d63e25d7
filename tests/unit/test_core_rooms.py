"""The compiled core keeps its house: bindings in one room, one name for each wide integer, names from the rooms."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "oracledp" / "_core"
FILES = sorted((*CORE.rglob("*.hpp"), *CORE.rglob("*.cpp")))
ROOMS = {
    "rows",
    "subsets",
    "listed",
    "decision_trees",
    "lists",
    "halfspaces",
    "parities",
    "trees",
    "dual",
    "sampling",
    "checking",
    "python",
}


def test_every_source_lives_in_a_room() -> None:
    assert {path.parent.name for path in CORE.rglob("*.cpp")} == ROOMS
    assert {path.name for path in CORE.glob("*.*")} == {"integers.hpp", "simd.hpp", "threads.hpp"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORE)))
def test_a_source_knows_python_only_where_bindings_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.parent.name != "python":
        assert not re.search(r"pybind11|Python\.h|\bpy::", text)
    assert "__int128" not in text or path.name == "integers.hpp"
    assert "namespace oracledp" in text or path.name == "module.cpp"
    for included in re.findall(r'#include "([^"]+)"', text):
        assert (CORE / included).is_file()
        assert included.split("/")[0] != "python" or path.parent.name == "python"


def test_the_checker_of_proofs_shares_no_code_with_the_searches() -> None:
    """It knows the names of the integers and of the processor's instructions, and otherwise its own folder alone."""
    for path in (CORE / "checking").iterdir():
        included = re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8"))
        assert all(name.startswith("checking/") or name in {"integers.hpp", "simd.hpp"} for name in included)
