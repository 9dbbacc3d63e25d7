"""Only mechanisms read private counts: who may open a seal, touch a table's records, or read bytes of a source."""

import ast
import pickle
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracledp
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.sealed import Sealed
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.measurements import Meter, Records

ROOT = Path(oracledp.__file__).parent
APART = ("audit",)  # they look inside on purpose, at data of their own

MAY_UNSEAL = {"synthesis/measurements.py"}
MAY_READ_TABLES = {
    "game/match.py": "the payoff of each round, answered by a private player",
    "mechanisms/payoff.py": "the same",
    "game/robust_player.py": "the same, part by part",
    "game/voting_player.py": "the same",
    "learning/models.py": "accuracy on a holdout, which says that it is not private",
    "mechanisms/robust/mechanism.py": "the split",
    "mechanisms/robust/runs.py": "a batch of the split",
    "mechanisms/perturbed_min.py": "the objective",
    "mechanisms/votes/mechanism.py": "the split",
    "learning/sample.py": "the sample",
    "mechanisms/mapped_counts.py": "noisy counts by column, and their printed form",
    "mechanisms/private_schema.py": "noisy tables of texts, column by column",
    "cli/schema.py": "the printed form of noisy counts",
    "mechanisms/table_selection.py": "the objective",
    "planning/models.py": "public or planted rows",
    "planning/public.py": "public rows",
    "planning/stand_in.py": "public or planted rows",
    "report/comparison.py": "INTERNAL - NOT PRIVATE",
    "report/value_comparison.py": "INTERNAL - NOT PRIVATE",
    "report/quality.py": "INTERNAL - NOT PRIVATE",
    "report/internal.py": "INTERNAL - NOT PRIVATE",
    "report/linked_quality.py": "INTERNAL - NOT PRIVATE",
    "report/workloads.py": "INTERNAL - NOT PRIVATE",
    "game/record.py": "internal diagnostics, NOT PRIVATE",
    "synthesis/synthesizer.py": "puts the records under seal",
}
MAY_READ_BYTES = {"randomness/source.py"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith((*APART, "data/table/")):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def attributes(tree: ast.Module) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def test_only_the_meter_unseals() -> None:
    assert {name for name, tree in modules() if "unseal" in attributes(tree)} == MAY_UNSEAL | set()


def test_only_listed_modules_read_the_records_of_a_table() -> None:
    private = {"counts", "histogram"}
    found = {name for name, tree in modules() if private & attributes(tree)}
    others = found - set(MAY_READ_TABLES) - {"synthesis/terms.py"}
    assert not others, "new readers of private counts: justify them here"


def test_only_primitives_read_bytes_of_a_source() -> None:
    readers = {name for name, tree in modules() if _reads_bytes(tree)}
    assert readers == MAY_READ_BYTES


def _reads_bytes(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "bytes"
        and isinstance(node.value, ast.Name)
        and node.value.id in ("source", "self")
        for node in ast.walk(tree)
    )


def test_every_reader_for_compiled_code_is_inside_a_primitive() -> None:
    """``reader(source)`` hands a source's bytes to compiled code, so only what is marked ``drawn`` may call it."""
    for name, tree in modules():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            calls = {c.func.id for c in ast.walk(function) if isinstance(c, ast.Call) and isinstance(c.func, ast.Name)}
            marks = {mark.id for mark in function.decorator_list if isinstance(mark, ast.Name)}
            assert "reader" not in calls or "drawn" in marks, f"{name}: {function.name}"


def test_records_show_their_shape_only() -> None:
    records = Records(np.array([[0], [1]]), np.array([3, 2]), (2,), (False,), (False,))
    assert not hasattr(records, "counts")
    assert not hasattr(records, "codes")
    assert "3" not in repr(records)
    with pytest.raises(TypeError):
        pickle.dumps(records)
    meter = Meter(records, GaussianBudget(Fraction(1)), Neighbours.REPLACE_ONE, SeededRandomness(0))
    assert meter.total(Fraction(1)) == (5, 0)


def test_a_seal_neither_prints_nor_pickles() -> None:
    assert "7" not in repr(Sealed(7))
    with pytest.raises(TypeError):
        pickle.dumps(Sealed(7))
