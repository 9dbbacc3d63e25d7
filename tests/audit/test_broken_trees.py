"""A search tree with a wrong bound or count must stop by itself: at the node, in the core, or at the leaf, in Python.

The sources of the core are compiled once as they are and once for each mutation, beside a small program that walks
through every tree.
"""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracledp._engine import SubsetForest
from oracledp.classes import Conjunctions, DecisionLists, Halfspaces, Parities, QueryClass
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import BrokenSearchTree
from oracledp.mechanisms.sampling.permute_sampler import first_success
from oracledp.mechanisms.sampling.tree_sampler import trials_over
from oracledp.mechanisms.sampling.trials import ForestTrials, powers
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import SeededRandomness

CORE = Path(__file__).parents[2] / "src" / "oracledp" / "_core"
SOURCES = {path.stem: path for path in CORE.rglob("*.cpp")}
PROGRAM = Path(__file__).with_name("broken_trees.cpp")
PARTS = (
    *("cover_sums", "halfspace_sampler", "list_problem", "list_sampler", "parity_forest", "parity_sums"),
    *("bit_rows", "row_table", "score_table", "score_tree", "subset_forest", "support_forest", "support_scan"),
)
TREES = ("subsets", "lists", "halfspaces", "parities", "scores")
MUTATIONS = [  # tree, source, what is there, what makes it wrong
    ("subsets", "subset_forest", "bounds_[i] = std::min(", "bounds_[i] = 9 + std::min("),
    ("subsets", "subset_forest", "- std::min(negative_here, most_kept)", "- std::min(negative_here, most_kept) / 2"),
    ("subsets", "subset_forest", "root.bound = branch.constant", "root.bound = 99 + branch.constant"),
    ("subsets", "subset_forest", "branch.counts[table.columns() - free_[i] - 1]", "branch.counts[table.columns()]"),
    ("lists", "support_forest", "{tree, constant + bound,", "{tree, 9 + constant + bound,"),
    ("lists", "list_sampler", "[state.cube];\n    bool", "[state.cube] + 1;\n    bool"),
    ("lists", "list_sampler", "idle[0][0] = 2;", "idle[0][0] = problem_.length ? 3 : 2;"),
    ("halfspaces", "support_forest", "std::min<int64_t>(cell, 0)", "std::min<int64_t>(cell, 0) / 2"),
    ("halfspaces", "support_scan", "add_negative(none, sum);", ""),
    ("halfspaces", "halfspace_sampler", "floor_ = *std::min_element(", "floor_ = 1 + *std::min_element("),
    ("halfspaces", "halfspace_sampler", "total_ = 0;", "total_ = Wide(kOne) << 8;"),
    ("parities", "parity_forest", "counts{{0, 1}}", "counts{{0, 5}}"),
    ("scores", "score_table", "return sum;", "return sum + 1;"),
    ("scores", "score_tree", "bound += minimum;", "bound += minimum / 2;"),
    ("scores", "score_table", "least_cost_[used] = size_cost(used);", "least_cost_[used] = size_cost(used) + 1;"),
]


def compiled(source: Path, target: Path) -> Path:
    compiler = shutil.which("g++") or shutil.which("clang++") or "c++"
    subprocess.run([compiler, "-std=c++17", "-O0", f"-I{CORE}", "-c", str(source), "-o", str(target)], check=True)
    return target


