"""The same rows give the same table from every frame library and every file format, checked against a plain loop."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_strategies import TEXTS, schemas

from oracledp.errors import DataError
from oracledp.schema import Boolean, Categorical, Column, Integer, Ordered, Schema
from oracledp.table import Table

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
    return found | st.none() if column.nullable else found


def expected_code(column: Column, value: Any) -> int:
    """The meaning of a schema, said once more without sharing code."""
    absent = value is None or (value == "" and isinstance(column, Categorical) and "" not in column.values)
    if absent and column.nullable:
        return column.size - 1
    if isinstance(column, Categorical):
        listed = list(column.values)
        return listed.index(value) if value in listed else len(listed)
    if isinstance(column, Boolean):
        return int(value)
    assert isinstance(column, Ordered)
    return sum(value >= cut for cut in column.cuts)


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


@settings(derandomize=True, deadline=None, max_examples=60)
@given(case=schemas_with_rows(), newline=st.sampled_from(["\n", "\r\n"]))
def test_every_source_gives_the_same_table(case: tuple[Schema, Rows], newline: str) -> None:
    schema, rows = case
    wanted = expected(schema, rows)
    arrow = arrow_table(schema, rows)
    assert histogram(Table.from_frame(arrow, schema)) == wanted
    assert histogram(Table.from_frame(polars.DataFrame(rows, schema=polars.from_arrow(arrow).schema), schema)) == wanted
    assert histogram(Table.from_frame(pandas.DataFrame(rows, dtype=object), schema)) == wanted
    with TemporaryDirectory() as folder:
        write_csv(Path(folder, "rows.csv"), rows, newline)
        pyarrow.parquet.write_table(arrow, Path(folder, "rows.parquet"))
        pyarrow.feather.write_feather(arrow, Path(folder, "rows.feather"))
        assert histogram(Table.from_file(Path(folder, "rows.csv"), schema)) == wanted
        if len({name.lower() for name in schema.names}) == len(schema.names):  # SQL ignores case
            assert histogram(Table.from_file(Path(folder, "rows.parquet"), schema)) == wanted
            assert histogram(Table.from_file(Path(folder, "rows.feather"), schema)) == wanted


@settings(derandomize=True, deadline=None, max_examples=60)
@given(case=schemas_with_rows(), order=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_leaves_no_trace(case: tuple[Schema, Rows], order: Any) -> None:
    schema, rows = case
    places = list(range(len(next(iter(rows.values())))))
    order.shuffle(places)
    shuffled = {name: [values[place] for place in places] for name, values in rows.items()}
    first, second = (Table.from_frame(arrow_table(schema, each), schema) for each in (rows, shuffled))
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.counts, second.counts)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(number=st.sampled_from([math.inf, -math.inf]), clip=st.booleans())
def test_infinity_is_refused_even_where_values_are_clipped(number: float, clip: bool) -> None:
    schema = Schema({"x": {"kind": "numeric", "lo": 0, "hi": 1, "bins": 2, "clip": clip}})
    for frame in (pandas.DataFrame({"x": [0.5, number]}), polars.DataFrame({"x": [0.5, number]})):
        with pytest.raises(DataError, match=r"column 'x': 1 row is not a finite number; the first at row 2"):
            Table.from_frame(frame, schema)
