"""PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import ClassVar

from oracledp.data.table.dialects.base import Dialect
from oracledp.data.table.values import Family

_BEYOND = 2**1024 - 2**970  # rounds up to infinity, and everything larger


def _nothing() -> str:
    """The largest number that rounds to zero: 2^-1075, exactly."""
    with localcontext(prec=1100):
        return str(Decimal(2) ** -1075)


class PostgreSQL(Dialect):
    """No cast fails softly here, so texts go through ``numeric``, which holds every text that our patterns pass."""

    key: ClassVar[str] = "postgresql"
    title: ClassVar[str] = "PostgreSQL"
    text_type: ClassVar[str] = "TEXT"
    float_type: ClassVar[str] = "DOUBLE PRECISION"
    declared: ClassVar[bool] = True
    families: ClassVar[Mapping[str, Family]] = {
        **dict.fromkeys(("SMALLINT", "INTEGER", "BIGINT"), Family.INTEGERS),
        **dict.fromkeys(("REAL", "DOUBLE PRECISION"), Family.FLOATS),
        "NUMERIC": Family.DECIMALS,
        **dict.fromkeys(("TEXT", "CHARACTER VARYING", "CHARACTER", "NAME", '"CHAR"', "ENUM", "CITEXT"), Family.TEXTS),
        "BOOLEAN": Family.BOOLEANS,
    }
    fence: ClassVar[str] = " OFFSET 0"  # or the planner would read a text anew at each comparison

    def literal(self, text: str) -> str:
        """The form in which a backslash means the same whatever the server's settings."""
        quoted = text.replace("'", "''")
        return "E'" + quoted.replace("\\", "\\\\") + "'" if "\\" in text else f"'{quoted}'"

    def source(self, type_name: str, column: str) -> str:
        """Texts are compared byte by byte, whatever the column's collation."""
        cast = super().source(type_name, column)
        return f'{cast} COLLATE "C"' if self.family(type_name) is Family.TEXTS else cast

    def digest(self, text: str) -> str:
        """Sorted byte by byte, whatever the database's collation."""
        return f'{super().digest(text)} COLLATE "C"'

    def matches(self, text: str, pattern: str) -> str:
        """The ends are those of the text, not of a line."""
        return f"{text} ~ {self.literal(f'^({pattern})$')}"

    def whole_of_text(self, text: str) -> str:
        """Only sign and digits are left to the cast."""
        return self.clamped(f"CAST(regexp_replace({text}, '[ \t+]|[.]0*', '', 'g') AS NUMERIC)")

    def number_of_text(self, text: str) -> str:
        """Exact as ``numeric`` first."""
        return self.number_of_decimal(f"CAST({text} AS NUMERIC)")

    def number_of_decimal(self, decimal: str) -> str:
        """A cast to a float raises where it would give infinity or zero, so these are told apart before."""
        size = f"abs({decimal})"
        return (
            f"CASE WHEN {size} < {_BEYOND} THEN CASE WHEN {size} <= {_nothing()} THEN {self.number(0.0)}"
            f" ELSE CAST({decimal} AS {self.float_type}) END END"
        )

    def is_whole(self, decimal: str) -> str:
        """NaN and infinity are equal to their whole parts."""
        return f"{self.is_finite_decimal(decimal)} AND {decimal} = trunc({decimal})"

    def is_finite_decimal(self, decimal: str) -> str:
        """NaN and infinity do not give zero when taken from themselves."""
        return f"{decimal} - {decimal} = 0"

    def as_text(self, whole: str) -> str:
        """Compared byte by byte, whatever the database's collation."""
        return f'{super().as_text(whole)} COLLATE "C"'

    def is_nan(self, family: Family, number: str) -> str | None:
        """NaN equals itself; ``numeric`` has it too."""
        return f"{number} = 'NaN'" if family in (Family.FLOATS, Family.DECIMALS) else None
