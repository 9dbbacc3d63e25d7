"""What encoding needs of an SQL engine. Every expression here gives NULL for a bad value and never raises:
an engine's own message would show it.

The standard leaves open what matters for equal tables: whether NaN equals itself, how a float becomes an
integer, what a cast from text accepts, which texts are equal. So no expression relies on any of these; the
few places where engines must be asked in their own words are the methods below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from oracledp.data.schema.moments import Moment
from oracledp.data.schema.ordered import REACH
from oracledp.data.table.dialects.calendar import moment_in_parts
from oracledp.data.table.values import Family

_LINEAR = 8  # listed values that are tried one after the other
_GREATEST = float.fromhex("0x1.fffffffffffffp+1023")


class Dialect(ABC):
    """The words of one engine. Types are named as the engine names them, in upper case."""

    key: ClassVar[str]
    title: ClassVar[str]
    families: ClassVar[Mapping[str, Family]]
    text_type: ClassVar[str] = "VARCHAR"
    integer_type: ClassVar[str] = "BIGINT"
    float_type: ClassVar[str] = "DOUBLE"
    safe_cast: ClassVar[str] = "CAST"  # the cast that gives NULL where another would raise, if there is one
    fence: ClassVar[str] = ""  # ends a subquery whose expressions must not be copied into the outer one
    stamps: ClassVar[tuple[str, ...]] = ()  # the types of dates and time stamps that columns of moments are read from
    spans: ClassVar[tuple[str, ...]] = ()  # the types that columns of durations are read from
    declared: ClassVar[bool] = False  # whether somebody declared a column's type, so that it does not follow the values

    # ---- words -----------------------------------------------------------------------------------
    def literal(self, text: str) -> str:
        """A text as an SQL literal."""
        return "'" + text.replace("'", "''") + "'"

    def name(self, text: str) -> str:
        """A column's name as an SQL identifier."""
        return '"' + text.replace('"', '""') + '"'

    def number(self, number: float) -> str:
        """A 64-bit float as a constant of exactly its value."""
        return f"CAST('{number!r}' AS {self.float_type})"

    def integer(self, number: int) -> str:
        """A whole number as a constant."""
        return f"CAST({number} AS {self.integer_type})"

    def digest(self, text: str) -> str:
        """The MD5 of a text as hexadecimal digits, which sort byte by byte."""
        return f"md5({text})"

    # ---- types -----------------------------------------------------------------------------------
    def family(self, type_name: str) -> Family | None:
        """How a type stores values; None where it is not supported."""
        return self.families.get(type_name.upper().split("(")[0].strip())

    def source(self, type_name: str, column: str) -> str:
        """A column as a text or a 64-bit float where it is of these families, else as it is."""
        kinds = {Family.TEXTS: self.text_type, Family.FLOATS: self.float_type}
        family = self.family(type_name)
        return f"CAST({column} AS {kinds[family]})" if family in kinds else column

    def code_type(self, span: int) -> str:
        """A type that holds that many codes."""
        return self.integer_type

    def moment_of_stamp(self, stamp: str, column: Moment) -> str:
        """The days or seconds since 1970 of one of ``stamps`` or ``spans``; NULL for what is on no calendar."""
        raise NotImplementedError(f"{self.title} has no such types")

    # ---- values ----------------------------------------------------------------------------------
    @abstractmethod
    def matches(self, text: str, pattern: str) -> str:
        """Whether a pattern of ``values`` matches the whole text."""

    @abstractmethod
    def whole_of_text(self, text: str) -> str:
        """The whole number that a text says which is known to say one, clamped to ±REACH."""

    @abstractmethod
    def number_of_text(self, text: str) -> str:
        """The 64-bit float nearest to what a text says which is known to say a number; NULL beyond all of them."""

    @abstractmethod
    def number_of_decimal(self, decimal: str) -> str:
        """The 64-bit float nearest to a decimal."""

    def is_whole(self, decimal: str) -> str:
        """Whether a decimal is a whole number."""
        return f"{decimal} = trunc({decimal})"

    def whole_of_decimal(self, decimal: str) -> str:
        """A decimal which is known to be whole, clamped to ±REACH."""
        return self.clamped(decimal)

    def is_finite_decimal(self, decimal: str) -> str:
        """Whether a decimal is neither infinite nor NaN."""
        return f"{decimal} IS NOT NULL"

    def as_text(self, whole: str) -> str:
        """The digits of a whole number, compared as texts are."""
        return f"CAST({whole} AS {self.text_type})"

    def clamped(self, wide: str) -> str:
        """A whole number of any size as a 64-bit integer, beyond every bound of a schema where it is larger."""
        return f"CAST(greatest(least({wide}, {REACH}), -{REACH}) AS {self.integer_type})"

    def is_finite(self, number: str) -> str:
        """Whether a float is neither infinite nor NaN, which some engines call the largest number of all."""
        return f"abs({number}) <= {self.number(_GREATEST)}"

    def is_nan(self, family: Family, number: str) -> str | None:
        """Whether a number is NaN; None where the family has no such value."""
        return f"isnan({number})" if family is Family.FLOATS else None

    def whole_of_float(self, number: str) -> tuple[str, str]:
        """Whether a float is a whole number, and that number clamped to ±REACH.

        Engines cut or round when they cast, so the cast decides nothing: it must give the same float back.
        """
        near = self.near(number)
        whole = f"CAST({near} AS {self.integer_type})"
        return f"{self.is_finite(number)} AND {near} = CAST({whole} AS {self.float_type})", whole

    def floor_of_float(self, number: str) -> str:
        """A finite float rounded down, clamped to ±REACH."""
        return f"CAST(floor({self.near(number)}) AS {self.integer_type})"

    def near(self, number: str) -> str:
        """A float that is not NULL, clamped to ±REACH."""
        return f"greatest(least({number}, {self.number(float(REACH))}), {self.number(-float(REACH))})"

    def moment_of_text(self, text: str, column: Moment) -> str:
        """The units since 1970 that a text says which matches the column's pattern, and so is on the calendar."""
        return moment_in_parts(self, text, column)

    def days_of(self, day: str) -> str:
        """The days since 1970 of a text such as 2026-01-31 that is known to be on the calendar."""
        return f"{self.safe_cast}({day} AS DATE) - CAST('1970-01-01' AS DATE)"

    # ---- codes -----------------------------------------------------------------------------------
    def look_up(self, value: str, codes: Mapping[Any, int], unlisted: int) -> str:
        """The code of a listed text or whole number, found by halving long lists."""
        known = [(self._constant(key), code) for key, code in sorted(codes.items())]
        return _halve(value, known, unlisted)

    def _constant(self, key: str | int) -> str:
        return self.literal(key) if isinstance(key, str) else self.integer(key)


def _halve(value: str, known: Sequence[tuple[str, int]], unlisted: int) -> str:
    """Texts are sorted by code point, which is the order of their UTF-8 bytes."""
    if len(known) <= _LINEAR:
        cases = " ".join(f"WHEN {value} = {constant} THEN {code}" for constant, code in known)
        return f"CASE {cases} ELSE {unlisted} END"
    middle = len(known) // 2
    left, right = _halve(value, known[:middle], unlisted), _halve(value, known[middle:], unlisted)
    return f"CASE WHEN {value} < {known[middle][0]} THEN {left} ELSE {right} END"
