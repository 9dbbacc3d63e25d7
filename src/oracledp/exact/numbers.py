"""The one way a number enters: its type, size and range are checked before anything is computed with it.

What comes out is made of Python's own integers, which never wrap: numpy's would, inside a Fraction too. Nothing here
takes long, whatever is passed: digits and exponents are bounded before they are converted.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, SupportsIndex

import numpy as np

from oracledp.errors import ParameterError

Exact = str | int | float | Fraction | Decimal

MOST_DIGITS = 400  # of a numerator or a denominator; every double has fewer
_MOST_TEXT = 2 * MOST_DIGITS + 10
_MOST_BITS = 1330  # 2^1330 is a little more than 10^400
_SHOWN = 40  # characters of a refused value that a message repeats

MOST_SEED = (1 << 128) - 1
MOST_CALLS = 10**15  # of an oracle
MOST_SAMPLED = 10**9  # rows in one sample
MOST_PARTS = 1000  # literals, rules or weights of a query

# What the mechanisms bear: far below, noise leaves 64-bit integers; far above, exact exponentials take hours.
RANGES: dict[str, tuple[Fraction, Fraction]] = {
    "epsilon": (Fraction(1, 10**6), Fraction(10**4)),
    "delta": (Fraction(1, 10**300), Fraction(1)),
    "subsample": (Fraction(1, 10**6), Fraction(1)),
    "target_error": (Fraction(1, 10**9), Fraction(1)),
    "class_weight": (Fraction(1, 10**9), Fraction(10**9)),
    "weight": (Fraction(1, 10**6), Fraction(10**6)),
    "perturbation": (Fraction(1, 10**9), Fraction(10**9)),
}


def exact(value: Exact, name: str) -> Fraction:
    """Read a number exactly: ``"0.1"``, ``"1/3"``, an int, a Fraction, a Decimal, a float through its decimal repr.

    Numpy's scalars are read as the Python numbers that they look like.

    >>> exact("0.1", "epsilon"), exact(np.float32(0.1), "epsilon"), exact("1/3", "epsilon")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    >>> exact("1e999999999", "epsilon")
    Traceback (most recent call last):
    oracledp.errors.ParameterError: epsilon has too many digits: 400 are the most, got 1e999999999
    """
    if isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be a number, got bool")
    if isinstance(value, str):
        return _from_text(value, name)
    if isinstance(value, float | np.floating):
        return _from_text(str(value), name)
    if isinstance(value, Decimal):
        return _from_decimal(value, name)
    if isinstance(value, Rational):
        return _from_rational(value, name)
    raise ParameterError(f"{name} must be a number, got {type(value).__name__}")


def positive(value: Exact, name: str) -> Fraction:
    """Read a number that must be greater than zero, exactly, and in the range of its name where it has one."""
    number = exact(value, name)
    if number <= 0:
        raise ParameterError(f"{name} must be greater than 0, got {_shown(value)}")
    least, most = RANGES.get(name, (number, number))
    if not least <= number <= most:
        raise ParameterError(f"{name} must lie between {float(least):g} and {float(most):g}, got {_shown(value)}")
    return number


def probability(value: Exact, name: str, *, zero: bool = False) -> Fraction:
    """Read a probability in (0, 1), or in [0, 1) with ``zero=True``, exactly."""
    number = exact(value, name)
    if number >= 1 or number < 0 or (number == 0 and not zero):
        raise ParameterError(f"{name} must lie in {'[0, 1)' if zero else '(0, 1)'}, got {_shown(value)}")
    least, _ = RANGES["delta"]
    if 0 < number < least:
        raise ParameterError(f"{name} must be at least {float(least):g}, got {_shown(value)}")
    return number


def whole(value: Any, name: str, *, least: int = 1, most: int) -> int:
    """Read an integer of a range: Python's or numpy's, no float that happens to be whole, no bool.

    >>> whole(np.int64(7), "rounds", most=1000)
    7
    """
    kind = {0: "a non-negative integer", 1: "a positive integer"}.get(least, f"an integer of at least {least}")
    if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex) or isinstance(value, np.ndarray):
        raise ParameterError(f"{name} must be {kind}, got {type(value).__name__}")
    number = value.__index__()
    if number < least:
        raise ParameterError(f"{name} must be {kind}, got {_shown(number)}")
    if number > most:
        raise ParameterError(f"{name} must be at most {most:,}, got {_shown(number)}")
    return number


def whole_or_none(value: Any, name: str, *, least: int = 1, most: int) -> int | None:
    """The same for a number that may be left out."""
    return None if value is None else whole(value, name, least=least, most=most)


def show(number: Fraction) -> str:
    """A fraction as a short decimal when that is exact, as a ratio otherwise.

    >>> show(Fraction(1, 10)), show(Fraction(1, 3)), show(Fraction(1, 10**6))
    ('0.1', '1/3', '1e-06')
    """
    as_float = float(number)
    text = f"{as_float:g}"
    return text if Fraction(text) == number else str(number)


def _from_text(text: str, name: str) -> Fraction:
    exponent = text.lower().partition("e")[2].strip()
    long_exponent = len(exponent.lstrip("+-").replace("_", "").lstrip("0")) > 3
    if len(text) > _MOST_TEXT or (long_exponent and exponent.lstrip("+-").replace("_", "").isdigit()):
        raise _too_long(text, name)
    try:
        return _short(Fraction(text), text, name)
    except (ValueError, ZeroDivisionError):
        raise ParameterError(f"{name} must be a finite number such as '0.1' or '1/3', got {_shown(text)}") from None


def _from_decimal(value: Decimal, name: str) -> Fraction:
    if not value.is_finite():
        raise ParameterError(f"{name} must be a finite number such as '0.1' or '1/3', got {value}")
    _, digits, exponent = value.as_tuple()
    if len(digits) > MOST_DIGITS or abs(int(exponent)) > 2 * MOST_DIGITS:
        raise _too_long(value, name)
    return _short(Fraction(value), value, name)


def _from_rational(value: Rational, name: str) -> Fraction:
    return _short(Fraction(int(value.numerator), int(value.denominator)), value, name)


def _short(number: Fraction, given: object, name: str) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) >= _MOST_BITS:
        raise _too_long(given, name)
    return number


def _too_long(value: object, name: str) -> ParameterError:
    return ParameterError(f"{name} has too many digits: {MOST_DIGITS} are the most, got {_shown(value)}")


def _shown(value: object) -> str:
    """A value as a message repeats it: never long, whatever it is."""
    if isinstance(value, Rational) and max(abs(int(value.numerator)), int(value.denominator)) >> 512:
        return "a number of hundreds of digits"
    text = str(value)
    return repr(text)[1:-1] if len(text) <= _SHOWN else f"{repr(text[:_SHOWN])[1:-1]}..."
