"""What the only door to an oracle lets through, and what hostile oracles do behind it."""

from __future__ import annotations

import numpy as np
import pytest

from broken import hostile_oracles as hostile
from oracledp.classes import Conjunctions, Disjunctions, Halfspaces
from oracledp.classes.base import Query
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError, ParameterError
from oracledp.oracles.base import Certificate, Failed, Oracle, Solution, Trust
from oracledp.oracles.door import ask
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import admit

AB = Literals.named("a", "b")
ROWS = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.uint8)


def problem(*weights: int) -> WeightedProblem:
    """Values over (), (a), (b), (a and b): with weights 5, -3, 2 these are 4, 2, -1, -3."""
    return WeightedProblem.build(Conjunctions(AB), ROWS, np.array(weights or (5, -3, 2)))


def solution(oracle: Oracle, asked: WeightedProblem) -> Solution:
    answer = ask(oracle, asked)
    assert isinstance(answer, Solution)
    return answer


def test_failing_on_demand() -> None:
    """Its own words for it stay with it."""
    assert ask(hostile.FailsOnDemand(), problem()) == Failed("the oracle gave no answer")
    picky = hostile.FailsOnDemand(when=lambda asked: bool(asked.weights.sum() > 4))
    assert solution(picky, problem()).value == -3
    assert isinstance(ask(picky, problem(5, -3, 3)), Failed)


def test_failing_on_a_record() -> None:
    oracle = hostile.FailsOnRecord(record=(0, 1))
    assert isinstance(ask(oracle, problem()), Failed)
    assert solution(oracle, problem(5, -3, 0)).value == -3


def test_failing_on_outputs() -> None:
    oracle = hostile.FailsOnOutputs(outputs=frozenset({(0, 1)}))
    assert isinstance(ask(oracle, problem()), Failed)
    assert solution(oracle, problem(-5, -3, 2)).query.parts == (0,)


def test_lies_about_optimality_pass_the_door_because_their_value_is_true() -> None:
    assert solution(hostile.LiesAboutOptimality(), problem()).value == 4
    second = solution(hostile.ReturnsSecondBest(), problem())
    assert (second.value, second.query.parts, second.certificate.trust) == (-1, (1,), Trust.CLAIMED)


def test_wrong_values_and_foreign_queries_are_stopped() -> None:
    assert ask(hostile.MisstatesValue(), problem()) == Failed("the oracle's value is not the value of its query")
    assert isinstance(ask(hostile.ReturnsForeignQuery(), problem()), Failed)


def test_an_error_of_ours_that_another_oracle_raises_says_nothing() -> None:
    """Its message could quote the data, whatever its type."""

    class Quoting(hostile.HostileOracle):
        def solve(self, problem: WeightedProblem) -> Solution:
            raise CapacityError(f"the weights are {problem.weights.tolist()}")

    assert ask(Quoting(), problem()) == Failed("the oracle ended with an error")


def test_a_query_of_another_class_is_stopped() -> None:
    class Confused(hostile.HostileOracle):
        def solve(self, problem: WeightedProblem) -> Solution:
            return Solution(Query(Disjunctions(AB), (0,)), 0, Certificate(Trust.PROVED, "none"))

    assert isinstance(ask(Confused(), problem()), Failed)


@pytest.mark.parametrize(("weight", "noisy_choice"), [(1, 0), (-1, 1)])
def test_ties_by_noise_are_not_ties_by_the_fixed_order(weight: int, noisy_choice: int) -> None:
    """Two queries, one part each: the same tie goes one way or the other as the noise goes (trap P3)."""
    two = Halfspaces(Literals.named("a"), weights=(0, 1))  # part 0 is "never", part 1 is "a"
    data = WeightedProblem.build(two, np.ones((1, 1), dtype=np.uint8), np.array([weight]))
    tied = data.with_noise(np.array([0, -weight]))
    assert solution(ExhaustiveOracle(), tied).query.parts == (0,)
    answer = solution(hostile.TieBreaksByNoise(), tied)
    assert (answer.query.parts, answer.value) == ((noisy_choice,), 0)


def test_hostile_oracles_claim_to_be_perfect_and_are_not_believed() -> None:
    oracle = hostile.FailsOnDemand()
    assert (oracle.trust, oracle.total, oracle.fixed_ties) == (Trust.PROVED, True, True)
    known = admit(oracle)
    assert (known.trust, known.total, known.fixed_ties) == (Trust.CLAIMED, False, False)
    assert known.name == "FailsOnDemand"  # a property may say anything at any time; the class was written once


def test_exhaustive_search_refuses_large_classes() -> None:
    with pytest.raises(CapacityError, match="enumeration stops at 3"):
        ExhaustiveOracle(most_queries=3).solve(problem())


def test_problems_refuse_what_does_not_fit() -> None:
    queries = Conjunctions(AB)
    with pytest.raises(ParameterError):
        WeightedProblem.build(queries, ROWS[:, :1], np.array([1, 1, 1]))
    with pytest.raises(ParameterError):
        WeightedProblem.build(queries, ROWS, np.array([1, 1]))
    with pytest.raises(CapacityError):
        WeightedProblem.build(queries, ROWS, np.array([1 << 61, 1 << 61, 0]))
    with pytest.raises(CapacityError):
        problem().with_noise(np.array([1 << 61, 1 << 61]))
    with pytest.raises(ParameterError):
        problem().with_noise(np.array([1]))


def test_problems_are_canonical() -> None:
    built = WeightedProblem.build(Conjunctions(AB), ROWS[[2, 1, 2, 0]], np.array([2, 5, -2, 1]))
    assert built.records.tolist() == [[1, 0], [1, 1]]
    assert built.weights.tolist() == [1, 5]
