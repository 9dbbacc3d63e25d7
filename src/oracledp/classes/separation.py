"""Separating sets found by search, for small classes that have no closed form."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError

if TYPE_CHECKING:
    from oracledp.classes.base import QueryClass
    from oracledp.classes.tables import Parts

MOST_LITERALS = 12


def all_records(dimension: int) -> NDArray[np.uint8]:
    """All 2^d boolean records, in order.

    >>> all_records(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if dimension > MOST_LITERALS:
        raise CapacityError(f"listing all records needs at most {MOST_LITERALS} literals")
    return np.array(list(product((0, 1), repeat=dimension)), dtype=np.uint8).reshape(-1, dimension)


def separating_rows(table: NDArray[np.bool_]) -> list[int]:
    """Rows of a 0/1 table that tell apart any two columns that some row tells apart, taken greedily in order."""
    blocks = np.zeros(table.shape[1], dtype=np.int64)
    target = len(np.unique(table, axis=1).T) if table.size else 1
    chosen, found = [], 1
    for index, row in enumerate(table):
        if found == target:
            break
        refined = np.unique(blocks * 2 + row, return_inverse=True)[1].reshape(-1)
        if refined.max(initial=0) + 1 > found:
            chosen.append(index)
            blocks, found = refined, int(refined.max()) + 1
    return chosen


def separating_queries(query_class: QueryClass) -> tuple[Parts, ...]:
    """Queries that tell apart any two records which the class can tell apart at all."""
    records = all_records(query_class.dimension)
    queries = list(query_class.all_parts())
    table = np.array([query_class.evaluate(parts, records) for parts in queries])
    return tuple(queries[index] for index in separating_rows(table))
