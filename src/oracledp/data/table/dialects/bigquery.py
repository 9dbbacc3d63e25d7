"""BigQuery: written from its reference; there is no server to test it against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from oracledp.data.table.dialects.base import Dialect
from oracledp.data.table.values import Family

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"}


class BigQuery(Dialect):
    """``SAFE_CAST`` gives NULL where a cast would raise."""

    key: ClassVar[str] = "bigquery"
    title: ClassVar[str] = "BigQuery"
    safe_cast: ClassVar[str] = "SAFE_CAST"
    text_type: ClassVar[str] = "STRING"
    integer_type: ClassVar[str] = "INT64"
    float_type: ClassVar[str] = "FLOAT64"
    declared: ClassVar[bool] = True
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(("INT64", "INTEGER"), Family.INTEGERS),
        **dict.fromkeys(("FLOAT64", "FLOAT"), Family.FLOATS),
        **dict.fromkeys(("NUMERIC", "BIGNUMERIC"), Family.DECIMALS),
        "STRING": Family.TEXTS,
        **dict.fromkeys(("BOOL", "BOOLEAN"), Family.BOOLEANS),
    }

    def literal(self, text: str) -> str:
        """A literal must stand on one line."""
        return "'" + "".join(_ESCAPES.get(letter, letter) for letter in text) + "'"

    def name(self, text: str) -> str:
        """Names have the escapes of texts."""
        return "`" + text.replace("\\", "\\\\").replace("`", "\\`") + "`"

    def source(self, type_name: str, column: str) -> str:
        """Texts are compared byte by byte, whatever the column's collation."""
        cast = super().source(type_name, column)
        return f"COLLATE({cast}, '')" if self.family(type_name) is Family.TEXTS else cast

    def digest(self, text: str) -> str:
        """MD5 gives bytes here."""
        return f"TO_HEX(MD5({text}))"

    def matches(self, text: str, pattern: str) -> str:
        """RE2; the ends are those of the text."""
        return f"REGEXP_CONTAINS({text}, {self.literal(f'^({pattern})$')})"

    def whole_of_text(self, text: str) -> str:
        """Only sign and digits are left to the cast."""
        return self.clamped(f"SAFE_CAST(REGEXP_REPLACE({text}, '[ \t+]|[.]0*', '') AS BIGNUMERIC)")

    def number_of_text(self, text: str) -> str:
        """An infinite result stands for a text beyond all floats."""
        number = f"SAFE_CAST(TRIM({text}, ' \t') AS FLOAT64)"
        return f"CASE WHEN {self.is_finite(number)} THEN {number} END"

    def number_of_decimal(self, decimal: str) -> str:
        """Every decimal is within reach of a float."""
        return f"CAST({decimal} AS FLOAT64)"

    def days_of(self, day: str) -> str:
        """A difference of dates would be an interval here."""
        return f"UNIX_DATE(SAFE_CAST({day} AS DATE))"

    def is_nan(self, family: Family, number: str) -> str | None:
        """BigQuery's own word."""
        return f"IS_NAN({number})" if family is Family.FLOATS else None

    def whole_of_float(self, number: str) -> tuple[str, str]:
        """NaN passes through greatest and least here, so the cast must be a safe one."""
        condition, whole = super().whole_of_float(number)
        return condition.replace(whole, f"SAFE_{whole}"), f"SAFE_{whole}"

    def floor_of_float(self, number: str) -> str:
        """As safe, for the same reason."""
        return f"SAFE_{super().floor_of_float(number)}"
