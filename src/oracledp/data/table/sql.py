"""Codes as SQL expressions: the same meaning as in ``values``, pushed into the engine that holds the rows.

A column is encoded in two steps, so that its value is worked out once: the *reading* turns what the source
holds into an integer, a 64-bit float, a boolean or a text (NULL where there is no such value), and the *coding*
turns that into a code or a flaw. Nothing here raises for a bad value: an engine's own message would show it, and that
there is one may not show either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracledp.data.schema import Boolean, Categorical, Column, Integer, Moment, Numeric, Ordered
from oracledp.data.schema.durations import Duration
from oracledp.data.schema.grid import Grid
from oracledp.data.schema.number_marks import LONGEST_NUMBER, POINT, NumberMarks
from oracledp.data.table.dialects import Dialect, DuckDB
from oracledp.data.table.flaws import Flaw, base, flaw_code, malformed_code, missing_code, span
from oracledp.data.table.values import (
    FALSE_TEXT,
    INTEGER_TEXT,
    LONGEST_INTEGER,
    NO_VALUE_TEXT,
    NUMBER_TEXT,
    TRUE_TEXT,
    Family,
    says_numbers,
)
from oracledp.errors import DataError

DUCKDB = DuckDB()


@dataclass(frozen=True)
class Encoding:
    """The two steps for one column, numbered so that the names in between are our own."""

    column: Column
    index: int
    place: str
    type_name: str
    dialect: Dialect = DUCKDB
    marks: NumberMarks = POINT  # of numbers in texts

    def __post_init__(self) -> None:
        if self.dialect.family(self.type_name) is None and not self._stamped:
            raise DataError(
                f"column {self.column.name!r}: the type {self.type_name} is not supported; convert it to text first"
            )

    @property
    def family(self) -> Family:
        """How the source stores the column."""
        if self._stamped:
            return Family.OBJECTS
        family = self.dialect.family(self.type_name)
        assert family is not None, "refused at the start"
        return family

    @property
    def _stamped(self) -> bool:
        """Whether a column of moments is stored as such."""
        types = self.dialect.spans if isinstance(self.column, Duration) else self.dialect.stamps
        return isinstance(self.column, Moment) and self.type_name.upper() in types

    @property
    def code(self) -> str:
        """The name of the code."""
        return f"c{self.index}"

    @property
    def span(self) -> int:
        """How many codes and flaws there are."""
        return span(self.column) if self._rounds else base(self.column)

    @property
    def _rounds(self) -> bool:
        fractions = (Family.TEXTS, Family.FLOATS, Family.DECIMALS)
        return isinstance(self.column, Integer) and self.family in fractions

    def reading(self) -> str:
        """``value AS v, source AS x``."""
        return ", ".join(self.readings())

    def readings(self) -> tuple[str, str]:
        """Both expressions of the reading."""
        source = self._unmarked(self.dialect.source(self.type_name, self.dialect.name(self.place)))
        if self._stamped and isinstance(self.column, Moment):
            value = self.dialect.moment_of_stamp(source, self.column)
        else:
            value = _reading(self.dialect, self.column, self.family, source)
        return f"{value} AS v{self.index}", f"{source} AS x{self.index}"

    def _unmarked(self, source: str) -> str:
        """A text without the column's mark of missing values, and a number in it with a point and no separators."""
        if self.family is not Family.TEXTS:
            return source
        if self.column.mark is not None:
            source = f"NULLIF({source}, {self.dialect.literal(self.column.mark)})"
        return plain_number(self.dialect, source, self.marks) if says_numbers(self.column) else source

    def coding(self) -> str:
        """The code, in a type that also holds the flaws."""
        value, source = f"v{self.index}", f"x{self.index}"
        absent = _absent(self.dialect, self.column, self.family, source)
        known = _coding(self.dialect, self.column, value)
        if self._rounds:
            known += f" + CASE WHEN {_rounded(self.dialect, self.family, source)} THEN {base(self.column)} ELSE 0 END"
        code = (
            f"CASE WHEN {value} IS NOT NULL THEN {known}"
            f" WHEN {absent} THEN {missing_code(self.column)} ELSE {malformed_code(self.column)} END"
        )
        return f"CAST({code} AS {self.dialect.code_type(self.span)}) AS {self.code}"


