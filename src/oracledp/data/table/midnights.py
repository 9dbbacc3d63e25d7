"""Midnights among the texts of typed sources: spelled as their day alone, and read as a time stamp where one is due.

A column of dates becomes one of time stamps, all at midnight, once a single row holds a time stamp: so by the value
alone a date and its midnight cannot be told apart, and no other row may be spelled otherwise for that one.
"""

from __future__ import annotations

from oracledp.data.schema import Column
from oracledp.data.schema.moments import Timestamp
from oracledp.data.table.sql import DUCKDB

MIDNIGHT = " 00:00:00"
_DAY = len("2026-01-31")


def due(column: Column) -> bool:
    """Whether a column reads time stamps as typed sources spell them."""
    return isinstance(column, Timestamp) and column.format == Timestamp.usual


def timed(text: str | None) -> str | None:
    """A bare day as its midnight; any other text as it is, or as one that is no time stamp either.

    >>> timed("2026-01-31"), timed("2026-01-31 05:00:00")
    ('2026-01-31 00:00:00', '2026-01-31 05:00:00')
    """
    return text + MIDNIGHT if text is not None and len(text) == _DAY else text


def timed_in_sql(text: str) -> str:
    """The same as SQL."""
    return f"CASE WHEN length({text}) = {_DAY} THEN {text} || {DUCKDB.literal(MIDNIGHT)} ELSE {text} END"


def day_in_sql(text: str) -> str:
    """A midnight as its day; any other text as it is."""
    return f"CASE WHEN suffix({text}, {DUCKDB.literal(MIDNIGHT)}) THEN left({text}, -{len(MIDNIGHT)}) ELSE {text} END"
