"""What the library relies on in an oracle: true values, queries of the class, and a problem left as it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracledp.audit.conformance.verdict import demand
from oracledp.classes.base import QueryClass
from oracledp.oracles.base import Failed, Oracle, Solution
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem

PROBLEMS = 25  # per class


def check_oracle(oracle: Oracle, classes: Sequence[QueryClass]) -> int:
    """Small problems over these classes; the number of those that were answered.

    A promise of a proof or of totality is looked at as well, though the library believes neither: a stranger's answer
    counts as claimed, whatever it says of itself.

    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> check_oracle(ExhaustiveOracle(), [Conjunctions(Literals.named("a", "b"))])
    25
    """
    answered = 0
    for queries in classes:
        chance = np.random.default_rng(7)
        for number in range(PROBLEMS):
            answered += _check_one(oracle, _problem(queries, chance, plain=number % 2 == 0))
    return answered


def _problem(queries: QueryClass, chance: np.random.Generator, *, plain: bool) -> WeightedProblem:
    """Signed weights, and in every second problem costs on parts and sizes."""
    count = int(chance.integers(0, 12))
    records = chance.integers(0, 2, (count, queries.dimension)).astype(np.uint8)
    weights = chance.integers(-9, 10, count)
    if plain:
        return WeightedProblem.build(queries, records, weights)
    parts = chance.integers(-5, 6, queries.part_count)
    sizes = chance.integers(-5, 6, queries.dummies + 1)
    costly = WeightedProblem.build(queries, records, weights)
    return costly.with_noise(parts, sizes if queries.dummies else None)


def _check_one(oracle: Oracle, problem: WeightedProblem) -> int:
    before = _content(problem)
    answer = oracle.solve(problem)
    demand(_content(problem) == before, f"{oracle.name} changed its problem")
    if isinstance(answer, Failed):
        demand(not oracle.total, f"{oracle.name} promises to answer always, and failed")
        return 0
    demand(isinstance(answer, Solution), f"{oracle.name} answered with a {type(answer).__name__}")
    parts = answer.query.parts
    demand(problem.query_class.contains(parts), f"{oracle.name} answered {parts}, which is no query of the class")
    value = problem.value(parts)
    demand(answer.value == value, f"{oracle.name} says {answer.value} of {parts}, whose value is {value}")
    best = ExhaustiveOracle().solve(problem)
    assert isinstance(best, Solution)
    if oracle.total:
        demand(value == best.value, f"{oracle.name} promises the minimum {best.value}, and found {value}")
        same = not oracle.fixed_ties or parts == best.query.parts
        demand(same, f"{oracle.name} promises the first minimiser {best.query.parts}, and found {parts}")
    return 1


def _content(problem: WeightedProblem) -> tuple[list[int], ...]:
    numbers = (problem.records.ravel(), problem.weights, problem.part_costs, problem.size_costs)
    return tuple(array.tolist() for array in numbers)
