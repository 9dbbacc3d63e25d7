"""What a text looks like: a whole number, a number with so many decimals, a date, or just a text."""

from __future__ import annotations

import re
from fractions import Fraction

from oracledp.data.schema.moments import Date, Timestamp

MOST_DECIMALS = 6
KINDS = (
    "missing",
    *(f"{digits} decimals" for digits in range(MOST_DECIMALS + 1)),
    "date",
    "text",
    "0 or 1",
    "time stamp",
)
MISSING, WHOLE, DATE, TEXT, BIT, STAMP = 0, 1, *range(MOST_DECIMALS + 2, MOST_DECIMALS + 6)

_NUMBER = re.compile(r"[ \t]*([+-]?)(0|[1-9][0-9]{0,14})?(?:[.]([0-9]*))?(?:[eE]([+-]?[0-9]{1,2}))?[ \t]*")
_MOMENTS = {DATE: Date(name="date", lo=0, hi=1), STAMP: Timestamp(name="time stamp", lo=0, hi=1)}
_NOTHING = re.compile(r"[ \t]*(nan|NaN|NA|N/A|null|NULL|None|[?])?[ \t]*")


def kind_of(text: str | None) -> int:
    """The place in :data:`KINDS`. Numbers that begin with idle zeros are texts: they are codes, not quantities.

    >>> [KINDS[kind_of(text)] for text in ("12", "-0.50", "2026-01-31", "007", "", "cook")]
    ['0 decimals', '1 decimals', 'date', 'text', 'missing', 'text']
    """
    if text is None or _NOTHING.fullmatch(text):
        return MISSING
    if text in ("0", "1"):
        return BIT
    value = number_of(text)
    if value is not None:
        return WHOLE + decimals(value)
    return next((kind for kind, column in _MOMENTS.items() if column.count_of(text) is not None), TEXT)


def year_of(text: str | None) -> int | None:
    """The year of a date or time stamp."""
    return int(text.strip()[:4]) if text is not None and kind_of(text) in _MOMENTS else None


def number_of(text: str | None) -> Fraction | None:
    """The number that a text says, of a size and precision that a column can have."""
    found = None if text is None else _NUMBER.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        return None
    value = Fraction(f"{found[1]}{found[2] or '0'}.{found[3] or '0'}") * Fraction(10) ** int(found[4] or 0)
    return value if abs(value) < 10**15 else None


def decimals(value: Fraction) -> int:
    """How many decimals a number has, up to :data:`MOST_DECIMALS`.

    >>> decimals(Fraction(1, 4)), decimals(Fraction(1, 3))
    (2, 6)
    """
    scaled = (digits for digits in range(MOST_DECIMALS) if (value * 10**digits).denominator == 1)
    return next(scaled, MOST_DECIMALS)