def plain_number(dialect: Dialect, text: str, marks: NumberMarks) -> str:
    """The same as :meth:`NumberMarks.plain`."""
    if marks.thousands:
        bare = f"replace({text}, {dialect.literal(marks.thousands)}, '')"
        text = f"CASE WHEN {dialect.matches(text, marks.grouped)} THEN {bare} ELSE {text} END"
    return f"translate({text}, ',.', '.,')" if marks.decimal == "," else text


# ---- reading -----------------------------------------------------------------------------------------
def _reading(dialect: Dialect, column: Column, family: Family, source: str) -> str:
    if isinstance(column, Moment):
        if family is not Family.TEXTS:  # no number is a moment
            return f"CAST(NULL AS {dialect.integer_type})"
        return f"CASE WHEN {dialect.matches(source, column.pattern)} THEN {dialect.moment_of_text(source, column)} END"
    if isinstance(column, Boolean):
        return _read_truth(dialect, family, source)
    if family is Family.BOOLEANS:  # no truth value is a number or a category
        texts = isinstance(column, Categorical) and not column.numbers
        return f"CAST(NULL AS {dialect.text_type if texts else dialect.integer_type})"
    if isinstance(column, Numeric):
        return _read_number(dialect, family, source)
    if isinstance(column, Integer):
        return _read_floor(dialect, family, source)
    whole = _read_whole(dialect, family, source)
    assert isinstance(column, Categorical)
    if column.numbers:
        return whole
    text = source if family is Family.TEXTS else dialect.as_text(whole)
    return text if "" in column.code_of_text else f"NULLIF({text}, '')"


def _read_whole(dialect: Dialect, family: Family, source: str) -> str:
    """A whole number."""
    if family is Family.TEXTS:
        condition, whole = dialect.matches(source, INTEGER_TEXT), dialect.whole_of_text(source)
    elif family is Family.FLOATS:
        condition, whole = dialect.whole_of_float(source)
    elif family is Family.DECIMALS:
        condition, whole = dialect.is_whole(source), dialect.whole_of_decimal(source)
    else:
        return f"CAST({source} AS {dialect.integer_type})"
    return f"CASE WHEN {condition} THEN {whole} END"


def _read_floor(dialect: Dialect, family: Family, source: str) -> str:
    """A number rounded down. A text is read as a float only where it is not written as a whole number."""
    if family is Family.FLOATS:
        return f"CASE WHEN {dialect.is_finite(source)} THEN {dialect.floor_of_float(source)} END"
    if family is Family.DECIMALS:
        whole = dialect.whole_of_decimal(f"floor({source})")
        return f"CASE WHEN {dialect.is_finite_decimal(source)} THEN {whole} END"
    if family is not Family.TEXTS:
        return _read_whole(dialect, family, source)
    condition, number = _is_number(dialect, source), dialect.number_of_text(source)
    return (
        f"CASE WHEN {dialect.matches(source, INTEGER_TEXT)} THEN {dialect.whole_of_text(source)}"
        f" WHEN {condition} THEN CASE WHEN {number} IS NOT NULL THEN {dialect.floor_of_float(number)} END END"
    )


def _rounded(dialect: Dialect, family: Family, source: str) -> str:
    """Whether a number that was read was not whole, or not written so."""
    if family is Family.FLOATS:
        return f"{dialect.near(source)} <> floor({dialect.near(source)})"
    if family is Family.DECIMALS:
        return f"NOT ({dialect.is_whole(source)})"
    odd = " OR ".join(f"{source} LIKE '%{letter}%'" for letter in ".eE")  # cheap, and false for most texts
    return f"({odd} OR length({source}) > {LONGEST_INTEGER}) AND NOT {dialect.matches(source, INTEGER_TEXT)}"


def _is_number(dialect: Dialect, source: str) -> str:
    return f"length({source}) <= {LONGEST_NUMBER} AND {dialect.matches(source, NUMBER_TEXT)}"


