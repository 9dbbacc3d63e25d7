"""Equal records brought together, and exact sums of integers: what makes millions of records cheap.

Records are compared as words: keys of codes, or packed bits, so that sorting n records of d literals moves n·d/8 bytes
and never builds a Python object per record. Every merge of records in Python ends here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Word = NDArray[np.uint64] | NDArray[np.int64]

_HALF = np.uint64(32)
_LOW = np.uint64((1 << 32) - 1)
_PACKED_AT_ONCE = 1 << 16  # rows


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Which rows are equal: ``order`` sorts them, and each run of equal ones begins at an entry of ``starts``."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, records: NDArray[np.uint8]) -> EqualRows:
        """The runs of equal rows of a 0/1 matrix, in lexicographic order.

        >>> rows = EqualRows.of(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.uint8))
        >>> rows.first().tolist(), rows.totals(np.array([5, 7, 1])).tolist()
        ([1, 0], [7, 6])
        """
        return cls.of_words(_words(records))

    @classmethod
    def of_words(cls, words: Sequence[Word]) -> EqualRows:
        """The runs of rows with equal words, one array per place of a word, the first the most significant.

        >>> EqualRows.of_words([np.array([7, 2, 7]), np.array([1, 5, 1])]).order.tolist()
        [1, 0, 2]
        """
        order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
        return cls(order, run_starts(*(word[order] for word in words)))

    def first(self) -> NDArray[np.int64]:
        """One row of each run."""
        return self.order[self.starts]

    def distinct(self, records: NDArray[Any]) -> NDArray[Any]:
        """One row of each run: the records themselves, not a copy, where they were distinct and in order."""
        first = self.first()
        in_place = len(first) == len(records) and np.array_equal(first, np.arange(len(records)))
        return records if in_place else records[first]

    def totals(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum of the weights over each run; the caller knows that it fits."""
        return run_totals(weights[self.order], self.starts)


def run_starts(*words: Word) -> NDArray[np.int64]:
    """Where each run of equal rows begins, of words that are sorted together."""
    new = np.zeros(len(words[0]), dtype=np.bool_)
    new[:1] = True
    for word in words:
        new[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(new)


def run_totals(weights: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the weights over each run, in the same order; the caller knows that it fits."""
    return np.add.reduceat(weights, starts, dtype=np.int64) if len(starts) else np.zeros(0, dtype=np.int64)


def _words(records: NDArray[np.uint8]) -> list[NDArray[np.uint64]]:
    """The rows as columns of 64 bits each, the first literal in the highest bit: they sort as the rows do."""
    rows, literals = records.shape
    words = np.zeros((max(1, -(-literals // 64)), rows), dtype=np.uint64)
    for begin in range(0, rows, _PACKED_AT_ONCE):
        block = records[begin : begin + _PACKED_AT_ONCE]
        packed = np.zeros((len(block), 8 * len(words)), dtype=np.uint8)
        packed[:, : -(-literals // 8)] = np.packbits(block, axis=1)
        words[:, begin : begin + len(block)] = packed.view(">u8").T
    return list(words)


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
