"""A value of a typed file as a text, in DuckDB: the spelling of ``value_texts`` as SQL."""

from __future__ import annotations

from typing import Any

from oracledp.data.schema.number_marks import NumberMarks
from oracledp.data.table.dialects.duck import ZONED
from oracledp.data.table.midnights import day_in_sql
from oracledp.data.table.persons import EXACT
from oracledp.data.table.sql import DUCKDB
from oracledp.data.table.value_texts import DIGITS, UTC
from oracledp.data.table.values import Family

_WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")  # integers that are read as digits elsewhere
_STAMPS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS")
_REACHES = {  # beyond, a cast to text fails, or says what no calendar does
    "DATE": ("0001-01-01", "9999-12-31"),
    "TIME": ("00:00:00", "23:59:59.999999"),
    "TIME_NS": ("00:00:00", "23:59:59.999999999"),
    **dict.fromkeys(_STAMPS, ("0001-01-02", "9999-12-30")),
}


def text_in_sql(value: str, kind: Any, marks: NumberMarks, depth: int = 0) -> str:
    """The text of an expression of one of DuckDB's types, NULL where there is no value."""
    nested = {"list": _list, "array": _list, "struct": _struct, "map": _map}.get(kind.id)
    if nested is not None:
        return f"CASE WHEN {value} IS NOT NULL THEN {nested(value, dict(kind.children), marks, depth)} END"
    name, text = str(kind).split("(")[0], f"CAST({value} AS VARCHAR)"
    family = DUCKDB.family(name)
    if name in _WIDE or family in (Family.INTEGERS, Family.FLOATS, Family.DECIMALS):
        return _number(DUCKDB.held(str(kind), value), name, family, marks)
    if name in ZONED:
        return f"split_part({_within('TIMESTAMP', DUCKDB.in_utc(value))}, '.', 1) || {DUCKDB.literal(UTC)}"
    if name in _REACHES:
        text = _within(name, value)
    if name == "INTERVAL":  # without the first of two digits, where it is idle, and without a fraction
        return f"regexp_replace(split_part({text}, '.', 1), '^(-?)0([0-9]:)', '\\1\\2')"
    if name in _STAMPS:
        text = f"split_part({text}, '.', 1)"
    return day_in_sql(text) if name.startswith("TIMESTAMP") else text


def _within(name: str, value: str) -> str:
    """Inside of the cast: a case around it would not keep DuckDB from casting a whole dictionary."""
    first, last = (f"CAST({DUCKDB.literal(end)} AS {name})" for end in _REACHES[name])
    return f"CAST(CASE WHEN {value} BETWEEN {first} AND {last} THEN {value} END AS VARCHAR)"


def _number(value: str, name: str, family: Family | None, marks: NumberMarks) -> str:
    """That of the nearest double, by which whole numbers are whole ones however they are stored.

    Decimals and wide integers become doubles through texts: a direct cast may be off by one in the last place.
    """
    direct = family in (Family.INTEGERS, Family.FLOATS)
    number = f"CAST({value if direct else f'CAST({value} AS VARCHAR)'} AS DOUBLE)"
    digits = f"CAST(TRY_CAST({number} AS HUGEINT) AS VARCHAR)"
    if family is Family.INTEGERS:
        return f"CASE WHEN {value} BETWEEN -{EXACT} AND {EXACT} THEN CAST({value} AS VARCHAR) ELSE {digits} END"
    text = f"CAST({number} AS VARCHAR)"
    if marks.decimal != ".":
        text = f"replace({text}, '.', {DUCKDB.literal(marks.decimal)})"
    whole = f"{number} = floor({number}) AND abs({number}) < {DUCKDB.number(float(DIGITS))}"
    return f"CASE WHEN isnan({number}) THEN NULL WHEN {whole} THEN {digits} ELSE {text} END"


def _inner(value: str, kind: Any, marks: NumberMarks, depth: int) -> str:
    return f"coalesce({text_in_sql(value, kind, marks, depth)}, 'NULL')"


def _list(value: str, children: dict[str, Any], marks: NumberMarks, depth: int) -> str:
    part = f"part{depth}"
    return _joined(value, part, _inner(part, children["child"], marks, depth + 1))


def _map(value: str, children: dict[str, Any], marks: NumberMarks, depth: int) -> str:
    part = f"part{depth}"
    key, held = (_inner(f"{part}['{end}']", children[end], marks, depth + 1) for end in ("key", "value"))
    return _joined(f"map_entries({value})", part, f"'[' || {key} || ', ' || {held} || ']'")


def _joined(values: str, part: str, text: str) -> str:
    return f"'[' || array_to_string(list_transform({values}, lambda {part}: {text}), ', ') || ']'"


def _struct(value: str, children: dict[str, Any], marks: NumberMarks, depth: int) -> str:
    """Without the fields that have no value: a field that one row has is one of all others' type."""
    fields = [_field(value, name, kind, marks, depth) for name, kind in children.items()]
    return f"'{{' || concat_ws(', ', {', '.join(fields)}) || '}}'"


def _field(value: str, name: str, kind: Any, marks: NumberMarks, depth: int) -> str:
    field = f"struct_extract({value}, {DUCKDB.literal(name)})"
    title = DUCKDB.literal(f"'{name}': ")
    return f"CASE WHEN {field} IS NOT NULL THEN {title} || {_inner(field, kind, marks, depth)} END"
