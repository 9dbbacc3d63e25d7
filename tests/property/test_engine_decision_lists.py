"""The decision-list search against plain enumeration, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.classes import Conjunctions, DecisionLists
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.oracles.base import Failed, Solution, Trust
from oracledp.oracles.decision_list_search import DecisionListSearchOracle, distinct_columns
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.long_list_search import LongListSearchOracle
from oracledp.oracles.problem import WeightedProblem

NAMES = ("a", "b", "c", "d")


def random_problem(rng: np.random.Generator, lists: DecisionLists, *, scale: int, noisy: bool) -> WeightedProblem:
    """Few distinct weights make ties; columns are made constant, equal or opposite now and then."""
    rows = rng.integers(0, 2, (int(rng.integers(0, 12)), lists.dimension), dtype=np.uint8)
    change = rng.integers(0, 6)
    if change == 0:
        rows[:, 0] = rng.integers(0, 2)
    if change == 1 and lists.dimension > 1:
        rows[:, 1] = rows[:, 0] ^ rng.integers(0, 2, dtype=np.uint8)
    weights = rng.integers(-2, 3, len(rows)) * scale
    problem = WeightedProblem.build(lists, rows, weights, constant=int(rng.integers(-3, 4)))
    if not noisy:
        return problem
    return problem.with_noise(rng.integers(-2, 3, lists.part_count) * scale)


def assert_first_minimiser(problem: WeightedProblem) -> None:
    expected, found = ExhaustiveOracle().solve(problem), DecisionListSearchOracle().solve(problem)
    assert isinstance(expected, Solution)
    assert isinstance(found, Solution)
    assert (found.value, found.query.parts) == (expected.value, expected.query.parts)


SHAPES = [
    (literals, length, width)
    for literals in (1, 2, 3, 4, 6)
    for length in (0, 1, 2, 3, 4)
    for width in (1, 2, 3)
    if (2 * len(DecisionLists(Literals.named(*"abcdef"[:literals]), width=width).conditions) + 1) ** length < 40_000
]


SCANNED = [(12, 3, 1), (9, 3, 1), (10, 2, 2), (8, 2, 2), (20, 2, 1)]  # more columns than a list can test


@pytest.mark.parametrize(("literals", "length", "width"), SHAPES + SCANNED)
@pytest.mark.parametrize("noisy", [False, True])
def test_agrees_with_enumeration(literals: int, length: int, width: int, noisy: bool) -> None:
    lists = DecisionLists(Literals.named(*"abcdefghijklmnopqrst"[:literals]), length=length, width=width)
    rng = np.random.default_rng([literals, length, width, noisy])
    for _ in range(3 if lists.size > 10_000 else 40):
        assert_first_minimiser(random_problem(rng, lists, scale=1, noisy=noisy))


@pytest.mark.parametrize(("columns", "length", "width"), [(2, 2, 1), (3, 2, 1), (3, 3, 1), (2, 2, 2), (2, 1, 2)])
def test_agrees_with_enumeration_with_negations(columns: int, length: int, width: int) -> None:
    literals = Literals.named(*NAMES[:columns]).with_negations()
    lists = DecisionLists(literals, length=length, width=width)
    rng = np.random.default_rng([columns, length, width])
    for index in range(60):
        half = random_problem(rng, DecisionLists(Literals.named(*NAMES[:columns])), scale=1, noisy=False)
        rows = np.hstack([half.records, 1 - half.records])
        problem = WeightedProblem.build(lists, rows, half.weights)
        if index % 2:
            problem = problem.with_noise(rng.integers(-2, 3, lists.part_count))
        assert_first_minimiser(problem)


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("noisy", [False, True])
def test_unbounded_length_agrees_with_enumeration(columns: int, noisy: bool) -> None:
    lists = DecisionLists(Literals.named(*NAMES[:columns]), length=None)
    rng = np.random.default_rng(columns)
    for _ in range(60):
        assert_first_minimiser(random_problem(rng, lists, scale=1, noisy=noisy))


@pytest.mark.parametrize("noisy", [False, True])
def test_weights_near_the_limit_do_not_wrap(noisy: bool) -> None:
    lists = DecisionLists(Literals.named(*NAMES), length=2)
    rng = np.random.default_rng(61)
    for _ in range(100):
        scale = (1 << 62) // (2 * (12 + noisy * lists.part_count)) - 1
        assert_first_minimiser(random_problem(rng, lists, scale=scale, noisy=noisy))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.data())
def test_any_small_problem(data: st.DataObject) -> None:
    lists = DecisionLists(Literals.named(*NAMES[:3]), length=data.draw(st.integers(0, 3)))
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * 3), max_size=8))
    weights = data.draw(st.lists(st.integers(-5, 5), min_size=len(rows), max_size=len(rows)))
    costs = data.draw(st.lists(st.integers(-5, 5), min_size=lists.part_count, max_size=lists.part_count))
    records = np.array(rows, dtype=np.uint8).reshape(-1, 3)
    problem = WeightedProblem.build(lists, records, np.array(weights, dtype=np.int64))
    assert_first_minimiser(problem)
    assert_first_minimiser(problem.with_noise(np.array(costs, dtype=np.int64)))


def test_many_columns_against_a_plain_double_loop() -> None:
    """Wide tables go through the vectorised scan, which small ones hardly touch."""
    rng = np.random.default_rng(5)
    literals = Literals.named(*(f"x{j}" for j in range(30)))
    lists = DecisionLists(literals, length=2)
    for noisy in (False, True):
        rows = (rng.random((300, 30)) < rng.random(30)).astype(np.uint8)
        problem = WeightedProblem.build(lists, rows, rng.integers(-4, 5, 300))
        if noisy:
            problem = problem.with_noise(rng.integers(-4, 5, lists.part_count))
        found = DecisionListSearchOracle().solve(problem)
        assert isinstance(found, Solution)
        assert found.value == brute_length_two(problem, lists)
        assert problem.value(found.query.parts) == found.value


@pytest.mark.parametrize("kind", ["random", "noisy", "planted"])
def test_three_rules_of_two_columns_each_against_the_search_over_prefixes(kind: str) -> None:
    """Sets of six columns are screened pair by pair; what is first among equals must not depend on it."""
    rng = np.random.default_rng(len(kind))
    lists = DecisionLists(Literals.named(*"abcdefghi"), length=3, width=2)
    rules = [((0, 4), 1), ((2, 7), 0), ((3, 8), 1)]
    places = [2 * lists.conditions.index(condition) + label for condition, label in rules]
    planted = (*(position * lists.stride + place for position, place in enumerate(places)), 3 * lists.stride)
    tested = set()
    for _ in range(12):
        rows = rng.integers(0, 2, (300, 9), dtype=np.uint8)
        weights = rng.integers(-9, 10, 300)
        if kind == "planted":
            weights = np.where(lists.evaluate(planted, rows), -3, 3) + rng.integers(-2, 3, 300)
        problem = WeightedProblem.build(lists, rows, weights)
        if kind == "noisy":
            problem = problem.with_noise(rng.integers(-2, 3, lists.part_count))
        expected, found = LongListSearchOracle().solve(problem), DecisionListSearchOracle().solve(problem)
        assert isinstance(expected, Solution)
        assert isinstance(found, Solution)
        assert (found.value, found.query.parts) == (expected.value, expected.query.parts)
        chosen, _ = lists.rules(found.query.parts)
        tested.add(len({literal for condition, _ in chosen for literal in condition}))
    assert kind != "planted" or 6 in tested


def brute_length_two(problem: WeightedProblem, lists: DecisionLists) -> int:
    """The least value over lists of length two, one matrix of label sums at a time."""
    x, w, cost, stride = problem.records.astype(np.int64), problem.weights, problem.part_costs, lists.stride
    holds = np.hstack([np.repeat(x, 2, axis=1), np.zeros((len(x), 1), dtype=np.int64)])
    label = np.append(np.tile([0, 1], lists.dimension), 0)
    best = []
    for default in (0, 1):
        later = w[:, None] * np.where(holds, label, default)  # value of the second rule and the default on each record
        captured = (holds * w[:, None]).sum(axis=0) * label
        total = captured[:, None] + (1 - holds).T @ later
        best.append((total + cost[:stride, None] + cost[stride : 2 * stride] + cost[2 * stride + default]).min())
    return problem.constant + int(min(best))


def test_a_redraw_is_a_function_of_its_own_costs() -> None:
    rng = np.random.default_rng(9)
    lists = DecisionLists(Literals.named(*NAMES), length=2)
    plain = random_problem(rng, lists, scale=1, noisy=False)
    drawn = [plain.with_noise(rng.integers(-3, 4, lists.part_count)) for _ in range(5)]
    oracle = DecisionListSearchOracle()
    first = [oracle.solve(problem) for problem in drawn]
    assert first == [oracle.solve(problem) for problem in drawn]
    for problem in drawn:
        assert_first_minimiser(problem)


def test_a_work_limit_fails_in_the_same_place_every_time() -> None:
    rng = np.random.default_rng(3)
    lists = DecisionLists(Literals.named(*"abcdefghijkl"), length=3)
    problem = WeightedProblem.build(lists, rng.integers(0, 2, (200, 12), dtype=np.uint8), rng.integers(-3, 4, 200))
    answer = DecisionListSearchOracle().solve(problem)
    assert isinstance(answer, Solution)
    work = answer.certificate.work
    assert DecisionListSearchOracle(work_limit=work).solve(problem) == answer
    assert DecisionListSearchOracle(work_limit=work - 1).solve(problem) == Failed("work limit reached")


def test_what_it_promises_and_what_it_refuses() -> None:
    oracle = DecisionListSearchOracle()
    assert (oracle.total, oracle.fixed_ties, oracle.trust) == (True, True, Trust.PROVED)
    assert not DecisionListSearchOracle(work_limit=5).total
    wide = Literals.named(*(f"x{j}" for j in range(43))).with_negations()
    assert oracle.supports(DecisionLists(wide, length=6), 10)
    assert oracle.supports(DecisionLists(wide, length=3, width=2), 10)
    assert not oracle.supports(DecisionLists(wide, length=None), 10)
    assert not oracle.supports(DecisionLists(wide, length=4, width=2), 10)
    assert not oracle.supports(Conjunctions(wide), 10)
    problem = WeightedProblem.build(Conjunctions(wide), np.zeros((1, 86), dtype=np.uint8), np.array([1]))
    assert oracle.solve(problem) == Failed("class not supported")


def test_distinct_columns_rebuild_the_records() -> None:
    rng = np.random.default_rng(1)
    for rows in (rng.integers(0, 2, (9, 7), dtype=np.uint8), np.zeros((0, 4), dtype=np.uint8)):
        packed, place, flipped = distinct_columns(PackedRecords.of(rows))
        columns = packed.matrix()
        assert ((columns[:, place] ^ np.array(flipped)) == rows).all()
        assert len(rows) == 0 or (columns.mean(axis=0) <= 0.5).all()
