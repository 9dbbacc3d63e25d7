"""Two threads change neither answers nor counts of work, nor what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import oracledp as odp
from oracledp import _engine
from oracledp.classes import Conjunctions, DecisionTrees
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import ParameterError
from oracledp.mechanisms.private_trees import SPLITTING
from oracledp.mechanisms.sampling.decision_tree_sampler import TreeSampler
from oracledp.oracles.base import Solution
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.decision_tree_search import DecisionTreeSearchOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import SeededRandomness

RNG = np.random.default_rng(0)
ROWS = np.unique(RNG.integers(0, 2, (300, 24), dtype=np.uint8), axis=0)  # enough that trees are halved
SIGNS = RNG.integers(-3, 4, len(ROWS))
NAMES = Literals.named(*(f"x{i}" for i in range(24)))
TREES = DecisionTrees(NAMES, depth=4)


@pytest.fixture(autouse=True)
def _one_thread_afterwards() -> Iterator[None]:
    yield
    odp.set_threads(1)


def best_tree() -> Any:
    answer = DecisionTreeSearchOracle().solve(WeightedProblem.build(TREES, ROWS, SIGNS))
    assert isinstance(answer, Solution)
    return answer


def drawn_tree() -> Any:
    weights = np.stack([np.maximum(SIGNS, 0), np.maximum(-SIGNS, 0)], axis=1)
    sampler = TreeSampler.over(TREES, PackedRecords.of(ROWS), weights, Fraction(1, 3), SPLITTING)
    return sampler.draw(SeededRandomness(7)), sampler.draw(SeededRandomness(8))


def redraws() -> Any:
    index = _engine.ConjunctionIndex(PackedRecords.of(ROWS), SIGNS)
    costs = np.random.default_rng(1).integers(-9, 10, (20, 24))
    return _engine.best_conjunctions(index, costs, np.zeros((20, 0), dtype=np.int64), 24, 1 << 40)


def transformed() -> Any:
    rows = PackedRecords.of(ROWS[:, :21])
    costs = np.random.default_rng(2).integers(-9, 10, (3, 21))
    found = [
        _engine.SubsetTable(rows, SIGNS, parity).best(21, costs, np.zeros((3, 0), dtype=np.int64))
        for parity in (False, True)
    ]
    return [array.tolist() for pair in found for array in pair]


@pytest.mark.parametrize("compute", [best_tree, drawn_tree, redraws, transformed])
def test_nothing_depends_on_the_number_of_threads(compute: Callable[[], Any]) -> None:
    alone = compute()
    for threads in (2, 3):
        odp.set_threads(threads)
        assert compute() == alone


def test_halves_of_a_level_make_the_whole() -> None:
    """Depth 4 is halved; depth 3, below each test of the root, is not."""

    def least(rows: Any) -> int:
        trees = DecisionTrees(NAMES, depth=3)
        answer = DecisionTreeSearchOracle().solve(WeightedProblem.build(trees, ROWS[rows], SIGNS[rows]))
        assert isinstance(answer, Solution)
        return answer.value

    assert best_tree().value == min(least(column == 1) + least(column == 0) for column in ROWS.T)


def test_batches_say_where_the_limit_ended_them() -> None:
    index = _engine.ConjunctionIndex(PackedRecords.of(ROWS), SIGNS)
    costs = np.random.default_rng(1).integers(-9, 10, (8, 24))
    odp.set_threads(2)
    none = _engine.best_conjunctions(index, costs, np.zeros((8, 0), dtype=np.int64), 24, 0)
    assert none == [None] * 8


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2", 10**6])
def test_bad_numbers_are_refused(threads: Any) -> None:
    with pytest.raises(ParameterError, match="threads"):
        odp.set_threads(threads)


def test_conjunctions_in_batches_are_those_of_single_calls() -> None:
    problem = WeightedProblem.build(Conjunctions(NAMES), ROWS, SIGNS)
    answer = BranchAndBoundOracle().solve(problem)
    assert isinstance(answer, Solution)
    odp.set_threads(2)
    assert BranchAndBoundOracle().solve(problem) == answer
