"""Snowflake: written from its reference; there is no server to test it against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from oracledp.data.table.dialects.base import Dialect
from oracledp.data.table.values import Family

_ESCAPES = {"\\": "\\\\", "'": "''", "\n": "\\n", "\r": "\\r"}


class Snowflake(Dialect):
    """Integers are decimals of up to 38 digits here, which are read as digits where a type has no scale."""

    key: ClassVar[str] = "snowflake"
    title: ClassVar[str] = "Snowflake"
    safe_cast: ClassVar[str] = "TRY_CAST"
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(("FLOAT", "DOUBLE", "REAL"), Family.FLOATS),
        **dict.fromkeys(("NUMBER", "DECIMAL", "NUMERIC", "FIXED"), Family.DECIMALS),
        **dict.fromkeys(("VARCHAR", "TEXT", "STRING", "CHAR"), Family.TEXTS),
        "BOOLEAN": Family.BOOLEANS,
    }

    def literal(self, text: str) -> str:
        """A backslash begins an escape."""
        return "'" + "".join(_ESCAPES.get(letter, letter) for letter in text) + "'"

    def family(self, type_name: str) -> Family | None:
        """``NUMBER(38,0)``, ``NUMBER(9)`` and ``INTEGER`` hold whole numbers only."""
        base, _, arguments = type_name.upper().replace(" ", "").rstrip(")").partition("(")
        found = super().family(base)
        if base in ("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT"):
            return Family.TEXTS
        return Family.TEXTS if found is Family.DECIMALS and arguments.partition(",")[2] in ("", "0") else found

    def source(self, type_name: str, column: str) -> str:
        """Texts are compared byte by byte, whatever the column's collation."""
        cast = super().source(type_name, column)
        return f"COLLATE({cast}, '')" if self.family(type_name) is Family.TEXTS else cast

    def matches(self, text: str, pattern: str) -> str:
        """Always over the whole text."""
        return f"REGEXP_LIKE({text}, {self.literal(pattern)})"

    def whole_of_text(self, text: str) -> str:
        """Only sign and digits are left to the cast."""
        return self.clamped(f"TRY_TO_NUMBER(REGEXP_REPLACE({text}, '[ \t+]|[.]0*', ''), 38, 0)")

    def number_of_text(self, text: str) -> str:
        """An infinite result stands for a text beyond all floats."""
        number = f"TRY_TO_DOUBLE(TRIM({text}, ' \t'))"
        return f"CASE WHEN {self.is_finite(number)} THEN {number} END"

    def number_of_decimal(self, decimal: str) -> str:
        """Through text, where the nearest float is sought."""
        return f"TO_DOUBLE(CAST({decimal} AS VARCHAR))"

    def whole_of_decimal(self, decimal: str) -> str:
        """Brought to scale 0, so that the bounds fit beside it."""
        return self.clamped(f"CAST({decimal} AS NUMBER(38, 0))")

    def days_of(self, day: str) -> str:
        """With the format, since a cast would follow the session's."""
        return f"TRY_TO_DATE({day}, 'YYYY-MM-DD') - CAST('1970-01-01' AS DATE)"

    def is_nan(self, family: Family, number: str) -> str | None:
        """NaN equals itself."""
        return f"{number} = CAST('NaN' AS DOUBLE)" if family is Family.FLOATS else None
