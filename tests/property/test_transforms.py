"""The transform oracle against exhaustive search: ties, widths, costs, large weights, empty data."""

import numpy as np
import pytest

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Parities
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError
from oracledp.oracles.door import ask
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.transforms import TransformOracle

KINDS = (Conjunctions, Disjunctions, Parities)


def instance(rng: np.random.Generator, kind: type) -> WeightedProblem:
    literals = int(rng.integers(1, 8))
    width = None if rng.random() < 0.4 else int(rng.integers(0, literals + 1))
    queries = kind(Literals.named(*(f"x{j}" for j in range(literals))), max_width=width)
    rows, large = int(rng.integers(0, 30)), int(rng.choice([1, 3, 50, 1 << 40, 1 << 55]))
    records = rng.integers(0, 2, (rows, literals)).astype(np.uint8)
    if rng.random() < 0.3:
        records[:, 0] = rng.integers(0, 2)  # a constant column
    problem = WeightedProblem.build(queries, records, rng.integers(-large, large + 1, rows), int(rng.integers(-5, 6)))
    return problem.with_noise(
        rng.integers(-large, large + 1, queries.part_count), rng.integers(-large, large + 1, problem.size_costs.shape)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_exhaustive_search(kind: type) -> None:
    rng = np.random.default_rng(7)
    for _ in range(400):
        problem = instance(rng, kind)
        fast, slow = ask(TransformOracle(), problem), ExhaustiveOracle().solve(problem)
        assert (fast.query.parts, fast.value) == (slow.query.parts, slow.value)


@pytest.mark.parametrize("kind", KINDS)
def test_many_redraws_are_the_single_ones(kind: type) -> None:
    rng = np.random.default_rng(3)
    problem = instance(rng, kind)
    parts = rng.integers(-9, 10, (20, problem.query_class.part_count))
    sizes = rng.integers(-9, 10, (20, *problem.size_costs.shape))
    many = TransformOracle().redraw(problem, parts, sizes).listed(problem.constant)
    for (found, value), part_costs, size_costs in zip(many, parts, sizes, strict=True):
        single = ExhaustiveOracle().solve(problem.with_noise(part_costs, size_costs))
        assert (found, value) == (single.query.parts, single.value)


def test_int32_tables_are_widened_for_large_noise() -> None:
    queries = Conjunctions(Literals.named("a", "b"))
    problem = WeightedProblem.build(queries, np.eye(2, dtype=np.uint8), np.array([3, -4]))
    for costs in ([1, 1], [1 << 40, -(1 << 41)], [0, 0]):
        noisy = problem.with_noise(np.array(costs, dtype=np.int64))
        assert TransformOracle().solve(noisy).value == ExhaustiveOracle().solve(noisy).value


def test_what_it_does_not_serve_is_refused() -> None:
    lists = DecisionLists(Literals.named("a"))
    assert not TransformOracle().supports(lists)
    assert not TransformOracle(most_literals=3).supports(Conjunctions(Literals.named(*"abcd")))
    problem = WeightedProblem.build(lists, np.zeros((0, 1), dtype=np.uint8), np.zeros(0, dtype=np.int64))
    with pytest.raises(CapacityError):
        TransformOracle().solve(problem)
