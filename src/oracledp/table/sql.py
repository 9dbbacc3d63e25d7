"""Codes as DuckDB expressions: the same meaning as in ``values``, pushed into the scan.

A column is encoded in two steps, so that its value is worked out once: the *reading* turns what the source
holds into a BIGINT, DOUBLE, BOOLEAN or VARCHAR (NULL where there is no such value), and the *coding* turns
that into a code or a flaw. Nothing here raises for a bad value: DuckDB's own messages would show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oracledp.schema import Boolean, Categorical, Column, Integer, Numeric, Ordered
from oracledp.schema.ordered import REACH
from oracledp.table.flaws import Flaw, flaw_code, malformed_code, missing_code, unlisted_code
from oracledp.table.values import (
    FALSE_TEXT,
    INTEGER_TEXT,
    NO_VALUE_TEXT,
    NUMBER_TEXT,
    TRUE_TEXT,
    Family,
    refuse_family,
)

_AS_TEXT = ("UBIGINT", "HUGEINT", "UHUGEINT", "ENUM")  # integers that a BIGINT may not hold are read as digits
_FAMILIES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", '"NULL"'), Family.INTEGERS),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER"), Family.INTEGERS),
    **dict.fromkeys(("FLOAT", "DOUBLE"), Family.FLOATS),
    **dict.fromkeys(("DECIMAL", "NUMERIC"), Family.DECIMALS),
    **dict.fromkeys(("VARCHAR", *_AS_TEXT), Family.TEXTS),
    "BOOLEAN": Family.BOOLEANS,
}


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """A column's name as an SQL identifier."""
    return '"' + text.replace('"', '""') + '"'


@dataclass(frozen=True)
class Encoding:
    """The two steps for one column, numbered so that the names in between are our own."""

    column: Column
    index: int
    place: str
    type_name: str

    def __post_init__(self) -> None:
        refuse_family(self.column, _FAMILIES.get(self._base_type), self.type_name)

    @property
    def _base_type(self) -> str:
        return self.type_name.split("(")[0]

    @property
    def family(self) -> Family:
        """How the source stores the column."""
        return _FAMILIES[self._base_type]

    @property
    def code(self) -> str:
        """The name of the code."""
        return f"c{self.index}"

    def reading(self) -> str:
        """``value AS v, source AS x``."""
        source = name(self.place)
        if self._base_type in _AS_TEXT:
            source = f"CAST({source} AS VARCHAR)"
        return f"{_reading(self.column, self.family, source)} AS v{self.index}, {source} AS x{self.index}"

    def coding(self) -> str:
        """The code, in the smallest type that also holds the flaws."""
        value, source = f"v{self.index}", f"x{self.index}"
        absent = _absent(self.column, self.family, source)
        malformed = malformed_code(self.column)
        code = (
            f"CASE WHEN {value} IS NOT NULL THEN {_coding(self.column, value)}"
            f" WHEN {absent} THEN {missing_code(self.column)} ELSE {malformed} END"
        )
        largest = self.column.size + len(Flaw)
        return f"CAST({code} AS {'UTINYINT' if largest < 256 else 'USMALLINT'}) AS {self.code}"


# ---- reading -----------------------------------------------------------------------------------------
def _reading(column: Column, family: Family, source: str) -> str:
    if isinstance(column, Numeric):
        return _read_number(family, source)
    if isinstance(column, Boolean):
        return _read_truth(family, source)
    if isinstance(column, Categorical) and not column.numbers:
        text = source if family is Family.TEXTS else f"CAST({source} AS VARCHAR)"
        return text if "" in column.code_of_text else f"NULLIF({text}, '')"
    return _read_integer(family, source)


def _read_integer(family: Family, source: str) -> str:
    if family is Family.TEXTS:
        return f"CASE WHEN {_matches(source, INTEGER_TEXT)} THEN TRY_CAST({source} AS HUGEINT) END"
    if family is Family.FLOATS:
        clamped = f"greatest(least({source}, {REACH}), -{REACH})"
        return f"CASE WHEN isfinite({source}) AND {source} = trunc({source}) THEN CAST({clamped} AS BIGINT) END"
    if family is Family.DECIMALS:
        return f"CASE WHEN {source} = trunc({source}) THEN CAST({source} AS HUGEINT) END"
    return f"CAST({source} AS BIGINT)"


def _read_number(family: Family, source: str) -> str:
    if family is Family.DECIMALS:  # through text: a direct cast may be off by one in the last place
        source = f"CAST({source} AS VARCHAR)"
    number = f"TRY_CAST({source} AS DOUBLE)"
    guard = f"{_matches(source, NUMBER_TEXT)} AND " if family is Family.TEXTS else ""
    return f"CASE WHEN {guard}isfinite({number}) THEN {number} END"


def _read_truth(family: Family, source: str) -> str:
    if family is Family.BOOLEANS:
        return source
    text = family is Family.TEXTS
    true, false = (
        _matches(source, pattern) if text else f"{source} = {number}"
        for number, pattern in ((1, TRUE_TEXT), (0, FALSE_TEXT))
    )
    return f"CASE WHEN {true} THEN true WHEN {false} THEN false END"


def _matches(source: str, pattern: str) -> str:
    return f"regexp_full_match({source}, {quoted(pattern)})"


def _absent(column: Column, family: Family, source: str) -> str:
    """Whether a source without a value is missing rather than malformed."""
    numbers = not isinstance(column, Categorical) or column.numbers
    if family is Family.FLOATS:
        return f"{source} IS NULL OR isnan({source})"
    if family is Family.TEXTS and numbers:
        return f"{source} IS NULL OR {_matches(source, NO_VALUE_TEXT)}"
    return f"{source} IS NULL OR {source} = ''" if family is Family.TEXTS else f"{source} IS NULL"


def _listed(words: Iterable[str]) -> str:
    return "(" + ", ".join(map(quoted, words)) + ")"


# ---- coding ------------------------------------------------------------------------------------------
def _coding(column: Column, value: str) -> str:
    if isinstance(column, Ordered):
        return _code_of_number(column, value)
    if isinstance(column, Categorical):
        listed = f"ENUM{_listed(column.code_of_text)}"
        return f"coalesce(enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS {listed})), {unlisted_code(column)})"
    return f"CAST({value} AS UTINYINT)"


def _code_of_number(column: Ordered, value: str) -> str:
    lo, hi = (_number(column, bound) for bound in (column.lo, column.hi))
    each_its_own = isinstance(column, Integer) and len(column.cuts) == column.hi - column.lo
    if each_its_own and column.clip:
        return f"greatest(least({value}, {hi}), {lo}) - {lo}"
    code = f"{value} - {lo}" if each_its_own else _search(value, [_number(column, cut) for cut in column.cuts])
    outside = flaw_code(column, Flaw.OUTSIDE)
    return code if column.clip else f"CASE WHEN {value} BETWEEN {lo} AND {hi} THEN {code} ELSE {outside} END"


def _search(value: str, cuts: Sequence[str], below: int = 0) -> str:
    """Binary search over the thresholds: how many are at most the value."""
    if not cuts:
        return str(below)
    middle = len(cuts) // 2
    left = _search(value, cuts[:middle], below)
    right = _search(value, cuts[middle + 1 :], below + middle + 1)
    return f"CASE WHEN {value} < {cuts[middle]} THEN {left} ELSE {right} END"


def _number(column: Ordered, number: float) -> str:
    """A bound as a constant of exactly its value."""
    return f"CAST({int(number)} AS BIGINT)" if isinstance(column, Integer) else f"CAST('{number!r}' AS DOUBLE)"
