"""The value of a problem at every query: the brute-force table behind enumeration, selection and audits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError
from oracledp.oracles.batch import cost_values, data_values, whole_table
from oracledp.oracles.problem import LIMIT, WeightedProblem

MOST_QUERIES = 2_000_000


def refuse_large(size: int, *, most: int = MOST_QUERIES) -> None:
    """Refuse to enumerate a class of more than ``most`` queries."""
    if size > most:
        raise CapacityError(f"the class has {size} queries; enumeration stops at {most}: use a search instead")


def relative_values(problem: WeightedProblem) -> NDArray[np.int64]:
    """The value at every query but for the constant."""
    return data_shares(problem) + cost_values(problem, whole_table(problem.query_class))


def data_shares(problem: WeightedProblem) -> NDArray[np.int64]:
    """What the records add to the value at every query, kept for the next costs."""
    refuse_large(problem.query_class.size)
    if "data values" not in problem.cache:
        problem.cache["data values"] = data_values(problem, whole_table(problem.query_class))
    known: NDArray[np.int64] = problem.cache["data values"]
    return known


def all_values(problem: WeightedProblem) -> NDArray[np.int64]:
    """The exact value at every query, in the class's fixed order."""
    if abs(problem.constant) >= LIMIT:
        raise CapacityError("the constant exceeds 2^62: values would not fit in 64 bits")
    return relative_values(problem) + problem.constant
