"""Square roots of fractions, rounded down."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt


def sqrt_below(value: Fraction, bits: int = 64) -> Fraction:
    """The largest multiple of 2^-bits that is at most sqrt(value).

    >>> sqrt_below(Fraction(1, 4)), sqrt_below(Fraction(2)) ** 2 < 2
    (Fraction(1, 2), True)
    """
    return Fraction(isqrt((value.numerator << (2 * bits)) // value.denominator), 1 << bits)
