"""The search for a tree without errors: where it answers, its answer is the one that valuing all trees gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from oracledp._engine import best_tree
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.oracles.base import Solution
from oracledp.oracles.decision_tree_search import DecisionTreeSearchOracle
from oracledp.oracles.problem import WeightedProblem

NEVER, ALWAYS = 0, 1 << 40
AGES = Literals((*(Literal("age", ">=", bound) for bound in (20, 30, 40, 50)), Literal.boolean("smoker")))

Found = tuple[int, list[int]]


def found(trees: DecisionTrees, rows: NDArray[np.uint8], label: NDArray[np.bool_], work: int) -> Found:
    problem = WeightedProblem.build(trees, rows, np.where(label, -1, 1).astype(np.int64))
    weights = np.stack([np.maximum(problem.weights, 0), np.maximum(-problem.weights, 0)], axis=1)
    groups = [min(one, 1) for one in range(trees.labels)]
    return best_tree(problem.packed, weights, trees.depth, trees.decided, groups, [], [], work)


def planted(seed: int, rows: int, literals: int, depth: int, rare: float = 0.5) -> tuple[NDArray[np.uint8], ...]:
    """Rows, and labels by a random tree: some tests hold for few rows, so that a first sample misses leaves."""
    rng = np.random.default_rng(seed)
    table = (rng.random((rows, literals)) < rng.choice([rare, 0.5], literals)).astype(np.uint8)

    def grown(inside: NDArray[np.bool_], left: int) -> NDArray[np.bool_]:
        if left == 0 or rng.random() < 0.1:
            return inside & bool(rng.integers(2))
        held = table[:, rng.integers(literals)] == 1
        return grown(inside & held, left - 1) | grown(inside & ~held, left - 1)

    return table, grown(np.ones(rows, dtype=bool), depth)


@pytest.mark.parametrize("seed", range(40))
def test_the_first_perfect_tree_is_the_first_of_all_least_trees(seed: int) -> None:
    depth, literals, labels = 1 + seed % 4, (4, 9, 13)[seed % 3], 2 + seed % 2
    rows, label = planted(seed, (20, 400, 3000)[seed % 3], literals, depth, rare=0.02)
    trees = DecisionTrees(Literals.named(*(f"x{i}" for i in range(literals))), depth=depth, labels=labels)
    value, options = found(trees, rows, label.astype(bool), ALWAYS)
    assert value == 0
    assert (value, options) == found(trees, rows, label.astype(bool), NEVER)


@pytest.mark.parametrize("seed", range(12))
def test_where_no_tree_is_perfect_the_least_one_is_found(seed: int) -> None:
    drawn, label = planted(seed, 500, 9, 3)
    rows, first = np.unique(drawn, axis=0, return_index=True)
    noisy = label[first].astype(bool) ^ (np.random.default_rng(seed).random(len(rows)) < 0.01)
    trees = DecisionTrees(Literals.named(*(f"x{i}" for i in range(9))), depth=2 + seed % 2)
    expected = found(trees, rows, noisy, NEVER)
    assert all(found(trees, rows, noisy, work) == expected for work in (1, 100, 10_000, ALWAYS))


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_tests_that_a_path_has_decided_are_not_made(depth: int, seed: int) -> None:
    """Rows that no schema allows among them: what is decided is said by the class, not by the rows."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (40, 5)).astype(np.uint8)
    label = rng.integers(0, 2, 32).astype(bool)[rows @ (1 << np.arange(5))]
    trees = DecisionTrees(AGES, depth=depth)
    few = slice(None, (6, 10, 40)[seed % 3])
    answer = found(trees, rows[few], label[few], ALWAYS)
    assert answer == found(trees, rows[few], label[few], NEVER)


def test_more_literals_than_a_word_has_bits() -> None:
    rows, label = planted(5, 800, 90, 2)
    trees = DecisionTrees(Literals.named(*(f"x{i}" for i in range(90))), depth=2)
    assert found(trees, rows, label.astype(bool), ALWAYS) == found(trees, rows, label.astype(bool), NEVER)


def test_records_that_cannot_be_told_apart_cancel_and_the_rest_may_be_perfect() -> None:
    """The least number of errors is what equal records with other labels force: 3 of 10."""
    rows = np.array([[1, 0]] * 10 + [[0, 1]] * 5, dtype=np.uint8)
    label = np.array([True] * 7 + [False] * 3 + [False] * 5)
    trees = DecisionTrees(Literals.named("a", "b"), depth=2)
    answer = DecisionTreeSearchOracle().solve(
        WeightedProblem.build(trees, rows, np.where(label, -1, 1).astype(np.int64))
    )
    assert isinstance(answer, Solution)
    assert str(answer.query) == "if a then 1 else 0"
    assert answer.value + label.sum() == 3


def test_weights_on_both_sides_of_a_record_leave_no_perfect_tree() -> None:
    rows, weights = np.array([[1], [0]], dtype=np.uint8), np.array([[2, 5], [1, 0]])
    decided = DecisionTrees(Literals.named("a"), depth=1).decided
    assert best_tree(PackedRecords.of(rows), weights, 1, decided, [0, 1], [], [], ALWAYS) == (2, [3 - 1, 1, 0])


def test_one_label_leaves_nothing_to_search_for() -> None:
    rows, weights = np.array([[1], [0]], dtype=np.uint8), np.array([[0, 5], [1, 0]])
    decided = DecisionTrees(Literals.named("a"), depth=1).decided
    assert best_tree(PackedRecords.of(rows), weights, 1, decided, [0, 0], [], [], ALWAYS)[0] == 5
