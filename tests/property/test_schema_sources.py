"""What a table may not show of its source: the order of the rows, nor one row in another's record; and infinities."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_strategies import Rows, arrow_table, histogram, schemas_with_rows
from schema_strategies import schemas

from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import DataError


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
def test_infinity_is_no_number_even_where_values_are_clipped(number: float, clip: bool) -> None:
    schema = Schema({"x": {"kind": "numeric", "lo": 0, "hi": 1, "bins": 2, "clip": clip}})
    for frame in (pandas.DataFrame({"x": [0.5, number]}), polars.DataFrame({"x": [0.5, number]})):
        with pytest.raises(DataError, match=r"column 'x': 1 row is not a finite number; the first at row 2"):
            Table.from_frame(frame, schema, strict=True)
        assert Table.from_frame(frame, schema).histogram(["x"]).tolist() == [1, 1], (
            "as missing, which is the first code"
        )


ODD_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.decimals() | st.text() | st.binary()
ODD_VALUES |= st.lists(st.integers()) | st.dates() | st.complex_numbers() | st.sampled_from([pandas.NA, pandas.NaT])


@settings(derandomize=True, deadline=None, max_examples=200)
@given(schema=schemas(), data=st.data())
def test_every_row_of_any_values_is_one_record_whatever_the_others_hold(schema: Schema, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(*[ODD_VALUES] * len(schema.names)), min_size=1, max_size=6))
    together = record_counts(schema, rows)
    alone = sum((record_counts(schema, [row]) for row in rows), Counter())
    assert together == alone
    assert together.total() == len(rows)


def record_counts(schema: Schema, rows: list[tuple[Any, ...]]) -> Counter[tuple[int, ...]]:
    """The records of a pandas frame that chose its own types."""
    columns = {name: pandas.Series([row[place] for row in rows]) for place, name in enumerate(schema.names)}
    return Counter(histogram(Table.from_frame(pandas.DataFrame(columns), schema)))
