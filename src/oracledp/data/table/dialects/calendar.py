"""Moments held as texts, counted by expressions that mean the same on every engine.

Engines' own words for dates in some format differ in what they accept, and some raise at the 30th of February. So only
the column's pattern decides: a text that matches it is on the calendar and has its digits at fixed places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracledp.data.schema.durations import Duration
from oracledp.data.schema.moment_formats import MONTHS
from oracledp.data.schema.moments import Moment

if TYPE_CHECKING:
    from oracledp.data.table.dialects.base import Dialect

_CLOCK = (3600, 60, 1)  # seconds of an hour, a minute and a second


def moment_in_parts(dialect: Dialect, text: str, column: Moment) -> str:
    """The units since 1970 that a text says which matches the column's pattern.

    >>> from oracledp.data.schema.moments import Date
    >>> from oracledp.data.table.dialects import Spark
    >>> moment_in_parts(Spark(), "born", Date(name="born", lo=0, hi=9, format="%d.%m.%Y"))  # doctest: +ELLIPSIS
    "CAST(unix_date(try_cast(substr(trim(born), 7, 4) || '-' || substr(trim(born), 4, 2) || '-' || ..."
    """
    if isinstance(column, Duration):
        return _seconds(dialect, text, column)
    spelled = column.spelled
    parts = {part: _part(text, _from_start(text, start), length) for part, (start, length) in spelled.places.items()}
    month = _named_month(dialect, text) if spelled.names_months else parts["%m"]
    day = _two_digits(dialect, parts["%d"], spelled.day_beside) if spelled.day_beside else parts["%d"]
    since = dialect.days_of(f"{parts['%Y']} || '-' || {month} || '-' || {day}")
    days = f"CAST({since} AS {dialect.integer_type})"  # seconds go beyond the 32 bits in which engines count days
    clock = [parts[part] for part in ("%H", "%M", "%S") if part in parts]
    if not clock:
        return days
    return " + ".join([f"{days} * 86400", *_weighed(dialect, clock, _CLOCK[: len(clock)])])


def _from_start(text: str, place: int) -> int | str:
    return place if place > 0 else f"length(trim({text})) - {-place - 1}"


def _named_month(dialect: Dialect, text: str) -> str:
    """The number of the month of which a text holds the first three letters; no name has those of another."""
    named = enumerate(MONTHS, start=1)
    cases = [f"WHEN {text} LIKE {dialect.literal(f'%{name[:3]}%')} THEN '{number:02}'" for number, name in named]
    return f"CASE {' '.join(cases)} END"


def _two_digits(dialect: Dialect, day: str, beside: str) -> str:
    """A day of which the separator beside it may be a part."""
    bare = f"replace({day}, {dialect.literal(beside)}, '')"
    return f"CASE WHEN length({bare}) = 1 THEN '0' || {bare} ELSE {bare} END"


def _part(text: str, place: int | str, length: int | str) -> str:
    return f"substr(trim({text}), {place}, {length})"


def _weighed(dialect: Dialect, parts: list[str], seconds: tuple[int, ...]) -> list[str]:
    """The seconds that each part says."""
    numbers = [f"{dialect.safe_cast}({part} AS {dialect.integer_type})" for part in parts]
    return [f"{number} * {scale}" for number, scale in zip(numbers, seconds, strict=True)]


def _seconds(dialect: Dialect, text: str, column: Duration) -> str:
    """Parts from the end, where each has two digits; the first has the rest."""
    size, later = f"length(trim({text}))", len(column.scales) - 1
    first = _part(text, 1, f"{size} - {3 * later}")
    rest = [_part(text, f"{size} - {3 * (later - index) - 2}", 2) for index in range(later)]
    return " + ".join(_weighed(dialect, [first, *rest], column.scales))
