"""Rows for random schemas, what they must become, and how they are written to files."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
from hypothesis import strategies as st
from schema_strategies import TEXTS, schemas

from oracledp.data.schema import Boolean, Categorical, Column, Integer, Numeric, Ordered, Schema
from oracledp.data.table import Table

Rows = dict[str, list[Any]]


# ---- rows that follow a schema, and what they must become ---------------------------------------------
def values_of(column: Column) -> st.SearchStrategy[Any]:
    if isinstance(column, Boolean):
        found: st.SearchStrategy[Any] = st.booleans()
    elif isinstance(column, Categorical):
        found = st.sampled_from(column.values)
        if column.other is not None:
            found |= st.integers(-(2**63), 2**63 - 1) if column.numbers else TEXTS
    elif isinstance(column, Integer):
        found = st.integers(column.lo, column.hi) | st.sampled_from([column.lo, column.hi, *column.cuts])
        found = found | st.integers(-(2**63), 2**63 - 1) if column.clip else found
    else:
        assert isinstance(column, Ordered)
        edges = [column.lo, column.hi, *column.cuts]
        near = [math.nextafter(cut, side) for cut in edges for side in (-math.inf, math.inf)]
        inside = [edge for edge in near if column.lo <= edge <= column.hi]
        found = st.floats(column.lo, column.hi) | st.sampled_from(edges + inside)
        found = found | st.floats(allow_nan=False, allow_infinity=False) if column.clip else found
        found = found.map(lambda number: -number if number == 0 else number)  # -0.0 is 0
    return found | nothing_of(column) if column.nullable else found


def nothing_of(column: Column) -> st.SearchStrategy[Any]:
    """The ways of having no value."""
    if isinstance(column, Categorical) and not column.numbers and column.mark is not None:
        return st.sampled_from([None, column.mark])
    return st.sampled_from([None, math.nan]) if isinstance(column, Numeric) else st.none()


def expected_code(column: Column, value: Any) -> int:
    """The meaning of a schema for every value of the column's storage type, said once more without sharing code."""
    absent = (
        value is None
        or value != value
        or value == column.mark
        or (value == "" and isinstance(column, Categorical) and "" not in column.values)
    )
    infinite = isinstance(column, Numeric) and value is not None and math.isinf(value)
    if (absent or infinite) and column.nullable:
        return column.size - 1
    if isinstance(column, Categorical):
        listed = list(column.values)
        if not absent and value in listed:
            return listed.index(value)
        first = column.size - 1 if column.nullable else 0
        return first if column.other is None else len(listed)
    if absent or infinite:
        return 0
    if isinstance(column, Boolean):
        return int(value)
    assert isinstance(column, Ordered)
    if column.grid is None:
        return sum(value >= cut for cut in column.cuts)
    held = min(max(value, column.lo), column.hi) - column.lo
    if isinstance(column, Numeric):
        step = math.floor(held * float(1 / column.grid.resolution) + 0.5)
    else:
        step = int((held + column.grid.resolution // 2) // column.grid.resolution)
    return sum(bool(min(step, column.grid.last) >= start) for start in column.grid.starts) - 1


def follows(column: Column, value: Any) -> bool:
    """Whether a strict reading accepts a value."""
    if (
        value is None
        or value != value
        or value == column.mark
        or (value == "" and "" not in getattr(column, "values", ("",)))
    ):
        return column.nullable
    if isinstance(column, Categorical):
        return column.other is not None or value in column.values
    if isinstance(column, Ordered):
        return math.isfinite(value) and (column.clip or column.lo <= value <= column.hi)
    return True


def expected(schema: Schema, rows: Rows) -> dict[tuple[int, ...], int]:
    records = zip(*(rows[name] for name in schema.names), strict=True)
    coded = (
        tuple(expected_code(column, value) for column, value in zip(schema.columns, record, strict=True))
        for record in records
    )
    return dict(sorted(Counter(coded).items()))


@st.composite
def schemas_with_rows(draw: st.DrawFn) -> tuple[Schema, Rows]:
    schema = draw(schemas())
    length = draw(st.integers(1, 12))
    columns = {
        column.name: draw(st.lists(values_of(column), min_size=length, max_size=length)) for column in schema.columns
    }
    for column in schema.columns:  # an empty text is missing unless listed: drop it where missing is refused
        if isinstance(column, Categorical) and not column.nullable and "" not in column.values:
            columns[column.name] = ["x" if value == "" else value for value in columns[column.name]]
            if column.other is None:
                assert all(value in column.values for value in columns[column.name])
    return schema, columns


# ---- the sources ---------------------------------------------------------------------------------------
def arrow_type(column: Column) -> pyarrow.DataType:
    if isinstance(column, Boolean):
        return pyarrow.bool_()
    if isinstance(column, Integer) or (isinstance(column, Categorical) and column.numbers):
        return pyarrow.int64()
    return pyarrow.string() if isinstance(column, Categorical) else pyarrow.float64()


def arrow_table(schema: Schema, rows: Rows) -> pyarrow.Table:
    arrays = [pyarrow.array(rows[column.name], type=arrow_type(column)) for column in schema.columns]
    return pyarrow.Table.from_arrays(arrays, names=list(schema.names))


def field(value: Any) -> str:
    """One CSV field: texts in quotes, so that an empty text is not a missing value."""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return "" if value is None else str(value)


def write_csv(path: Path, rows: Rows, newline: str) -> None:
    lines = [",".join(map(field, rows))]
    lines += [",".join(map(field, record)) for record in zip(*rows.values(), strict=True)]
    path.write_bytes("".join(line + newline for line in lines).encode())


def histogram(table: Table) -> dict[tuple[int, ...], int]:
    records = [tuple(record) for record in table.codes.tolist()]
    assert records == sorted(set(records))
    return dict(zip(records, table.counts.tolist(), strict=True))
