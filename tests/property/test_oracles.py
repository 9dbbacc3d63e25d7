"""Every oracle against brute force, on random signed integer problems of every class."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracledp.classes import (
    Conjunctions,
    DecisionLists,
    Disjunctions,
    Halfspaces,
    Parities,
    QueryClass,
    ReadOnceFormulas,
    ZeroOneLoss,
)
from oracledp.data.literals import Literal, Literals
from oracledp.oracles.base import Failed, Oracle, Solution, Trust
from oracledp.oracles.batch import sizes, whole_table
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.door import ask
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.heuristics import HeuristicOracle
from oracledp.oracles.maxsat import MaxSatOracle
from oracledp.oracles.milp import MilpOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import total_oracles
from oracledp.oracles.values import all_values

AB, ABC, ABCD = (Literals.named(*names) for names in ("ab", "abc", "abcd"))
BASES: list[QueryClass] = [
    Conjunctions(ABCD),
    Conjunctions(ABC.with_negations(), max_width=2),
    Conjunctions(ABC, max_width=0),
    Disjunctions(ABCD),
    Disjunctions(ABCD, max_width=1),
    Parities(ABCD),
    Parities(ABCD, max_width=2),
    Halfspaces(ABC),
    Halfspaces(ABC, weights=(-1, 1), thresholds=(0,)),
    Halfspaces(ABC, weights=(-2, Fraction(1, 3), 1), thresholds=(Fraction(-1, 2), 1)),
    Halfspaces(ABC, weights=(-1, 0, 1), max_nonzero=2, thresholds=(-1, 0, 1)),
    Halfspaces(ABCD, weights=(-1, 0, 2), max_nonzero=1),
    DecisionLists(ABC, length=0),
    DecisionLists(ABC, length=2),
    DecisionLists(ABC, length=1, width=2),
    DecisionLists(AB, length=None),
    ReadOnceFormulas(ABCD),
    ReadOnceFormulas(ABC, gate="nand"),
]
LIFTED: list[QueryClass] = [
    Conjunctions(ABC, max_width=2).closure(),
    Halfspaces(AB, max_nonzero=1, thresholds=(0, 1)).closure(),
    DecisionLists(AB, length=1).closure().closure(),
    ZeroOneLoss.of(Disjunctions(ABC), Literal.boolean("y")),
    ZeroOneLoss.of(DecisionLists(AB, length=1).closure(), Literal.boolean("y")),
    ZeroOneLoss.of(ReadOnceFormulas(ABC, gate="nand"), Literal.boolean("y")).closure(),
]
SIZES = {"ties": 2, "small": 50, "lattice": 1 << 52}


def title(queries: QueryClass) -> str:
    return f"{queries.kind}-{queries.size}"


@st.composite
def problems(draw: st.DrawFn, queries: QueryClass) -> WeightedProblem:
    """Few records, weights of either sign (zero too), with or without costs, from many ties to a fine lattice."""
    most = SIZES[draw(st.sampled_from(sorted(SIZES)))]
    number = st.integers(-most, most)
    codes = draw(st.lists(st.integers(0, 2**queries.dimension - 1), max_size=7))
    records = np.array([[code >> j & 1 for j in range(queries.dimension)] for code in codes], dtype=np.uint8)
    weights = draw(st.lists(number, min_size=len(codes), max_size=len(codes)))
    problem = WeightedProblem.build(
        queries, records.reshape(len(codes), queries.dimension), np.array(weights, dtype=np.int64), draw(number)
    )
    costs = [_costs(draw, number, array) for array in (problem.part_costs, problem.size_costs)]
    return problem.with_noise(*costs)


def _costs(draw: st.DrawFn, number: st.SearchStrategy[int], like: np.ndarray) -> np.ndarray:
    if len(like) == 0 or draw(st.booleans()):
        return like
    return np.array(draw(st.lists(number, min_size=len(like), max_size=len(like))), dtype=np.int64)


def by_definition(problem: WeightedProblem) -> tuple[int, tuple[int, ...]]:
    """The least value and the first query in the fixed order that has it, from the definitions alone."""
    queries = problem.query_class
    return min((problem.value(parts), queries.order_key(parts)) for parts in queries.all_parts())


def check_proved(oracle: Oracle, problem: WeightedProblem) -> None:
    answer = ask(oracle, problem)
    assert isinstance(answer, Solution)
    value, key = by_definition(problem)
    assert answer.value == value
    assert answer.certificate.trust is Trust.PROVED
    if oracle.fixed_ties:
        assert problem.query_class.order_key(answer.query.parts) == key


@pytest.mark.parametrize("queries", [*BASES, *LIFTED], ids=title)
@settings(derandomize=True, deadline=None, max_examples=100)
@given(data=st.data())
def test_exhaustive_search_is_the_definition(queries: QueryClass, data: st.DataObject) -> None:
    check_proved(ExhaustiveOracle(), data.draw(problems(queries)))


@pytest.mark.parametrize("queries", BASES, ids=title)
@settings(derandomize=True, deadline=None, max_examples=60)
@given(data=st.data())
def test_every_total_oracle_agrees_with_the_definition(queries: QueryClass, data: st.DataObject) -> None:
    problem = data.draw(problems(queries))
    for oracle in total_oracles(queries, len(problem.records)):
        check_proved(oracle, problem)


TEN = Literals.named(*"abcdefghij")
LARGER: list[QueryClass] = [
    Conjunctions(TEN),
    Disjunctions(TEN, max_width=3),
    Parities(TEN),
    Halfspaces(Literals.named(*"abcdefg")),
    Halfspaces(TEN, weights=(-2, -1, 0, 1), max_nonzero=3, thresholds=(-1, 0, 1, 2)),
    DecisionLists(Literals.named(*"abcdef"), length=3),
    DecisionLists(Literals.named(*"abcde"), length=2, width=2),
]


@pytest.mark.parametrize("queries", LARGER, ids=title)
def test_total_oracles_agree_on_larger_problems(queries: QueryClass) -> None:
    rng = np.random.default_rng(4)
    for most in [3, 3, 40, 1 << 40] * 3:
        records = rng.integers(0, 2, (60, queries.dimension)).astype(np.uint8)
        problem = WeightedProblem.build(queries, records, rng.integers(-most, most + 1, 60))
        problem = problem.with_noise(
            rng.integers(-most, most + 1, len(problem.part_costs)),
            rng.integers(-most, most + 1, len(problem.size_costs)),
        )
        oracles = total_oracles(queries, len(problem.records))
        answers = [ask(oracle, problem) for oracle in oracles]
        found = {(answer.query.parts, answer.value) for answer in answers if isinstance(answer, Solution)}
        assert len(oracles) > 1
        assert len(found) == 1
        assert not any(isinstance(answer, Failed) for answer in answers)


@pytest.mark.parametrize("oracle", [CpSatOracle(), MaxSatOracle()], ids=lambda oracle: oracle.name)
@pytest.mark.parametrize("queries", BASES, ids=title)
@settings(derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_claimed_optima_are_optima(queries: QueryClass, oracle: Oracle, data: st.DataObject) -> None:
    problem = data.draw(problems(queries))
    answer = ask(oracle, problem)
    assert isinstance(answer, Solution)
    assert answer.value == by_definition(problem)[0]
    assert answer.certificate.trust is Trust.CLAIMED


@pytest.mark.parametrize("oracle", [MilpOracle(), HeuristicOracle()], ids=lambda oracle: oracle.name)
@settings(derandomize=True, deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_guesses_are_queries_with_their_true_value(oracle: Oracle, data: st.DataObject) -> None:
    problem = data.draw(st.sampled_from(BASES).flatmap(problems))
    answer = oracle.solve(problem)
    assert isinstance(answer, Solution)
    assert problem.query_class.contains(answer.query.parts)
    assert answer.value == problem.value(answer.query.parts) >= by_definition(problem)[0]
    assert answer.certificate.trust is Trust.GUESSED


@pytest.mark.parametrize("oracle", [CpSatOracle(), MaxSatOracle(), MilpOracle(), HeuristicOracle()])
def test_a_class_that_says_nothing_of_itself_is_listed_for_a_solver(oracle: Oracle) -> None:
    records = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=np.uint8)
    problem = WeightedProblem.build(LIFTED[0], records[:, : LIFTED[0].dimension], np.array([3, -5, 2]))
    found, best = oracle.solve(problem), ExhaustiveOracle().solve(problem)
    assert isinstance(found, Solution)
    assert isinstance(best, Solution)
    assert found.value == best.value == problem.value(found.query.parts)


@pytest.mark.parametrize("queries", [*BASES, *LIFTED], ids=title)
def test_batches_agree_with_single_queries(queries: QueryClass) -> None:
    rng = np.random.default_rng(0)
    records = rng.integers(0, 2, (9, queries.dimension)).astype(np.uint8)
    listed, table = list(queries.all_parts()), whole_table(queries)
    assert (queries.coverage(table, records) == [queries.evaluate(parts, records) for parts in listed]).all()
    assert sizes(queries, table).tolist() == [queries.sizable(parts) for parts in listed]


@pytest.mark.parametrize("queries", [*BASES, *LIFTED], ids=title)
def test_all_values_are_the_values(queries: QueryClass) -> None:
    rng = np.random.default_rng(0)
    records = rng.integers(0, 2, (6, queries.dimension)).astype(np.uint8)
    problem = WeightedProblem.build(queries, records, rng.integers(-9, 10, 6), 5)
    for _ in range(2):  # the second time from the cache
        problem = problem.with_noise(
            rng.integers(-9, 10, len(problem.part_costs)), rng.integers(-9, 10, len(problem.size_costs))
        )
        assert all_values(problem).tolist() == [problem.value(parts) for parts in queries.all_parts()]
