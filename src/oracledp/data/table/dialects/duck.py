"""DuckDB."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from oracledp.data.schema.durations import Duration
from oracledp.data.schema.moments import Moment
from oracledp.data.table.dialects.base import Dialect
from oracledp.data.table.values import Family

_DIGITS = 38  # that the widest decimals have
_WIDEST = re.compile(rf"DECIMAL\({_DIGITS},([0-9]+)\)")
_CALENDAR = {  # the last days, and moments of these, that have four digits for a year
    "DATE": "9999-12-31",
    "TIMESTAMP": "9999-12-31 23:59:59.999999",
    **dict.fromkeys(("TIMESTAMP_S", "TIMESTAMP_MS"), "9999-12-31 23:59:59"),
}
ZONED = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")  # instants: the zone itself is not stored
_AS_TEXT = ("UBIGINT", "HUGEINT", "UHUGEINT", "ENUM")  # integers that a BIGINT may not hold are read as digits


class DuckDB(Dialect):
    """Casts that fail give NULL here; whole numbers stay 128 bits wide and need no clamp."""

    key: ClassVar[str] = "duckdb"
    title: ClassVar[str] = "DuckDB"
    safe_cast: ClassVar[str] = "TRY_CAST"
    stamps: ClassVar[tuple[str, ...]] = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", *ZONED)
    spans: ClassVar[tuple[str, ...]] = ("INTERVAL",)
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", '"NULL"'), Family.INTEGERS),
        **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER"), Family.INTEGERS),
        **dict.fromkeys(("FLOAT", "DOUBLE"), Family.FLOATS),
        **dict.fromkeys(("DECIMAL", "NUMERIC"), Family.DECIMALS),
        **dict.fromkeys(("VARCHAR", *_AS_TEXT), Family.TEXTS),
        "BOOLEAN": Family.BOOLEANS,
    }

    def source(self, type_name: str, column: str) -> str:
        """Only what is stored otherwise needs a cast."""
        return f"CAST({column} AS VARCHAR)" if type_name.split("(")[0] in _AS_TEXT else self.held(type_name, column)

    def held(self, type_name: str, value: str) -> str:
        """A value that DuckDB computes with: a date beyond all calendars would stop it, as would too wide a decimal."""
        digits = _WIDEST.fullmatch(type_name)
        if type_name in ZONED:
            return self.held("TIMESTAMP", self.in_utc(value))
        if digits is not None:
            most = f"{'9' * (_DIGITS - int(digits[1]))}.{'9' * int(digits[1])}"
            ends = (f"-{most}", most)
        elif type_name in _CALENDAR:
            ends = ("0001-01-01", _CALENDAR[type_name])
        else:
            return value
        first, last = (f"CAST('{end}' AS {type_name})" for end in ends)
        return f"CASE WHEN {value} BETWEEN {first} AND {last} THEN {value} END"

    def in_utc(self, instant: str) -> str:
        """Without the zone of whoever asks, and without the extension that knows zones; NULL for infinity."""
        return f"make_timestamp(epoch_us(CAST({instant} AS {ZONED[0]})))"

    def code_type(self, span: int) -> str:
        """The smallest type: what is grouped by should be narrow."""
        return "UTINYINT" if span <= 256 else "USMALLINT"

    def matches(self, text: str, pattern: str) -> str:
        """RE2 over the whole text."""
        return f"regexp_full_match({text}, {self.literal(pattern)})"

    def moment_of_text(self, text: str, column: Moment) -> str:
        """Read at once, which is several times as fast as part by part."""
        if isinstance(column, Duration) or not column.spelled.plain:
            return super().moment_of_text(text, column)
        seconds = f"CAST(epoch(TRY_STRPTIME(trim({text}), {self.literal(column.format.strip(' '))})) AS BIGINT)"
        return f"{seconds} // 86400" if column.kind == "date" else seconds

    def moment_of_stamp(self, stamp: str, column: Moment) -> str:
        """Rounded down to whole days or seconds."""
        if isinstance(column, Duration):
            micros = f"epoch_us({stamp})"
            return f"({micros} - CASE WHEN {micros} < 0 THEN 999999 ELSE 0 END) // 1000000"
        seconds = f"CAST(epoch(date_trunc('second', {stamp})) AS BIGINT)"  # whole, so that no float is rounded
        days = f"date_diff('day', DATE '1970-01-01', CAST({stamp} AS DATE))"
        return f"CASE WHEN isfinite({stamp}) THEN {days if column.kind == 'date' else seconds} END"

    def whole_of_text(self, text: str) -> str:
        """38 digits are what a 128-bit integer always holds."""
        return f"TRY_CAST({text} AS HUGEINT)"

    def number_of_text(self, text: str) -> str:
        """An infinite result stands for a text beyond all floats."""
        number = f"TRY_CAST({text} AS DOUBLE)"
        return f"CASE WHEN isfinite({number}) THEN {number} END"

    def number_of_decimal(self, decimal: str) -> str:
        """Through text: a direct cast may be off by one in the last place."""
        return f"CAST(CAST({decimal} AS VARCHAR) AS DOUBLE)"

    def whole_of_decimal(self, decimal: str) -> str:
        """Wide enough for every decimal."""
        return f"CAST({decimal} AS HUGEINT)"

    def is_finite(self, number: str) -> str:
        """DuckDB has a word for it."""
        return f"isfinite({number})"

    def is_nan(self, family: Family, number: str) -> str | None:
        """Not by ``isnan``: where a Parquet file states bounds, which leave out NaN, DuckDB takes that for false."""
        return f"(NOT isfinite({number}) AND NOT isinf({number}))" if family is Family.FLOATS else None

    def look_up(self, value: str, codes: Mapping[Any, int], unlisted: int) -> str:
        """An enumeration is a hash table: faster than halving."""
        listed = self._listed(str(key) for key in codes)
        return f"coalesce(enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS ENUM{listed})), {unlisted})"

    def _listed(self, words: Iterable[str]) -> str:
        return "(" + ", ".join(map(self.literal, words)) + ")"
