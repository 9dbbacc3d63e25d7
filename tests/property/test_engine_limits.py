"""Every total oracle up to the limit of its arithmetic: costs of any size, 2^62 in all, against Python integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities, QueryClass
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError
from oracledp.oracles.base import Oracle, Solution
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.door import ask
from oracledp.oracles.problem import LIMIT, WeightedProblem
from oracledp.oracles.registry import total_oracles
from oracledp.oracles.values import all_values

ABC, ABCD, TEN = (Literals.named(*names) for names in ("abc", "abcd", "abcdefghij"))
CLASSES: list[QueryClass] = [
    Conjunctions(ABCD),
    Conjunctions(ABC.with_negations(), max_width=2),
    Disjunctions(ABCD),
    Disjunctions(ABCD, max_width=2),
    Parities(ABCD),
    Parities(ABCD, max_width=2),
    Parities(TEN, max_width=2),  # more literals than one block of the screen
    Halfspaces(ABC),
    Halfspaces(ABC, weights=(-2, Fraction(1, 3), 1), thresholds=(Fraction(-1, 2), 1)),
    Halfspaces(ABC, weights=(-1, 0, 1), max_nonzero=2, thresholds=(-1, 0, 1)),
    Halfspaces(ABC, weights=(0,), max_nonzero=1, thresholds=(0, 1)),
    DecisionLists(ABC, length=2),
    DecisionLists(ABC, length=1, width=2),
]


def title(queries: QueryClass) -> str:
    return f"{queries.kind}-{queries.size}"


def oracles_of(queries: QueryClass) -> tuple[Oracle, ...]:
    verified = BranchAndBoundOracle(verify=True)
    checked = (verified,) if verified.supports(queries, 0) else ()
    return (*total_oracles(queries), *checked)


@st.composite
def costs_within(draw: st.DrawFn, count: int, room: int) -> list[int]:
    """Integers whose absolute values add up to exactly ``room``: shares of every order of magnitude, of either sign."""
    found = []
    for _ in range(count):
        share = room >> draw(st.integers(0, 63))
        share = draw(st.one_of(st.just(share), st.integers(0, share)))
        room -= share
        found.append(share if draw(st.booleans()) else -share)
    if found:
        place = draw(st.integers(0, count - 1))
        found[place] += room if found[place] >= 0 else -room
    return found


@st.composite
def problems(draw: st.DrawFn, queries: QueryClass) -> WeightedProblem:
    """Weights of one, of a large common unit, or anything; costs that leave at most one below the limit."""
    codes = draw(st.lists(st.integers(0, 2**queries.dimension - 1), max_size=6, unique=True))
    records = np.array([[code >> j & 1 for j in range(queries.dimension)] for code in codes], dtype=np.uint8)
    unit = draw(st.sampled_from([1, 1, 1, 3, 1 << 20, 5 << 40, 1 << 58]))
    factors = draw(st.lists(st.sampled_from([-1, 1, 1, 2]), min_size=len(codes), max_size=len(codes)))
    weights = [unit * factor for factor in factors]
    room = LIMIT - 1 - sum(map(abs, weights))
    if weights and draw(st.booleans()):  # no common unit
        weights[0] += draw(st.integers(0, room >> draw(st.integers(0, 62))))
        room = LIMIT - 1 - sum(map(abs, weights))
    problem = WeightedProblem.build(
        queries, records.reshape(len(codes), queries.dimension), np.array(weights, dtype=np.int64)
    )
    parts, sizes = len(problem.part_costs), len(problem.size_costs)
    room >>= draw(st.sampled_from([0, 0, 0, 1, 2, 10, 30]))
    costs = draw(costs_within(parts + sizes if draw(st.booleans()) else parts, room))
    costs += [0] * (parts + sizes - len(costs))
    return problem.with_noise(np.array(costs[:parts], dtype=np.int64), np.array(costs[parts:], dtype=np.int64))


def first_best(problem: WeightedProblem) -> tuple[int, tuple[int, ...]]:
    """The least value and the first query that has it, by enumeration in Python integers."""
    queries = problem.query_class
    return min((problem.value(parts), queries.order_key(parts)) for parts in queries.all_parts())


@pytest.mark.parametrize("queries", CLASSES, ids=title)
@settings(derandomize=True, deadline=None, max_examples=150)
@given(data=st.data())
def test_every_total_oracle_is_right_up_to_the_limit(queries: QueryClass, data: st.DataObject) -> None:
    problem = data.draw(problems(queries))
    expected = first_best(problem)
    for oracle in oracles_of(queries):
        answer = ask(oracle, problem)
        assert isinstance(answer, Solution), oracle.name
        assert (answer.value, queries.order_key(answer.query.parts)) == expected, oracle.name
    assert all_values(problem).tolist() == [problem.value(parts) for parts in queries.all_parts()]


@pytest.mark.parametrize("queries", [Conjunctions(ABC), Disjunctions(ABC), Parities(ABC)], ids=title)
def test_unit_weights_beside_costs_near_the_limit(queries: QueryClass) -> None:
    """Costs that nearly cancel leave the decision to weights that are far below one quantum of the screen."""
    rng = np.random.default_rng(9)
    records = np.array([[code >> j & 1 for j in range(3)] for code in range(8)], dtype=np.uint8)
    for _ in range(200):
        problem = WeightedProblem.build(queries, records, rng.choice([-1, 1], 8))
        costs = rng.choice([-1, 1], 3) * ((1 << 60) + rng.integers(-3, 4, 3))
        problem = problem.with_noise(costs, rng.integers(-2, 3, len(problem.size_costs)))
        for oracle in oracles_of(queries):
            answer = ask(oracle, problem)
            assert isinstance(answer, Solution), oracle.name
            assert (answer.value, queries.order_key(answer.query.parts)) == first_best(problem), oracle.name


def test_values_beyond_64_bits_are_refused() -> None:
    problem = WeightedProblem.build(Parities(ABC), np.ones((1, 3), dtype=np.uint8), np.array([1]), constant=1 << 62)
    with pytest.raises(CapacityError, match="2\\^62"):
        all_values(problem)