def _read_number(dialect: Dialect, family: Family, source: str) -> str:
    if family is Family.TEXTS:
        return f"CASE WHEN {_is_number(dialect, source)} THEN {dialect.number_of_text(source)} END"
    if family is Family.DECIMALS:
        return dialect.number_of_decimal(source)
    number = f"CAST({source} AS {dialect.float_type})"
    return f"CASE WHEN {dialect.is_finite(number)} THEN {number} END" if family is Family.FLOATS else number


def _read_truth(dialect: Dialect, family: Family, source: str) -> str:
    if family is Family.BOOLEANS:
        return source
    text = family is Family.TEXTS
    true, false = (
        dialect.matches(source, pattern) if text else f"{source} = {number}"
        for number, pattern in ((1, TRUE_TEXT), (0, FALSE_TEXT))
    )
    return f"CASE WHEN {true} THEN true WHEN {false} THEN false END"


def _absent(dialect: Dialect, column: Column, family: Family, source: str) -> str:
    """Whether a source without a value is missing rather than malformed."""
    numbers = not isinstance(column, Categorical) or column.numbers
    empty = dialect.is_nan(family, source)
    if family is Family.TEXTS:
        empty = dialect.matches(source, NO_VALUE_TEXT) if numbers else f"{source} = ''"
    return f"{source} IS NULL" + (f" OR {empty}" if empty else "")


# ---- coding ------------------------------------------------------------------------------------------
def _coding(dialect: Dialect, column: Column, value: str) -> str:
    if isinstance(column, Ordered):
        return _code_of_number(dialect, column, value)
    if isinstance(column, Categorical):
        unlisted = flaw_code(column, Flaw.UNLISTED)
        texts = column.code_of_text
        if column.numbers:
            return dialect.look_up(value, {int(text): code for text, code in texts.items()}, unlisted)
        return dialect.look_up(value, texts, unlisted)
    return f"CASE WHEN {value} THEN 1 ELSE 0 END"


def _code_of_number(dialect: Dialect, column: Ordered, value: str) -> str:
    lo, hi, *cuts = (_number(dialect, column, bound) for bound in (column.lo, column.hi, *column.cuts))
    each_its_own = isinstance(column, Integer) and column.value_size == column.hi - column.lo + 1
    if each_its_own:
        code = f"{value} - {lo}"
    else:
        code = _search(value, cuts) if column.grid is None else _cell(dialect, column, column.grid, f"{value} - {lo}")
    below, above = flaw_code(column, Flaw.BELOW), flaw_code(column, Flaw.ABOVE)
    return f"CASE WHEN {value} < {lo} THEN {below} WHEN {value} > {hi} THEN {above} ELSE {code} END"


def _cell(dialect: Dialect, column: Ordered, grid: Grid, above: str) -> str:
    """The cell of a number so far above ``lo``: its step in whole 64-bit floats, then its place in a piece."""
    if isinstance(column, Numeric):
        step = f"floor(({above}) * {dialect.number(column.steps_per_unit)} + {dialect.number(0.5)})"
    else:
        half = 0 if isinstance(column, Moment) else int(grid.resolution) // 2
        whole = f"CAST({above} + {half} AS {dialect.float_type})"
        step = f"floor({whole} / {dialect.number(float(grid.resolution))})"
    held = f"least({step}, {dialect.number(float(grid.last))})"
    cases = [
        f"WHEN {held} >= {dialect.number(float(piece.first))} THEN {piece.code}"
        f" + floor(({held} - {dialect.number(float(piece.first))}) / {dialect.number(float(piece.width))})"
        for piece in reversed(grid.pieces)
    ]
    return f"CASE {' '.join(cases)} ELSE 0 END"


def _search(value: str, cuts: Sequence[str], below: int = 0) -> str:
    """Binary search over the thresholds: how many are at most the value."""
    if not cuts:
        return str(below)
    middle = len(cuts) // 2
    left = _search(value, cuts[:middle], below)
    right = _search(value, cuts[middle + 1 :], below + middle + 1)
    return f"CASE WHEN {value} < {cuts[middle]} THEN {left} ELSE {right} END"


def _number(dialect: Dialect, column: Ordered, number: float) -> str:
    return dialect.integer(int(number)) if isinstance(column, Integer | Moment) else dialect.number(number)
