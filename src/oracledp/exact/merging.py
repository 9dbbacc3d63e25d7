"""Equal records brought together, and exact sums of integers: what makes millions of records cheap.

Records are words: codes side by side, or packed literals. Sorting n records of d literals moves about n·d/8 bytes a few
times, and never builds a Python object per record. Every merge of records ends here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine

_WORD = 64  # bits
_MANY = 1 << 12  # rows
_HALF = np.uint64(32)
_LOW = np.uint64((1 << 32) - 1)


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Which rows are equal: ``order`` sorts them, and each run of equal ones begins at an entry of ``starts``."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, words: NDArray[np.uint64]) -> EqualRows:
        """The runs of equal rows of a matrix of words, in lexicographic order; equal rows keep theirs.

        >>> rows = EqualRows.of(np.array([[7, 1], [2, 5], [7, 1]], dtype=np.uint64))
        >>> rows.first().tolist(), rows.totals(np.array([5, 7, 1])).tolist()
        ([1, 0], [7, 6])
        """
        return _of_short_words(words) or cls(*_engine.equal_runs(words))

    def first(self) -> NDArray[np.int64]:
        """One row of each run: the one that came first."""
        return self.order[self.starts]

    def distinct(self, records: Any) -> Any:
        """One row of each run: the records themselves, not a copy, where they were distinct and in order."""
        first = self.first()
        in_place = len(first) == len(records) and np.array_equal(first, np.arange(len(records)))
        return records if in_place else records[first]

    def totals(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum of the weights over each run; the caller knows that it fits."""
        if not len(self.starts):
            return np.zeros(0, dtype=np.int64)
        return np.asarray(np.add.reduceat(weights[self.order], self.starts, dtype=np.int64))


def _of_short_words(words: NDArray[np.uint64]) -> EqualRows | None:
    """The same for many rows whose word leaves room for the number of the row: words alone are sorted, in place."""
    rows = len(words)
    if rows < _MANY or words.shape[1] != 1:
        return None
    used = int(np.bitwise_or.reduce(words[:, 0]))
    idle, places = (used & -used).bit_length() - 1 if used else 0, (rows - 1).bit_length()
    if (used >> idle).bit_length() + places > _WORD:
        return None
    numbered = words[:, 0] >> np.uint64(idle)
    numbered <<= np.uint64(places)
    numbered |= np.arange(rows, dtype=np.uint64)
    numbered.sort()
    order = (numbered & np.uint64((1 << places) - 1)).view(np.int64)
    numbered >>= np.uint64(places)
    new = np.ones(rows, dtype=np.bool_)
    np.not_equal(numbered[1:], numbered[:-1], out=new[1:])
    return EqualRows(order, np.flatnonzero(new))


def exact_sum(array: NDArray[Any]) -> int:
    """The sum of 64-bit integers without overflow.

    >>> exact_sum(np.array([2**62, 2**62, 2**62, -1])) == 3 * 2**62 - 1
    True
    """
    negative = array < 0
    return _sum_of_words(array[~negative].astype(np.uint64)) - absolute_sum(array[negative])


def absolute_sum(array: NDArray[np.int64]) -> int:
    """The sum of the absolute values without overflow.

    >>> absolute_sum(np.array([-(2**63), 2**62])) == 3 * 2**62
    True
    """
    return _sum_of_words(np.abs(array).astype(np.int64, copy=False).view(np.uint64))


def _sum_of_words(words: NDArray[np.uint64]) -> int:
    """Halves add up to less than 2^64 for up to 2^32 words."""
    return (int((words >> _HALF).sum()) << 32) + int((words & _LOW).sum())
