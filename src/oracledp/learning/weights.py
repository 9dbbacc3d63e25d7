"""Class weights as small integers: a public rounding, so that no sum of them can leave exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from oracledp.exact.capacity import MOST_UNIT


def whole_weights(weights: Sequence[Fraction], most: int = MOST_UNIT) -> tuple[int, ...]:
    """Positive weights as integers of at most ``most`` in the same proportion.

    Small ratios are kept exactly. Others are scaled so that the largest is ``most`` and rounded, each to at least
    1. Only the objective changes with it, never what is promised: a record weighs at most the largest of these
    integers.

    >>> whole_weights([Fraction(1, 3), Fraction(2, 3)])
    (1, 2)
    >>> whole_weights([Fraction("0.123456789"), Fraction("0.987654321")])
    (125, 1000)
    """
    scale = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * scale) for weight in weights]
    common, largest = gcd(*whole), max(weights)
    if max(whole) // common <= most:
        return tuple(weight // common for weight in whole)
    return tuple(max(1, round(most * weight / largest)) for weight in weights)
