"""Square roots of fractions, rounded to a side."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt


def sqrt_below(value: Fraction, bits: int = 64) -> Fraction:
    """The largest multiple of 2^-bits that is at most sqrt(value).

    >>> sqrt_below(Fraction(1, 4)), sqrt_below(Fraction(2)) ** 2 < 2
    (Fraction(1, 2), True)
    """
    return Fraction(isqrt((value.numerator << (2 * bits)) // value.denominator), 1 << bits)


def sqrt_above(value: Fraction, bits: int = 64) -> Fraction:
    """A multiple of 2^-bits that is at least sqrt(value), and less than 2^(1-bits) above it."""
    below = sqrt_below(value, bits)
    return below if below * below == value else below + Fraction(1, 1 << bits)
