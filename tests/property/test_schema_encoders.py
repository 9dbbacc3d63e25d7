"""The scalar, array and SQL encoders give every value of every storage type the same code or the same flaw."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import duckdb
import narwhals as nw
import pandas
import polars
import pyarrow
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_strategies import NUMBER_TEXTS, columns

from oracledp.data.schema import Column
from oracledp.data.table.flaws import missing_code
from oracledp.data.table.frames import encode_series
from oracledp.data.table.sql import Encoding
from oracledp.data.table.values import code_of

CONNECTION = duckdb.connect()

INT64 = st.integers(-(2**63), 2**63 - 1)
SOURCES: dict[Any, st.SearchStrategy[Any]] = {
    pyarrow.int8(): st.integers(-128, 127),
    pyarrow.uint8(): st.integers(0, 255),
    pyarrow.int64(): INT64 | st.integers(-20, 20),
    pyarrow.uint64(): st.integers(0, 2**64 - 1) | st.integers(0, 20),
    pyarrow.float64(): st.floats() | st.integers(-20, 20).map(float) | st.sampled_from([-0.0, 2.0**62, -(2.0**63)]),
    pyarrow.float32(): st.floats(width=32) | st.integers(-20, 20).map(float),
    pyarrow.decimal128(38, 4): st.decimals(-(10**33), 10**33, places=4) | st.integers(-20, 20).map(Decimal),
    pyarrow.bool_(): st.booleans(),
    pyarrow.string(): st.text() | NUMBER_TEXTS,
}


def sql_codes(column: Column, array: pyarrow.Array) -> list[int]:
    relation = CONNECTION.from_arrow(pyarrow.table({column.name: array}))
    encoding = Encoding(column, 0, column.name, str(relation.types[0]))
    coded = relation.project(encoding.reading()).project(encoding.coding())
    return [code for (code,) in coded.fetchall()]


def frame_codes(column: Column, series: object) -> list[int]:
    return encode_series(nw.from_native(series, series_only=True), column).tolist()


@settings(derandomize=True, deadline=None, max_examples=300)
@given(data=st.data())
def test_every_encoder_agrees_with_the_reference(data: st.DataObject) -> None:
    column = data.draw(columns("x"))
    kind = data.draw(st.sampled_from(list(SOURCES)))
    own = (
        st.sampled_from(column.to_json().get("values", ["yes"])).map(str) if kind == pyarrow.string() else SOURCES[kind]
    )
    values = data.draw(st.lists(st.none() | SOURCES[kind] | own, min_size=1, max_size=20))
    array = pyarrow.array(values, type=kind)
    found = frame_codes(column, pyarrow.chunked_array([array]))
    exact = array.to_pylist()  # rounded to the storage type, as the encoders see them
    assert found == [code_of(column, value) if value is not None else missing_code(column) for value in exact]
    assert sql_codes(column, array) == found
    assert frame_codes(column, polars.Series(array)) == found
    assert frame_codes(column, pandas.Series(array, dtype=pandas.ArrowDtype(kind))) == found
    if None not in exact:  # classic pandas turns integers with gaps into floats, another storage type
        assert frame_codes(column, array.to_pandas()) == found
