"""A histogram split at random into parts of given sizes: all partitions of the rows are equally likely.

The counts of the parts are then multivariate hypergeometric, exactly (Theorem 6 of proofs/noise.md). The work
grows with the number of rows, a few nanoseconds each.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.merging import exact_sum
from oracledp.randomness.source import Randomness, drawn, reader, words

Part = tuple[NDArray[np.int64], NDArray[np.int64]]

BITS_AT_ONCE = 1 << 26  # read from the source


@drawn
def label_counts(rows: int, parts: int, source: Randomness) -> list[int]:
    """How many of ``rows`` records choose each of ``parts`` labels uniformly: exactly multinomial.

    A label is a row of fair bits, and drawn again when it is too large. Nobody asks which record has which label, so
    the bits need only be counted (Theorem 7 of proofs/noise.md).

    >>> from oracledp.randomness.source import SystemRandomness
    >>> sum(label_counts(1000, 7, SystemRandomness()))
    1000
    """
    total, left = np.zeros(parts, dtype=np.int64), rows
    while left:
        cells = [left]
        while len(cells) < parts:
            ones = [_ones(count, source) for count in cells]
            cells = [half for count, one in zip(cells, ones, strict=True) for half in (count - one, one)]
        total += np.array(cells[:parts], dtype=np.int64)
        left = sum(cells[parts:])
    return [int(count) for count in total]


def _ones(bits: int, source: Randomness) -> int:
    """How many of so many fair bits are one."""
    total = 0
    for start in range(0, bits, BITS_AT_ONCE):
        now = min(BITS_AT_ONCE, bits - start)
        read = words(source, (now + 63) // 64)
        total += int(np.bitwise_count(read).sum(dtype=np.int64))
        total -= (int(read[-1]) >> (now % 64)).bit_count() if now % 64 else 0
    return total


@drawn
def hypergeometric_parts(counts: NDArray[np.int64], sizes: Sequence[int], source: Randomness) -> list[Part]:
    """For each part, the indices of its records (increasing) and their counts (positive).

    ``counts[i]`` rows hold record ``i``. The sizes may sum to less than the rows: the others are left out.

    >>> from oracledp.randomness.source import SystemRandomness
    >>> [(records, counts)] = hypergeometric_parts(np.array([3, 0, 2]), [5], SystemRandomness())
    >>> records.tolist(), counts.tolist()
    ([0, 2], [3, 2])
    """
    array = np.asarray(counts)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array.size and array.min() < 0):
        raise ParameterError("counts must be a vector of integers, none of them negative")
    rows = exact_sum(array)
    if rows >= 1 << 63:  # far more than a table may hold
        raise CapacityError("counts must sum to less than 2^63")
    wanted = [index(size) for size in sizes]
    rest = rows - sum(wanted)
    if rest < 0 or any(size < 0 for size in wanted):
        raise ParameterError("sizes must not be negative and must not exceed the number of rows together")
    parts = _engine.draw_partition(np.ascontiguousarray(array, dtype=np.int64), [*wanted, rest], reader(source))
    return parts[:-1]


def hypergeometric_split(counts: NDArray[np.int64], sizes: Sequence[int], source: Randomness) -> NDArray[np.int64]:
    """The same split as a matrix: entry ``[j, i]`` is how many rows of record ``i`` fell to part ``j``.

    >>> from oracledp.randomness.source import SystemRandomness
    >>> hypergeometric_split(np.array([3, 2]), [1, 4], SystemRandomness()).sum(axis=0).tolist()
    [3, 2]
    """
    matrix = np.zeros((len(sizes), len(counts)), dtype=np.int64)
    for row, (records, held) in zip(matrix, hypergeometric_parts(counts, sizes, source), strict=True):
        row[records] = held
    return matrix
