"""What a table may not show of its source: the order of the rows; and what no option lets pass: infinities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_strategies import Rows, arrow_table, schemas_with_rows

from oracledp.errors import DataError
from oracledp.schema import Schema
from oracledp.table import Table


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
