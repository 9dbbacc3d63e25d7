"""The tree that the exponential mechanism is sampled from: its bounds and counts at every node of small problems."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracledp._engine import SubsetForest
from oracledp.classes import Conjunctions, Disjunctions
from oracledp.classes.tables import Parts
from oracledp.data.literals import Literals
from oracledp.mechanisms.sampling.subset_sampler import _plant
from oracledp.mechanisms.sampling.trials import powers
from oracledp.oracles.problem import WeightedProblem


def random_problem(rng: np.random.Generator) -> WeightedProblem:
    literals, rows = int(rng.integers(1, 7)), int(rng.integers(0, 30))
    width = None if rng.random() < 0.4 else int(rng.integers(0, literals + 1))
    kind = Conjunctions if rng.random() < 0.5 else Disjunctions
    records = (rng.random((rows, literals)) < rng.choice([0.2, 0.5, 0.9])).astype(np.uint8)
    most = int(rng.choice([1, 5, 1 << 40]))
    queries = kind(Literals.named(*(f"x{j}" for j in range(literals))), max_width=width)
    return WeightedProblem.build(queries, records, rng.integers(-most, most + 1, rows) * 3, int(rng.integers(-9, 10)))


def least_below(forest: SubsetForest, index: int, leaves: dict[Parts, int]) -> int:
    """The least value under a node, once its bound and its count have been compared with everything below it."""
    leaf, _, included, bound, count, _ = forest.node(index)
    if leaf:
        assert tuple(included) not in leaves
        leaves[tuple(included)] = bound
        return bound
    known, before = len(leaves), forest.size
    forest.descend(index, 0)
    least = min(least_below(forest, child, leaves) for child in [index, *range(before, forest.size)])
    assert bound <= least
    assert count == len(leaves) - known
    return least


@pytest.mark.parametrize("seed", range(8))
def test_bounds_hold_everywhere_and_leaves_are_the_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(25):
        problem, rate = random_problem(rng), Fraction(int(rng.choice([1, 100])), 1 << int(rng.choice([3, 30])))
        forest = SubsetForest()
        _plant(forest, problem)
        forest.prepare(powers(rate), float(rate))
        leaves: dict[Parts, int] = {}
        for index in range(forest.size):
            least_below(forest, index, leaves)
        assert set(leaves) == set(problem.query_class.all_parts())
        origins = {problem.value(parts) - distance for parts, distance in leaves.items()}
        assert len(origins) == 1


def test_the_running_total_is_the_sum_of_the_weights() -> None:
    rng = np.random.default_rng(3)
    records = rng.integers(0, 2, (200, 12)).astype(np.uint8)
    queries = Conjunctions(Literals.named(*(f"x{j}" for j in range(12))), max_width=5)
    forest = SubsetForest()
    _plant(forest, WeightedProblem.build(queries, records, rng.integers(-5, 6, 200)))
    forest.prepare(powers(Fraction(1, 50)), 0.02)
    for _ in range(100):
        weights = [forest.node(i)[4] * forest.node(i)[5] for i in range(forest.size)]
        assert forest.total() == sum(weights)
        place = int(rng.integers(forest.size))
        begin = sum(weights[:place])
        for target in (begin, begin + weights[place] // 2, begin + weights[place] - 1):  # a stretch, ends included
            assert forest.pick(target) == place
        if not forest.node(place)[0]:
            forest.descend(place, 0)