def ends(objects: list[Path], folder: Path, tree: str) -> tuple[int, str]:
    compiler = shutil.which("g++") or shutil.which("clang++") or "c++"
    program = folder / "program"
    subprocess.run([compiler, *map(str, objects), "-o", str(program)], check=True)
    ended = subprocess.run([str(program), tree], capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stdout


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("core")
    made = {name: compiled(SOURCES[name], folder / f"{name}.o") for name in PARTS}
    return {"main": compiled(PROGRAM, folder / "main.o"), **made}


@pytest.mark.parametrize("tree", TREES)
def test_the_trees_as_they_are_hold(tree: str, objects: dict[str, Path], tmp_path: Path) -> None:
    assert ends(list(objects.values()), tmp_path, tree) == (0, "")


@pytest.mark.parametrize(("tree", "name", "old", "new"), MUTATIONS)
def test_a_wrong_bound_or_count_stops_the_tree(
    tree: str, name: str, old: str, new: str, objects: dict[str, Path], tmp_path: Path
) -> None:
    text = SOURCES[name].read_text(encoding="utf-8")
    assert text.count(old) == 1
    source = tmp_path / f"{name}.cpp"
    source.write_text(text.replace(old, new), encoding="utf-8")
    wrong = {**objects, name: compiled(source, tmp_path / "wrong.o")}
    code, said = ends(list(wrong.values()), tmp_path, tree)
    assert code == 1
    assert "the search tree is broken" in said


# ---- at the leaves, in Python ------------------------------------------------------------------------
CLASSES: list[QueryClass] = [
    Conjunctions(Literals.named(*"abcde")),
    Parities(Literals.named(*"abcde"), max_width=3),
    DecisionLists(Literals.named(*"abc"), length=2),
    Halfspaces(Literals.named(*"abcd"), max_nonzero=2, thresholds=(0, 1)),
]


def problem(queries: QueryClass) -> WeightedProblem:
    rng = np.random.default_rng(5)
    records = rng.integers(0, 2, (30, queries.dimension)).astype(np.uint8)
    return WeightedProblem.build(queries, records, rng.integers(-5, 6, 30), 3)


class LyingForest:
    """A frontier that is right in everything but one number of its leaves."""

    def __init__(self, forest: Any) -> None:
        self._forest = forest

    def __getattr__(self, name: str) -> Any:
        return getattr(self._forest, name)

    def node(self, index: int) -> tuple[Any, ...]:
        leaf, branch, included, distance, leaves, height = self._forest.node(index)
        return leaf, branch, included, distance + leaf, leaves, height

    def step(self, number: int) -> tuple[int, int, int]:
        exponent, chosen, inside = self._forest.step(number)
        return exponent + 1, chosen, inside

    def enter(self, number: int) -> tuple[Any, ...]:
        found = self._forest.enter(number)
        return (found[0], found[1] + 1, *found[2:]) if isinstance(found[1], int) else found


@pytest.mark.parametrize("queries", CLASSES, ids=lambda queries: queries.kind)
def test_a_leaf_whose_bound_is_not_its_loss_ends_the_run(queries: QueryClass) -> None:
    trials = trials_over([problem(queries)], Fraction(1, 100))
    assert isinstance(trials, ForestTrials)
    source = SeededRandomness(1)
    assert any(trials.trial(source) for _ in range(200))
    trials.forest = LyingForest(trials.forest)
    with pytest.raises(BrokenSearchTree, match="nothing is released"):
        any(trials.trial(source) for _ in range(200))


@pytest.mark.parametrize("queries", CLASSES, ids=lambda queries: queries.kind)
def test_permute_and_flip_holds_its_leaves_to_their_loss_too(queries: QueryClass) -> None:
    made = problem(queries)
    trials = trials_over([made], Fraction(1, 100))
    assert isinstance(trials, ForestTrials)
    trials.forest = LyingForest(trials.forest)
    least = min(made.value(parts) for parts in queries.all_parts())
    with pytest.raises(BrokenSearchTree):
        first_success(trials, Fraction(1, 100), least, SeededRandomness(1))


def test_what_the_core_throws_is_an_error_of_the_library() -> None:
    forest = SubsetForest()
    forest.add(
        PackedRecords.of(np.ones((1, 2), dtype=np.uint8)), np.array([-1]), 2, 0, [[1, 1, 1], [1, 2, 2], [1, 3, 5]]
    )
    with pytest.raises(BrokenSearchTree, match="search tree is broken"):
        forest.prepare(powers(Fraction(1)), 1.0)
