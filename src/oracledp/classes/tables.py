"""Many queries at once, as a table of their parts: one row per query."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

Parts = tuple[int, ...]
PartsTable = NDArray[np.int32]  # one row per query: its parts in increasing order, then NO_PART
Bits = NDArray[np.bool_]

NO_PART = -1


def parts_table(queries: Iterable[Parts]) -> PartsTable:
    """Queries as rows of equal length.

    >>> parts_table([(), (0,), (0, 2)]).tolist()
    [[-1, -1], [0, -1], [0, 2]]
    """
    listed = list(queries)
    columns = list(zip_longest(*listed, fillvalue=NO_PART))
    return np.array(columns, dtype=np.int32).reshape(len(columns), len(listed)).T


def parts_of(row: NDArray[np.int32]) -> Parts:
    """The query of one row of a table."""
    return tuple(int(part) for part in row if part != NO_PART)


def fold_literals(operation: np.ufunc, neutral: bool, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
    """Rows × records: the chosen literals joined by an operation; a missing part is its neutral element."""
    bits = np.concatenate([records.T != 0, np.full((1, len(records)), neutral)])  # NO_PART is the last row
    start = np.full((len(table), len(records)), neutral)
    result: Bits = reduce(lambda covered, column: operation(covered, bits[column]), table.T, start)
    return result
