"""The halfspace search against plain enumeration, ties included."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.classes import Conjunctions, Halfspaces
from oracledp.data.literals import Literals
from oracledp.oracles import halfspace_search
from oracledp.oracles.base import Failed, Solution, Trust
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.halfspace_search import HalfspaceSearchOracle
from oracledp.oracles.problem import WeightedProblem

LETTERS = "abcdefghijklmnopqrst"
TERNARY, SIGNS = (-1, 0, 1), (-1, 1)
POINTS, HALVES = (-3, -1, 0, 2), (Fraction(-1, 2), 0, Fraction(1, 3), 1)


def halfspaces(columns: int, **options: Any) -> Halfspaces:
    return Halfspaces(Literals.named(*LETTERS[:columns]), **options)


def random_problem(rng: np.random.Generator, queries: Halfspaces, *, scale: int, noisy: bool) -> WeightedProblem:
    """Few distinct weights make ties; columns are made constant, equal or opposite now and then."""
    rows = rng.integers(0, 2, (int(rng.integers(0, 14)), queries.dimension), dtype=np.uint8)
    change = rng.integers(0, 6)
    if change == 0:
        rows[:, 0] = rng.integers(0, 2)
    if change == 1 and queries.dimension > 1:
        rows[:, 1] = rows[:, 0] ^ rng.integers(0, 2, dtype=np.uint8)
    weights = rng.integers(-2, 3, len(rows)) * scale
    problem = WeightedProblem.build(queries, rows, weights, constant=int(rng.integers(-3, 4)))
    if not noisy:
        return problem
    costs, sizes = rng.integers(-2, 3, queries.part_count), rng.integers(-3, 4, problem.size_costs.shape)
    return problem.with_noise(costs * scale, sizes * scale)


def assert_first_minimiser(problem: WeightedProblem) -> None:
    expected, found = ExhaustiveOracle().solve(problem), HalfspaceSearchOracle().solve(problem)
    assert isinstance(expected, Solution)
    assert isinstance(found, Solution)
    assert (found.value, found.query.parts) == (expected.value, expected.query.parts)


DENSE = [
    (columns, weights, thresholds)
    for columns in (1, 2, 3, 4, 5, 7)
    for weights in (TERNARY, SIGNS, POINTS, HALVES, (0,), (1, 2), (-2, -1), (0, 1))
    for thresholds in ((1,), (0,), (-1, 0, 1, 2), (Fraction(1, 2), 2))
    if len(weights) ** columns * len(thresholds) < 9_000
]
SPARSE = [
    (columns, budget, weights, thresholds)
    for columns in (1, 2, 4, 6, 11)
    for budget in (0, 1, 2, 3, 4, 11)
    for weights in (TERNARY, POINTS, HALVES, (0, 1))
    for thresholds in ((1,), (-1, 0, 1, 2))
    if halfspaces(columns, weights=weights, max_nonzero=budget, thresholds=thresholds).size < 20_000
]


@pytest.mark.parametrize("seed", [1608, 4178, 4677, 4679, 5190, 5932])
def test_the_first_of_equals_may_share_its_last_column(seed: int) -> None:
    """Problems whose first best set is none of the guesses, and differs from a best guess in its lower column alone."""
    rng = np.random.default_rng(seed)
    queries = halfspaces(int(rng.integers(12, 17)), weights=(0, 1), max_nonzero=2, thresholds=(1,))
    count = int(rng.integers(5, 16))
    rows = (rng.random((count, queries.dimension)) < rng.choice([0.3, 0.5, 0.7])).astype(np.uint8)
    problem = WeightedProblem.build(queries, rows, rng.integers(-2, 3, count))
    if rng.random() < 0.5:
        problem = problem.with_noise(rng.integers(0, 2, queries.part_count))
    assert_first_minimiser(problem)


@pytest.mark.parametrize("weights", [SIGNS, (1, 2), (-2, -1)])
@pytest.mark.parametrize("noisy", [False, True])
def test_weights_that_leave_out_zero_move_every_column(weights: tuple[int, ...], noisy: bool) -> None:
    """On more columns than a table holds at once."""
    queries = halfspaces(10, weights=weights, thresholds=(0, 1, 3))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, 2, (30, 10), dtype=np.uint8)
        problem = WeightedProblem.build(queries, rows, rng.integers(-3, 4, 30))
        if noisy:
            costs, sizes = rng.integers(-2, 3, queries.part_count), rng.integers(-3, 4, problem.size_costs.shape)
            problem = problem.with_noise(costs, sizes)
        assert_first_minimiser(problem)


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize(("columns", "weights", "thresholds"), DENSE)
def test_dense_agrees_with_enumeration(
    columns: int, weights: tuple[int, ...], thresholds: tuple[int, ...], noisy: bool
) -> None:
    queries = halfspaces(columns, weights=weights, thresholds=thresholds)
    rng = np.random.default_rng([columns, len(weights), len(thresholds), noisy])
    for _ in range(4 if queries.size > 1_000 else 20):
        assert_first_minimiser(random_problem(rng, queries, scale=1, noisy=noisy))


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize(("columns", "budget", "weights", "thresholds"), SPARSE)
def test_sparse_agrees_with_enumeration(
    columns: int, budget: int, weights: tuple[int, ...], thresholds: tuple[int, ...], noisy: bool
) -> None:
    queries = halfspaces(columns, weights=weights, max_nonzero=budget, thresholds=thresholds)
    rng = np.random.default_rng([columns, budget, len(weights), len(thresholds), noisy])
    for _ in range(3 if queries.size > 1_000 else 20):
        assert_first_minimiser(random_problem(rng, queries, scale=1, noisy=noisy))


def test_a_sparse_class_may_also_be_searched_by_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halfspace_search, "MOST_SUPPORT", -1)
    rng = np.random.default_rng(8)
    for columns, budget in ((1, 1), (3, 2), (5, 1), (6, 3), (4, 9)):
        queries = halfspaces(columns, weights=POINTS, max_nonzero=budget, thresholds=(0, 1))
        for noisy in [False, True] * 15:
            assert_first_minimiser(random_problem(rng, queries, scale=1, noisy=noisy))


def test_many_points_leave_no_room_for_tables() -> None:
    """Weights with wide gaps are searched on lists of records down to the last column."""
    rng = np.random.default_rng(2)
    queries = halfspaces(5, weights=(-1000, -7, 0, 900), thresholds=(-90, 1, 893))
    for noisy in [False, True] * 20:
        assert_first_minimiser(random_problem(rng, queries, scale=1, noisy=noisy))


@pytest.mark.parametrize("budget", [None, 3])
@pytest.mark.parametrize("noisy", [False, True])
def test_weights_near_the_limit_do_not_wrap(budget: int | None, noisy: bool) -> None:
    queries = halfspaces(5, weights=TERNARY, max_nonzero=budget, thresholds=(0, 1))
    rng = np.random.default_rng(61)
    for _ in range(60):
        scale = (1 << 62) // (2 * 14 + noisy * (2 * queries.part_count + 3 * 4)) - 1
        assert_first_minimiser(random_problem(rng, queries, scale=scale, noisy=noisy))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.data())
def test_any_small_problem(data: st.DataObject) -> None:
    weights = data.draw(st.sets(st.integers(-3, 3), min_size=1, max_size=4))
    thresholds = data.draw(st.sets(st.integers(-3, 3), min_size=1, max_size=3))
    budget = data.draw(st.none() | st.integers(0, 3)) if 0 in weights else None
    queries = halfspaces(3, weights=tuple(weights), thresholds=tuple(thresholds), max_nonzero=budget)
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * 3), max_size=8))
    values = data.draw(st.lists(st.integers(-5, 5), min_size=len(rows), max_size=len(rows)))
    records = np.array(rows, dtype=np.uint8).reshape(-1, 3)
    problem = WeightedProblem.build(queries, records, np.array(values, dtype=np.int64))
    assert_first_minimiser(problem)
    costs = data.draw(st.lists(st.integers(-5, 5), min_size=queries.part_count, max_size=queries.part_count))
    sizes = data.draw(st.lists(st.integers(-5, 5), min_size=problem.size_costs.size, max_size=problem.size_costs.size))
    assert_first_minimiser(problem.with_noise(np.array(costs, dtype=np.int64), np.array(sizes, dtype=np.int64)))


@pytest.mark.parametrize("noisy", [False, True])
def test_tables_of_many_records(noisy: bool) -> None:
    """More columns than a table holds, and rows that fill whole vectors of the scan."""
    rng = np.random.default_rng(17)
    for queries in (halfspaces(10, weights=TERNARY), halfspaces(20, max_nonzero=3, thresholds=(0, 1))):
        for _ in range(2):
            rows = (rng.random((300, queries.dimension)) < rng.random(queries.dimension)).astype(np.uint8)
            problem = WeightedProblem.build(queries, rows, rng.integers(-4, 5, 300))
            if noisy:
                costs, sizes = rng.integers(-4, 5, queries.part_count), rng.integers(-4, 5, problem.size_costs.shape)
                problem = problem.with_noise(costs, sizes)
            assert_first_minimiser(problem)


def test_a_redraw_is_a_function_of_its_own_costs() -> None:
    rng = np.random.default_rng(9)
    oracle = HalfspaceSearchOracle()
    for budget in (None, 2):
        queries = halfspaces(4, max_nonzero=budget)
        plain = random_problem(rng, queries, scale=1, noisy=False)
        drawn = [plain.with_noise(rng.integers(-3, 4, queries.part_count)) for _ in range(5)]
        first = [oracle.solve(problem) for problem in drawn]
        assert first == [oracle.solve(problem) for problem in drawn]
        for problem in drawn:
            assert_first_minimiser(problem)


@pytest.mark.parametrize("budget", [None, 3])
def test_a_work_limit_fails_in_the_same_place_every_time(budget: int | None) -> None:
    rng = np.random.default_rng(3)
    queries = halfspaces(10, max_nonzero=budget)
    problem = WeightedProblem.build(queries, rng.integers(0, 2, (200, 10), dtype=np.uint8), rng.integers(-3, 4, 200))
    answer = HalfspaceSearchOracle().solve(problem)
    assert isinstance(answer, Solution)
    work = answer.certificate.work
    assert HalfspaceSearchOracle(work_limit=work).solve(problem) == answer
    assert HalfspaceSearchOracle(work_limit=work - 1).solve(problem) == Failed("work limit reached")


def test_what_it_promises_and_what_it_refuses() -> None:
    oracle = HalfspaceSearchOracle()
    assert (oracle.total, oracle.fixed_ties, oracle.trust) == (True, True, Trust.PROVED)
    assert not HalfspaceSearchOracle(work_limit=5).total
    wide = Literals.named(*(f"x{j}" for j in range(43)))
    assert oracle.supports(Halfspaces(wide, max_nonzero=5), 10)
    assert oracle.supports(halfspaces(16), 10)
    assert not oracle.supports(Halfspaces(wide), 10)
    assert not oracle.supports(Conjunctions(wide), 10)
    assert not oracle.supports(halfspaces(2, weights=(0, 10**9)), 10)
    problem = WeightedProblem.build(Halfspaces(wide), np.zeros((1, 43), dtype=np.uint8), np.array([1]))
    assert oracle.solve(problem) == Failed("class not supported")
