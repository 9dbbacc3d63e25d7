"""A value of a frame as a text, by what it says and not by the type that other rows made of its column.

One row is enough to make floats of integers, decimals of two digits of whole ones, objects of truth values, time stamps
of dates. So there is one spelling for all numbers, that of the nearest double, and one for all moments.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from oracledp.data.schema.number_marks import NumberMarks
from oracledp.data.table.frame_values import UNHELD
from oracledp.data.table.midnights import MIDNIGHT

DIGITS = 1 << 64  # up to which whole numbers are written by their digits, beyond by an exponent
UTC = "+00:00"
_NOTHING = ("NAType", "NaTType")  # how pandas says that there is no value, besides None and NaN
_FINE = ("ms", "us", "ns")  # units of numpy's moments that say more than seconds
_DAY = len("2026-01-31")


def text_of(value: object, marks: NumberMarks) -> str | None:
    """The text, None where there is no value; numbers have these marks. Raises whatever the value does when asked."""
    if type(value) is str:
        return value
    nested = _plain(value)
    if isinstance(nested, list | tuple):
        return f"[{', '.join(_inner(part, marks) for part in nested)}]"
    if isinstance(nested, dict):  # a field that one row has is a field without a value in all others
        fields = {key: part for key, part in nested.items() if part is not None}
        return "{" + ", ".join(f"'{key}': {_inner(part, marks)}" for key, part in fields.items()) + "}"
    if isinstance(nested, complex | np.complexfloating):
        nested = nested.real if nested.imag == 0 else None  # one complex number makes complex ones of a whole column
    if nested is None or nested is UNHELD or type(nested).__name__ in _NOTHING or nested != nested:
        return None
    return _interval(nested, marks) if type(nested).__name__ == "Interval" else _single(nested, marks)


def _interval(value: Any, marks: NumberMarks) -> str:
    """Of pandas, whose ends are floats in a column with a gap."""
    ends = f"{_inner(value.left, marks)}, {_inner(value.right, marks)}"
    return f"{'[' if value.closed_left else '('}{ends}{']' if value.closed_right else ')'}"


def _inner(value: object, marks: NumberMarks) -> str:
    text = text_of(value, marks)
    return "NULL" if text is None else text


def _plain(value: Any) -> Any:
    """What numpy holds in types of its own that are neither numbers nor dates. Its arrays have no text."""
    if isinstance(value, np.ndarray):
        return None
    if isinstance(value, np.timedelta64) and value == value:
        return (value.astype("timedelta64[us]") if np.datetime_data(value.dtype)[0] == "ns" else value).item()
    return value


def _single(value: object, marks: NumberMarks) -> str | None:
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, Real | Decimal):
        return _number(float(value), marks)
    if isinstance(value, np.datetime64):
        seconds = np.datetime_data(value.dtype)[0] not in _FINE
        return _moment(str(value.astype("datetime64[s]") if seconds else value).replace("T", " "))
    if isinstance(value, timedelta):
        return _duration(value // timedelta(microseconds=1))
    if isinstance(value, date):
        return _moment(value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat())
    return str.__str__(str(value))  # not a text of a type of its own, which may fail where it is looked up


def _number(number: float, marks: NumberMarks) -> str:
    """Whole numbers have no decimals, and -0.0 is 0."""
    if abs(number) < DIGITS and number.is_integer():
        return f"{number + 0:.0f}"
    return marks.spelled(repr(number), grouped=False)


def _moment(text: str) -> str | None:
    """Without the fraction of a second unless a zone hides it, a midnight as its day; none in years beyond files."""
    day, _, clock = text.partition(" ")
    if len(day) != _DAY or day.startswith("-"):
        return None
    if clock.endswith(UTC):
        return text.removesuffix(UTC).partition(".")[0] + UTC
    zoned = "+" in clock or "-" in clock
    return text if zoned else text.partition(".")[0].removesuffix(MIDNIGHT)


def _duration(micros: int) -> str:
    """In the usual format of durations, by which they are told from texts such as 01:05:00."""
    seconds = abs(micros) // 1_000_000
    return "-" * (micros < 0) + f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
