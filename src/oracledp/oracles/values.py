"""The value of a problem at every query: the brute-force table behind enumeration, selection and audits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError
from oracledp.oracles.problem import WeightedProblem

MOST_QUERIES = 2_000_000


def refuse_large(size: int, *, most: int = MOST_QUERIES) -> None:
    """Refuse to enumerate a class of more than ``most`` queries."""
    if size > most:
        raise CapacityError(f"the class has {size} queries; enumeration stops at {most}: use a search instead")


def all_values(problem: WeightedProblem) -> NDArray[np.int64]:
    """The exact value at every query, in the class's fixed order."""
    refuse_large(problem.query_class.size)
    owner, records, weights = problem.query_class, problem.records, problem.weights
    values = np.empty(owner.size, dtype=np.int64)
    for index, parts in enumerate(owner.all_parts()):
        value = int(weights[owner.evaluate(parts, records)].sum()) + int(problem.part_costs[list(parts)].sum())
        if problem.size_costs.size:
            value += int(problem.size_costs[owner.sizable(parts)])
        values[index] = value + problem.constant
    return values
