"""The normal distribution function in outward-rounded arithmetic: what Gaussian accounting stands on."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from oracledp.exact.intervals import ONE, Interval

FURTHEST = 12  # beyond so many deviations the tail is below e^-72, and only that is said of it


@cache
def pi() -> Interval:
    """π by Machin's formula, 16 arctan(1/5) - 4 arctan(1/239).

    >>> float(pi().upper)
    3.141592653589793
    """
    return 16 * _arctan_of_inverse(5) - 4 * _arctan_of_inverse(239)


def _arctan_of_inverse(n: int) -> Interval:
    """arctan(1/n) by its alternating series: the sum lies between the last two partial sums, each rounded."""
    low = high = 0
    power, index, sign = ONE // n, 1, 1
    while power:
        term = power // index
        low, high = low + sign * term - 1, high + sign * term + 1
        power, index, sign = power // (n * n), index + 2, -sign
    return Interval(low - 2 * index, high + 2 * index)  # each power is low by less than two units


def normal_tail(x: Fraction) -> Interval:
    """Pr[Z > x] for a standard normal Z: for x >= 0 it is 1/2 - φ(x)(x + x³/3 + x⁵/15 + ...), all terms positive.

    >>> round(float(normal_tail(Fraction(2)).upper), 10)
    0.0227501319
    """
    if x < 0:
        return 1 - normal_tail(-x)
    if x > FURTHEST:
        return Interval(0, Interval.of(-x * x / 2).exp().high)
    square = Interval.of(x * x)
    term = total = Interval.of(x)
    odd = 1
    while term.high > 1 or odd * odd < 4 * x * x:
        odd += 2
        term = term * square / odd
        total = total + term
    total = Interval(total.low, total.high + 2 * term.high)  # what follows falls by half at least each time
    density = Interval.of(-x * x / 2).exp() / (2 * pi()).sqrt()
    return Fraction(1, 2) - density * total
