"""Which texts are common in a column, privately: noisy counts that pass a threshold which a rare text hardly does."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from oracledp.privacy.accounting import exp_above
from oracledp.randomness.noise import rounded_counts
from oracledp.randomness.source import Randomness, drawn

_REACH = 1000  # up to here exp_above follows e^-x; from 2000 on it is flat


def tail_bound(distance: int, variance: Fraction) -> Fraction:
    """An upper bound on the probability that rounded Gaussian noise, on any lattice, is at least ``distance`` >= 0."""
    return _exp_above(max(distance - Fraction(1, 2), Fraction(0)) ** 2 / (2 * variance))


def _exp_above(x: Fraction) -> Fraction:
    """A fraction just above e^-x, however small that is: a person's δ, shared out among rows, may be below e^-2000."""
    return exp_above(x) if x <= _REACH else _exp_above(x / 2) ** 2


def least_threshold(variance: Fraction, delta: Fraction) -> int:
    """The least threshold that a text of one row passes with probability at most ``delta``, by :func:`tail_bound`.

    >>> least_threshold(Fraction(100), Fraction(1, 10**6))
    55
    """
    low, high = 1, 2
    while tail_bound(high - 1, variance) > delta:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if tail_bound(middle - 1, variance) <= delta else (middle + 1, high)
    return low


@drawn
def common_texts(
    counts: Mapping[str, int], variance: Fraction, bits: int, threshold: int, source: Randomness
) -> dict[str, int]:
    """A release: the texts whose counts with :func:`rounded_counts` are at least the threshold, with these counts."""
    texts = sorted(text for text, count in counts.items() if count > 0)
    held = np.array([counts[text] for text in texts], dtype=np.int64)
    noisy = rounded_counts(held, variance, bits, source) if texts else held
    return {text: count for text, count in zip(texts, noisy.tolist(), strict=True) if count >= threshold}
