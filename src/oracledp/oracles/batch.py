"""Many queries at once: a table of parts in, exact integer values out. Shared by searches that list queries."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import NO_PART, PartsTable, parts_table
from oracledp.oracles.narrow import narrow_serves, narrow_values
from oracledp.oracles.problem import WeightedProblem

CELLS = 1 << 22  # queries × records looked at in one step, so memory stays small


@lru_cache(maxsize=2)
def whole_table(query_class: QueryClass) -> PartsTable:
    """Every query of the class in its fixed order. It depends on no data, so it may be kept between problems."""
    return parts_table(query_class.all_parts())


def data_values(problem: WeightedProblem, table: PartsTable) -> NDArray[np.int64]:
    """sum_i weights[i] q(records[i]) for each row; the limits of a problem rule out any overflow."""
    if narrow_serves(problem, table):
        return narrow_values(problem, table)
    step = max(1, CELLS // max(1, len(problem.packed)))
    values = np.zeros(len(table), dtype=np.int64)
    for start in range(0, len(table), step):
        rows = table[start : start + step]
        values[start : start + step] = problem.query_class.coverage(rows, problem.records) @ problem.weights
    return values


def cost_values(problem: WeightedProblem, table: PartsTable) -> NDArray[np.int64]:
    """The costs of parts and sizes for each row."""
    costs = np.append(problem.part_costs, np.int64(0))  # NO_PART, the last index, costs nothing
    total = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        total += costs[column]
    if problem.size_costs.size:
        total += problem.size_costs[sizes(problem.query_class, table)]
    return total


def values(problem: WeightedProblem, table: PartsTable) -> NDArray[np.int64]:
    """The value of the problem at each row, its constant left out."""
    return data_values(problem, table) + cost_values(problem, table)


def sizes(query_class: QueryClass, table: PartsTable) -> NDArray[np.int64]:
    """How many parts of each row take the place of a dummy."""
    return np.asarray(((table != NO_PART) & (table < query_class.sizable_parts)).sum(axis=1), dtype=np.int64)
