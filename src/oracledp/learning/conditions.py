"""Every conjunction of at most three literals and negations of literals, with its weight.

The engine adds up the weights where all of a set of literals hold, in integers over packed rows; the conditions with
negations follow by inclusion and exclusion. A mechanism whose sums could exceed 64 bits refuses to run
(:mod:`oracledp.exact.capacity`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import subset_sums
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.capacity import CONDITIONS
from oracledp.exact.merging import absolute_sum

Condition = tuple[tuple[int, bool], ...]  # (column, wanted value), by increasing column


@dataclass(frozen=True)
class Conditions:
    """The conjunctions of at most ``width`` tests (column is 1, or column is 0) of different columns.

    >>> family = Conditions(2, 2)
    >>> family.size, family[8]
    (9, ((0, False), (1, False)))
    """

    columns: int
    width: int

    def __post_init__(self) -> None:
        if not 0 <= self.width <= 3:
            raise ParameterError("conditions have at most three tests; larger classes need a search")

    @property
    def size(self) -> int:
        """How many there are."""
        return sum(comb(self.columns, k) << k for k in range(self.width + 1))

    def __getitem__(self, index: int) -> Condition:
        for count in range(self.width + 1):
            block = comb(self.columns, count) << count
            if index < block:
                pattern, place = divmod(index, comb(self.columns, count))
                columns = _subsets(self.columns, count)[:, place].tolist()
                return tuple((column, not pattern >> (count - 1 - i) & 1) for i, column in enumerate(columns))
            index -= block
        raise IndexError("no condition has this number")

    def sums(self, records: PackedRecords, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """The total weight of the records on which each condition holds, in order."""
        if absolute_sum(weights) >= CONDITIONS:  # never, where the mechanism's own check passed
            raise CapacityError("the weights exceed 2^59")
        sums = subset_sums(records, weights, self.width)  # where all of a set's columns are 1, by size of set
        edges = np.cumsum([comb(self.columns, count) for count in range(self.width)])
        return np.concatenate(list(_patterns(np.split(sums, edges), self.columns)))


def holds(condition: Condition, records: PackedRecords) -> NDArray[np.bool_]:
    """Where a condition holds."""
    result = np.ones(len(records), dtype=bool)
    for column, wanted in condition:
        result &= records.column(column) == wanted
    return result


def _subsets(columns: int, count: int) -> NDArray[np.int64]:
    """All subsets in lexicographic order, one row per member."""
    if count == 0:
        return np.zeros((0, 1), dtype=np.int64)
    if count == 1:
        return np.arange(columns)[None, :]
    if count == 2:
        return np.array(np.triu_indices(columns, 1))
    blocks = [
        np.vstack([np.full((1, rest.shape[1]), first), rest + first + 1])
        for first in range(columns)
        for rest in (_subsets(columns - first - 1, 2),)
    ]
    return np.hstack(blocks) if blocks else np.zeros((3, 0), dtype=np.int64)


def _patterns(together: list[NDArray[np.int64]], columns: int) -> Iterator[NDArray[np.int64]]:
    """For each size, all patterns of wanted values from all-ones to all-zeros, by inclusion and exclusion."""
    total = together[0]
    yield total
    if len(together) > 1:
        one = together[1]
        yield from (one, total - one)
    if len(together) > 2:
        a, b = _subsets(columns, 2)
        both = together[2]
        yield from (both, one[a] - both, one[b] - both, total - one[a] - one[b] + both)
    if len(together) > 3:
        a, b, c = _subsets(columns, 3)
        square = np.zeros((columns, columns), dtype=np.int64)
        square[tuple(_subsets(columns, 2))] = both
        ab, ac, bc, abc = square[a, b], square[a, c], square[b, c], together[3]
        yield from (abc, ab - abc, ac - abc, one[a] - ab - ac + abc)
        yield from (bc - abc, one[b] - ab - bc + abc, one[c] - ac - bc + abc)
        yield total - one[a] - one[b] - one[c] + ab + ac + bc - abc
