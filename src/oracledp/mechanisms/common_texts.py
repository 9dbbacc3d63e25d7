"""Which texts are common in a column, privately: noisy counts that pass a threshold which a rare text hardly does."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt

import numpy as np

from oracledp.privacy.accounting import exp_above
from oracledp.randomness.noise import discrete_gaussian
from oracledp.randomness.source import Randomness, drawn


def tail_bound(distance: int, variance: Fraction) -> Fraction:
    """An upper bound on the probability that discrete Gaussian noise is at least ``distance`` >= 0."""
    return exp_above(Fraction(distance**2) / (2 * variance))


def least_threshold(variance: Fraction, delta: Fraction) -> int:
    """The least threshold that a text of one row passes with probability at most ``delta``, by :func:`tail_bound`.

    >>> least_threshold(Fraction(100), Fraction(1, 10**6))
    54
    """
    low, high = 1, 2 + isqrt(int(4000 * variance))
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if tail_bound(middle - 1, variance) <= delta else (middle + 1, high)
    return low


@drawn
def common_texts(counts: Mapping[str, int], variance: Fraction, threshold: int, source: Randomness) -> dict[str, int]:
    """A release: the texts whose counts with discrete Gaussian noise are at least the threshold, with these counts."""
    texts = sorted(text for text, count in counts.items() if count > 0)
    noise = discrete_gaussian(variance, len(texts), source) if texts else np.zeros(0, dtype=np.int64)
    noisy = {text: counts[text] + int(error) for text, error in zip(texts, noise, strict=True)}
    return {text: count for text, count in noisy.items() if count >= threshold}
