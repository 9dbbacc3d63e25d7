"""Outward-rounded real arithmetic on integers: every result encloses the true one. No floating point."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure

BITS = 256  # bounds are integers in units of 2^-BITS
ONE = 1 << BITS
FURTHEST = 12  # beyond so many deviations the tail is below e^-72, and only that is said of it

Number = int | Fraction


def _ceil_div(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)


@dataclass(frozen=True)
class Interval:
    """A closed interval that holds a real number, with ends that are multiples of 2^-256.

    >>> e = Interval.of(1).exp()
    >>> float(e.upper), e.upper - e.lower < Fraction(1, 10**60)
    (2.718281828459045, True)
    """

    low: int
    high: int

    @classmethod
    def of(cls, number: Number) -> Interval:
        """The tightest enclosure of a rational number."""
        value = Fraction(number)
        scaled = value.numerator << BITS
        return cls(scaled // value.denominator, _ceil_div(scaled, value.denominator))

    @property
    def lower(self) -> Fraction:
        """An exact lower bound."""
        return Fraction(self.low, ONE)

    @property
    def upper(self) -> Fraction:
        """An exact upper bound."""
        return Fraction(self.high, ONE)

    def __add__(self, other: Interval | Number) -> Interval:
        right = _interval(other)
        return Interval(self.low + right.low, self.high + right.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval | Number) -> Interval:
        return self + -_interval(other)

    def __mul__(self, other: Interval | Number) -> Interval:
        right = _interval(other)
        products = [a * b for a in (self.low, self.high) for b in (right.low, right.high)]
        return Interval(min(products) >> BITS, _ceil_div(max(products), ONE))

    def __truediv__(self, other: Interval | Number) -> Interval:
        right = _interval(other)
        if right.low <= 0 <= right.high:
            raise ParameterError("division by an interval that holds zero")
        pairs = [(a << BITS, b) for a in (self.low, self.high) for b in (right.low, right.high)]
        return Interval(min(a // b for a, b in pairs), max(_ceil_div(a, b) for a, b in pairs))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Number) -> Interval:
        return -self + other

    def __rtruediv__(self, other: Number) -> Interval:
        return _interval(other) / self

    def exp(self) -> Interval:
        """e^x."""
        return Interval(_exp(self.low)[0], _exp(self.high)[1])

    def log(self) -> Interval:
        """ln x, for positive x."""
        return Interval(_log(self.low)[0], _log(self.high)[1])

    def sqrt(self) -> Interval:
        """The square root; a lower end below zero counts as zero."""
        low, high = (isqrt(max(end, 0) << BITS) for end in (self.low, self.high))
        return Interval(low, high + 1)

    def maximum(self, other: Interval) -> Interval:
        """The greater of two numbers."""
        return Interval(max(self.low, other.low), max(self.high, other.high))


def _interval(value: Interval | Number) -> Interval:
    return value if isinstance(value, Interval) else Interval.of(value)


def _exp(x: int) -> tuple[int, int]:
    """Bounds of e^(x/2^BITS), in the same units."""
    if x <= 0:
        return exp_enclosure(Fraction(-x, ONE), BITS)
    bits = BITS + 2 * (x >> BITS) + 8  # e^-x has that many leading zeros at most, so BITS of it are kept
    low, high = exp_enclosure(Fraction(x, ONE), bits)
    return (1 << (bits + BITS)) // high, _ceil_div(1 << (bits + BITS), low)


def _log(x: int) -> tuple[int, int]:
    """Bounds of ln(x/2^BITS), in the same units, for x > 0."""
    if x <= 0:
        raise ParameterError("the logarithm of a number that may not be positive")
    shift = x.bit_length() - 1 - BITS
    low, high = _log_mantissa(Fraction(x, 1 << (x.bit_length() - 1)))
    two_low, two_high = _log_two()
    products = (shift * two_low, shift * two_high)
    return low + min(products), high + max(products)


@cache
def _log_two() -> tuple[int, int]:
    return _log_mantissa(Fraction(2))


def _log_mantissa(m: Fraction) -> tuple[int, int]:
    """Bounds of ln m for 1 <= m <= 2: twice the series of artanh z, z = (m-1)/(m+1) <= 1/3."""
    bits = BITS + 16
    z = (m - 1) / (m + 1)
    low, high = (z.numerator << bits) // z.denominator, _ceil_div(z.numerator << bits, z.denominator)
    square_low, square_high = low * low >> bits, _ceil_div(high * high, 1 << bits)
    lower = upper = 0
    index = 1
    while high > 1:
        lower, upper = lower + low // index, upper + _ceil_div(high, index)
        low, high = low * square_low >> bits, _ceil_div(high * square_high, 1 << bits)
        index += 2
    upper += 2 * high  # the rest is a geometric series with ratio at most 1/9
    return (2 * lower) >> (bits - BITS), _ceil_div(2 * upper, 1 << (bits - BITS))


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
