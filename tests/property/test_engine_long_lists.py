"""The search over long lists against plain enumeration and the search by columns, ties included."""

from __future__ import annotations

import numpy as np
import pytest

from oracledp.classes import Conjunctions, DecisionLists
from oracledp.data.literals import Literals
from oracledp.oracles.base import Failed, Solution
from oracledp.oracles.decision_list_search import DecisionListSearchOracle
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.long_list_search import LongListSearchOracle, rule_penalty
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import resolve

NAMES = ("a", "b", "c", "d", "e", "f")


def problem_of(rng: np.random.Generator, lists: DecisionLists, rows: int, costs: str) -> WeightedProblem:
    """Few distinct weights make ties; literals come with their negations now and then."""
    records = rng.integers(0, 2, (rows, lists.dimension), dtype=np.uint8)
    if rng.integers(0, 2):
        half = lists.dimension // 2
        records[:, half : 2 * half] = 1 - records[:, :half]
    problem = WeightedProblem.build(lists, records, rng.integers(-3, 4, rows), constant=int(rng.integers(-3, 4)))
    if costs == "noise":
        return problem.with_noise(rng.integers(-2, 3, lists.part_count))
    return problem.with_noise(rule_penalty(lists, {"free": 0, "cheap": 1, "dear": 3}[costs]))


@pytest.mark.parametrize("costs", ["free", "cheap", "dear", "noise"])
@pytest.mark.parametrize(
    ("literals", "length", "width"), [(1, 0, 1), (1, 3, 1), (2, 3, 1), (3, 2, 1), (4, 3, 1), (2, 2, 2), (3, 2, 2)]
)
def test_the_first_minimiser_is_found(literals: int, length: int, width: int, costs: str) -> None:
    lists = DecisionLists(Literals.named(*NAMES[:literals]), length=length, width=width)
    for seed in range(12):
        problem = problem_of(np.random.default_rng(seed), lists, seed, costs)
        expected, found = ExhaustiveOracle().solve(problem), LongListSearchOracle().solve(problem)
        assert isinstance(expected, Solution)
        assert isinstance(found, Solution)
        assert (found.value, found.query.parts) == (expected.value, expected.query.parts)


@pytest.mark.parametrize("costs", ["free", "cheap", "dear", "noise"])
def test_the_search_by_columns_agrees(costs: str) -> None:
    """Enough records that nodes are merged and remembered."""
    lists = DecisionLists(Literals.named(*NAMES), length=5)
    for seed in range(4):
        problem = problem_of(np.random.default_rng(seed), lists, 200, costs)
        expected, found = DecisionListSearchOracle().solve(problem), LongListSearchOracle().solve(problem)
        assert isinstance(expected, Solution)
        assert isinstance(found, Solution)
        assert (found.value, found.query.parts) == (expected.value, expected.query.parts)


def test_costs_that_are_alike_save_work() -> None:
    """Skips may then come last; one rule that costs a trifle more, and skips are looked for everywhere."""
    lists = DecisionLists(Literals.named(*NAMES), length=3)
    rng = np.random.default_rng(1)
    records = rng.integers(0, 2, (60, lists.dimension), dtype=np.uint8)
    problem = WeightedProblem.build(lists, records, rng.integers(-3, 4, 60) * 1000)
    trifle = np.zeros(lists.part_count, dtype=np.int64)
    trifle[0] = 1
    alike, uneven = (LongListSearchOracle().solve(made) for made in (problem, problem.with_noise(trifle)))
    assert isinstance(alike, Solution)
    assert isinstance(uneven, Solution)
    assert 1.2 * alike.certificate.work < uneven.certificate.work


def planted(rules: int) -> tuple[DecisionLists, WeightedProblem]:
    """Rows of one literal each, of which every second is accepted: every literal but the last kind needs its rule."""
    lists = DecisionLists(Literals.named(*(f"x{i}" for i in range(rules))), length=rules + 3)
    rows = np.eye(rules, dtype=np.uint8)
    return lists, WeightedProblem.build(lists, rows, np.array([-10 if i % 2 else 10 for i in range(rules)]))


def test_more_rules_than_columns_can_be_gone_through() -> None:
    lists, problem = planted(24)
    answer = LongListSearchOracle().solve(problem.with_noise(rule_penalty(lists, 1)))
    assert isinstance(answer, Solution)
    assert not DecisionListSearchOracle().supports(lists, 24)
    assert answer.value == 12 - 120  # twelve rules that accept ten each
    assert len(lists.rules(answer.query.parts)[0]) == 12


def test_work_is_limited_and_counted_alike() -> None:
    lists = DecisionLists(Literals.named(*NAMES), length=5)
    problem = problem_of(np.random.default_rng(1), lists, 200, "cheap")
    answer = LongListSearchOracle().solve(problem)
    assert isinstance(answer, Solution)
    work = answer.certificate.work
    assert LongListSearchOracle(work_limit=work).solve(problem) == answer
    assert LongListSearchOracle(work_limit=work - 1).solve(problem) == Failed("work limit reached")


def test_it_is_taken_by_name_and_serves_lists_alone() -> None:
    lists = DecisionLists(Literals.named("a", "b"), length=64)
    assert resolve("long-lists", lists) == LongListSearchOracle()
    assert resolve("auto", lists).name != "long-list-search"
    oracle = LongListSearchOracle()
    assert oracle.total
    assert not LongListSearchOracle(work_limit=1).total
    assert not oracle.supports(Conjunctions(Literals.named("a", "b")), 1)
    assert not oracle.supports(DecisionLists(Literals.named("a", "b"), length=65), 1)
