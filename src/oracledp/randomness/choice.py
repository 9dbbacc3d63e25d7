"""Exact private selection from a vector of integer scores: the exponential mechanism, and permute-and-flip.

Low scores are good. Laws and proofs: proofs/noise.md (Theorems 4 and 5). Millions of scores take a fraction of
a second: compiled code lays upper bounds of the weights end to end, a uniform integer picks one stretch, and
whether the point lies under the true weight is decided with as many digits as it takes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.randomness.source import Randomness, below, drawn, reader

_BITS = 62  # of the upper weights: two of them multiply within 128 bits
_EXTRA = 64  # digits drawn when a decision is open

Law = list[tuple[Fraction, Fraction]]


@drawn
def exponential_choice(scores: NDArray[np.int64], rate: Fraction | int, source: Randomness) -> int:
    """An index, ``i`` with probability exactly proportional to ``e^(-rate * scores[i])`` (Theorem 4).

    >>> from oracledp.randomness.source import SystemRandomness
    >>> exponential_choice(np.array([5, 0, 900]), Fraction(100), SystemRandomness())
    1
    """
    return _exponential_choice(_checked(scores), _rate(rate), source, _BITS)


@drawn
def weighted_choice(weights: Sequence[int], source: Randomness) -> int:
    """An index, ``i`` with probability exactly ``weights[i]`` over their sum; the weights may be of any length.

    >>> from oracledp.randomness.source import SystemRandomness
    >>> weighted_choice([0, 10**50, 0], SystemRandomness())
    1
    """
    if not weights or min(weights) < 0 or not sum(weights):
        raise ParameterError("a choice needs weights that are not negative, and not all zero")
    ends = list(accumulate(weights))
    return bisect_right(ends, below(source, ends[-1]))


@drawn
def permute_and_flip_choice(scores: NDArray[np.int64], rate: Fraction | int, source: Randomness) -> int:
    """An index: the scores in random order, the first that an ``e^(-rate * (score - least))`` coin accepts.

    Its law is that of the least ``score - E / rate`` with independent standard exponential ``E`` (Theorem 5).
    """
    checked, exact_rate = _checked(scores), _rate(rate)
    if max(exact_rate.numerator, exact_rate.denominator) >= 1 << 63 or len(checked) >= 1 << 32:
        raise CapacityError("permute-and-flip takes fewer than 2^32 scores and a rate with 63-bit terms")
    top, bottom = exact_rate.numerator, exact_rate.denominator
    return _engine.draw_permute_and_flip(checked, int(checked.min()), top, bottom, reader(source))


def exponential_law(scores: NDArray[np.int64], rate: Fraction | int, bits: int = 128) -> Law:
    """For each index, bounds ``(low, high)`` of its probability under :func:`exponential_choice`.

    >>> low, high = exponential_law(np.array([0, 0]), Fraction(1))[0]
    >>> low == high == Fraction(1, 2)
    True
    """
    checked, exact_rate = _checked(scores), _rate(rate)
    gaps = [score - int(checked.min()) for score in checked.tolist()]
    known = {gap: exp_enclosure(exact_rate * gap, bits) for gap in set(gaps)}
    least_total = sum(known[gap][0] for gap in gaps)
    most_total = sum(known[gap][1] for gap in gaps)
    bounds = {gap: (Fraction(low, most_total), Fraction(high, least_total)) for gap, (low, high) in known.items()}
    return [bounds[gap] for gap in gaps]


def short_rate(rate: Fraction) -> Fraction:
    """The rate itself, or one a little smaller whose terms have at most 62 bits: for permute-and-flip.

    A smaller rate is more private, so rounding it down keeps every promise.

    >>> short_rate(Fraction(1, 3)), short_rate(Fraction(1, 3**50)) <= Fraction(1, 3**50)
    (Fraction(1, 3), True)
    """
    if max(rate.numerator, rate.denominator) < 1 << 62:
        return rate
    bits = 61 - int(rate).bit_length()
    return Fraction(int(rate * (1 << bits)), 1 << bits)


@dataclass(frozen=True, eq=False)
class _UpperWeights:
    """A table from which compiled code bounds ``2^bits e^(-rate * gap)`` from above; past gap ``last`` 1 is a bound."""

    last: int
    table: NDArray[np.uint64]

    @classmethod
    def of(cls, rate: Fraction, bits: int) -> _UpperWeights:
        last = (1 << 64) - 1
        if rate:  # e^(-x) <= 2^-bits from x = 0.7 bits on
            last = min(last, 7 * bits * rate.denominator // (10 * rate.numerator))
        places = max(1, (last.bit_length() + 3) // 4)
        rows = [[exp_enclosure(rate * digit * 16**place, bits)[1] for digit in range(16)] for place in range(places)]
        return cls(last, np.array(rows, dtype=np.uint64))


_upper_weights = lru_cache(maxsize=64)(_UpperWeights.of)


def _exponential_choice(scores: NDArray[np.int64], rate: Fraction, source: Randomness, bits: int) -> int:
    least = int(scores.min())
    upper = _upper_weights(rate, bits)
    arguments = (scores, least, upper.last, bits, upper.table)
    high, low = _engine.sum_upper_weights(*arguments)
    total = (high << 64) + low
    while True:
        target = below(source, total)
        index, offset = _engine.find_upper_weight(*arguments, target >> 64, target & ((1 << 64) - 1))
        if _under_weight(offset, rate * (int(scores[index]) - least), bits, source):
            return index


def _under_weight(offset: int, x: Fraction, bits: int, source: Randomness) -> bool:
    """Whether a uniform real in ``[offset, offset + 1)`` lies below ``2^bits e^(-x)``."""
    while True:
        low, high = exp_enclosure(x, bits)
        if offset < low:
            return True
        if offset >= high:
            return False
        offset = (offset << _EXTRA) + below(source, 1 << _EXTRA)
        bits += _EXTRA


def _checked(scores: NDArray[Any]) -> NDArray[np.int64]:
    array = np.asarray(scores)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu" or array.dtype == np.uint64:
        raise ParameterError("scores must be a non-empty vector of integers of at most 64 bits with sign")
    return np.ascontiguousarray(array, dtype=np.int64)


def _rate(rate: Fraction | int) -> Fraction:
    if isinstance(rate, bool) or not isinstance(rate, Fraction | int) or rate < 0:
        raise ParameterError("rate must be a Fraction or an integer, at least 0")
    return Fraction(rate)
