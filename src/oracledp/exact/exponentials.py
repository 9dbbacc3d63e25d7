"""The exponential function in integers: two neighbours between which 2^bits e^(-x) lies, for rational x."""

from __future__ import annotations

from fractions import Fraction

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
