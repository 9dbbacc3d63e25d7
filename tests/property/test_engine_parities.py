"""Sparse parities against enumeration: widths, ties, many literals, costs of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from oracledp.classes import Conjunctions, Parities
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError
from oracledp.oracles import sparse_parities
from oracledp.oracles.base import Solution
from oracledp.oracles.door import ask
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import resolve
from oracledp.oracles.sparse_parities import SparseParityOracle


def parities(literals: int, width: int | None) -> Parities:
    return Parities(Literals.named(*(f"x{j}" for j in range(literals))), max_width=width)


def random_problem(rng: np.random.Generator, literals: int, width: int | None, rows: int) -> WeightedProblem:
    records = (rng.random((rows, literals)) < rng.choice([0.2, 0.5, 0.9])).astype(np.uint8)
    if rng.random() < 0.3:
        records[:, rng.integers(literals)] = records[:, rng.integers(literals)]
    most = int(rng.choice([1, 4, 1000, (1 << 58) // max(1, rows)]))
    problem = WeightedProblem.build(parities(literals, width), records, rng.integers(-most, most + 1, rows) * 3)
    cost = int(rng.choice([0, 1, most]))
    sizes = rng.integers(-cost, cost + 1, problem.size_costs.shape) * int(rng.integers(0, 2))
    return problem.with_noise(rng.integers(-cost, cost + 1, literals), sizes)


def assert_first_minimiser(problem: WeightedProblem) -> None:
    expected, found = ExhaustiveOracle().solve(problem), ask(SparseParityOracle(), problem)
    assert isinstance(expected, Solution)
    assert isinstance(found, Solution)
    assert (found.value, found.query.parts) == (expected.value, expected.query.parts)


@pytest.mark.parametrize("width", [0, 1, 2, 3, None])
def test_agrees_with_enumeration(width: int | None) -> None:
    rng = np.random.default_rng(width)
    for _ in range(150):
        literals = int(rng.integers(1, 8))
        assert_first_minimiser(random_problem(rng, literals, width, int(rng.integers(0, 40))))


@pytest.mark.parametrize(("literals", "width"), [(30, 3), (70, 2), (140, 2)])
def test_many_literals(literals: int, width: int) -> None:
    rng = np.random.default_rng(literals)
    for _ in range(4):
        assert_first_minimiser(random_problem(rng, literals, width, 700))


def test_sums_that_are_not_kept_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_parities, "MOST_KEPT", 0)
    rng = np.random.default_rng(6)
    for width in (0, 1, 2, 4, None):
        for _ in range(20):
            assert_first_minimiser(random_problem(rng, int(rng.integers(1, 8)), width, int(rng.integers(0, 40))))


def test_redraws_in_one_call_are_the_searches_one_by_one() -> None:
    rng = np.random.default_rng(2)
    problem = random_problem(rng, 12, 3, 60)
    parts, sizes = rng.integers(-9, 10, (20, 12)), rng.integers(-9, 10, (20, 4))
    single = [SparseParityOracle().solve(problem.with_noise(p, s)) for p, s in zip(parts, sizes, strict=True)]
    many = SparseParityOracle().redraw(problem, parts, sizes).listed(problem.constant)
    assert many == [(one.query.parts, one.value) for one in single if isinstance(one, Solution)]


def test_what_it_serves() -> None:
    oracle = SparseParityOracle()
    assert oracle.supports(parities(100, 3))
    assert not oracle.supports(parities(40, None))
    assert not oracle.supports(Conjunctions(Literals.named("a")))
    assert resolve("auto", parities(100, 3)).name == "sparse-parities"
    assert resolve("auto", parities(24, 3)).name == "sparse-parities"
    assert resolve("auto", parities(24, None)).name == "transform"
    problem = WeightedProblem.build(parities(40, None), np.zeros((1, 40), dtype=np.uint8), np.array([1]))
    with pytest.raises(CapacityError, match="sparse parities"):
        oracle.solve(problem)
