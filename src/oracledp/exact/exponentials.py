"""The exponential function in integers: two neighbours between which 2^bits e^(-x) lies, for rational x."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil

from oracledp.errors import ParameterError

_HALVINGS = 8  # the series runs at an argument below 2^-8 and is squared back: fewer terms, small numbers


def exp_enclosure(x: Fraction | int, bits: int) -> tuple[int, int]:
    """The integers next to ``2**bits * exp(-x)``, for a rational ``x >= 0``: ``(floor, floor + 1)``.

    The true value lies strictly between the two, except that ``x = 0`` gives ``(2**bits, 2**bits)``. No
    floating point is involved; the error analysis is Lemma 5 of proofs/noise.md.

    >>> exp_enclosure(Fraction(1), 20)  # 2**20 / e = 385749.96...
    (385749, 385750)
    >>> exp_enclosure(Fraction(1000), 64), exp_enclosure(0, 3)
    ((0, 1), (8, 8))
    """
    if x < 0 or bits < 0:
        raise ParameterError("exp_enclosure needs x >= 0 and bits >= 0")
    top, bottom = x.numerator, x.denominator
    if top == 0:
        return 1 << bits, 1 << bits
    if 10 * top >= 7 * bottom * bits:  # x >= 0.7 bits > bits ln 2
        return 0, 1
    guard = 32
    while True:
        value, error = _fixed_point(top, bottom, bits + guard)
        low = (value - error) >> guard
        if low == (value + error) >> guard:
            return low, low + 1
        guard *= 2  # 2^bits e^(-x) is irrational, so some precision tells it from an integer


@lru_cache(maxsize=64)
def growth(epsilon: Fraction) -> Fraction:
    """A lower bound on e^ε, as the inverse of an upper bound on e^-ε.

    >>> round(float(growth(Fraction(1))), 6)
    2.718282
    """
    bits = 128 + 2 * ceil(epsilon)
    return Fraction(1 << bits, exp_enclosure(epsilon, bits)[1])


def power_enclosure(x: Fraction, power: int, bits: int) -> tuple[int, int, int]:
    """``(low, high, exponent)`` with ``low <= 2**-exponent * exp(-x * power) <= high``, about ``bits`` bits long.

    For large powers: the work grows with ``x`` and with the length of ``power``, not with the power itself. Squares and
    products of an enclosure of ``exp(-x)`` are rounded outwards.

    >>> low, high, exponent = power_enclosure(Fraction(1), 1000, 64)  # e^-1000 = 2^-1442.69...
    >>> low.bit_length() + exponent, high - low <= 4
    (-1442, True)
    """
    if x < 0 or power < 0 or bits < 1:
        raise ParameterError("power_enclosure needs x >= 0, power >= 0 and bits >= 1")
    kept = bits + 2 * power.bit_length() + 8
    places = kept + int(2 * x) + 2  # e^(-x) >= 2^(-1.45 x)
    square = (*exp_enclosure(x, places), -places)
    found = (1, 1, 0)
    while power:
        if power & 1:
            found = _product(found, square, kept)
        square, power = _product(square, square, kept), power >> 1
    return _product(found, (1, 1, 0), bits)


def _product(a: tuple[int, int, int], b: tuple[int, int, int], bits: int) -> tuple[int, int, int]:
    """Two enclosures multiplied, and rounded outwards to so many bits."""
    low, high, exponent = a[0] * b[0], a[1] * b[1], a[2] + b[2]
    spare = max(0, low.bit_length() - bits)
    return low >> spare, -(-high >> spare), exponent + spare


def _fixed_point(top: int, bottom: int, bits: int) -> tuple[int, int]:
    """A value within ``error`` of ``2**bits * exp(-top / bottom)``."""
    halvings = (top // bottom).bit_length() + _HALVINGS
    one = 1 << bits
    argument = (top << bits) // (bottom << halvings)  # below 2^(bits - 8), rounded down
    total = term = one
    terms = 0
    while term:
        terms += 1
        term = (term * argument >> bits) // terms
        total += -term if terms & 1 else term
    error = 2 * terms + 4
    for _ in range(halvings):
        total = total * total >> bits
        error = 2 * error + (error * error >> bits) + 2
    return total, error
