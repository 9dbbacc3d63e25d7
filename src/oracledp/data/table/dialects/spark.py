"""Spark SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from oracledp.data.table.dialects.base import Dialect
from oracledp.data.table.values import Family


class Spark(Dialect):
    """``try_cast`` gives NULL in every mode, also where casts raise by default."""

    key: ClassVar[str] = "spark"
    title: ClassVar[str] = "Spark"
    safe_cast: ClassVar[str] = "try_cast"
    text_type: ClassVar[str] = "STRING"
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT", "VOID"), Family.INTEGERS),
        **dict.fromkeys(("FLOAT", "DOUBLE"), Family.FLOATS),
        "DECIMAL": Family.DECIMALS,
        **dict.fromkeys(("STRING", "VARCHAR", "CHAR"), Family.TEXTS),
        "BOOLEAN": Family.BOOLEANS,
    }

    def family(self, type_name: str) -> Family | None:
        """The type without its collation."""
        return super().family(type_name.upper().split(" COLLATE ")[0])

    def source(self, type_name: str, column: str) -> str:
        """Texts are compared byte by byte, whatever the column's collation."""
        cast = super().source(type_name, column)
        return f"{cast} COLLATE UTF8_BINARY" if "collate" in type_name else cast

    def literal(self, text: str) -> str:
        """As bytes where a setting of the session could change the meaning."""
        return f"CAST(X'{text.encode().hex()}' AS STRING)" if set(text) & set("\\'") else f"'{text}'"

    def name(self, text: str) -> str:
        """Backquotes mean a name in every mode."""
        return "`" + text.replace("`", "``") + "`"

    def matches(self, text: str, pattern: str) -> str:
        """Java's ``$`` would also match before a last line break."""
        return f"{text} RLIKE {self.literal(f'^({pattern})' + chr(92) + 'z')}"

    def whole_of_text(self, text: str) -> str:
        """Only sign and digits are left to the cast."""
        return self.clamped(f"try_cast(regexp_replace({text}, '[ \t+]|[.]0*', '') AS DECIMAL(38, 0))")

    def number_of_text(self, text: str) -> str:
        """An infinite result stands for a text beyond all floats."""
        number = f"try_cast({text} AS DOUBLE)"
        return f"CASE WHEN {self.is_finite(number)} THEN {number} END"

    def number_of_decimal(self, decimal: str) -> str:
        """Java rounds correctly."""
        return f"CAST({decimal} AS DOUBLE)"

    def days_of(self, day: str) -> str:
        """A difference of dates would be an interval here."""
        return f"unix_date(try_cast({day} AS DATE))"

    def is_whole(self, decimal: str) -> str:
        """By the remainder: a comparison with a decimal of another scale would round both."""
        return f"{decimal} % 1 = 0"

    def whole_of_decimal(self, decimal: str) -> str:
        """Brought to scale 0 first, for the same reason."""
        return self.clamped(f"CAST({decimal} AS DECIMAL(38, 0))")
