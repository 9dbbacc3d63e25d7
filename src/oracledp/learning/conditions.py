"""Every conjunction of at most three literals and negations of literals, with its weight, at one matrix product each.

Sums of integers below 2^53 are exact in double precision whatever the order, so the fast products give exact
counts; a mechanism that could have larger weights refuses to run (:mod:`oracledp.exact.capacity`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.capacity import DOUBLES
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

    def sums(self, records: NDArray[np.uint8], weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """The total weight of the records on which each condition holds, in order."""
        if absolute_sum(weights) >= DOUBLES:  # never, where the mechanism's own check passed
            raise CapacityError("the weights exceed 2^53")
        bits, real = records.astype(np.float64), weights.astype(np.float64)
        together = [np.array([real.sum()])]  # weight where all of a subset's columns are 1, by size of subset
        if self.width >= 1:
            together.append(real @ bits)
        if self.width >= 2:
            pairs = (bits * real[:, None]).T @ bits
            together.append(pairs[tuple(_subsets(self.columns, 2))])
        if self.width >= 3:
            together.append(_triples(bits, real))
        return np.concatenate(list(_patterns(together, self.columns))).astype(np.int64)


def holds(condition: Condition, records: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where a condition holds."""
    result = np.ones(len(records), dtype=bool)
    for column, wanted in condition:
        result &= (records[:, column] != 0) == wanted
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


def _triples(bits: NDArray[np.float64], real: NDArray[np.float64]) -> NDArray[np.float64]:
    parts = [np.zeros(0)]
    for first in range(bits.shape[1] - 2):
        rows = bits[:, first] == 1
        rest = bits[rows, first + 1 :]
        pairs = (rest * real[rows, None]).T @ rest
        parts.append(pairs[tuple(_subsets(rest.shape[1], 2))])
    return np.concatenate(parts)


def _patterns(together: list[NDArray[np.float64]], columns: int) -> Iterator[NDArray[np.float64]]:
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
        square = np.zeros((columns, columns))
        square[tuple(_subsets(columns, 2))] = both
        ab, ac, bc, abc = square[a, b], square[a, c], square[b, c], together[3]
        yield from (abc, ab - abc, ac - abc, one[a] - ab - ac + abc)
        yield from (bc - abc, one[b] - ab - bc + abc, one[c] - ac - bc + abc)
        yield total - one[a] - one[b] - one[c] + ab + ac + bc - abc
