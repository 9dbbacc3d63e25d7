"""Distinct records and their counts, whichever way they are found."""

from typing import Any

import numpy as np
import pytest

from oracledp.data.schema import Schema
from oracledp.data.table.histogram import distinct


def schema_of(columns: int) -> Schema:
    return Schema({f"c{number}": {"kind": "integer", "lo": 0, "hi": 6} for number in range(columns)})


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("columns", [1, 3, 22, 40])  # 7^22 leaves no room for a count, 7^40 is no 64-bit number
@pytest.mark.parametrize("counted", [False, True])
def test_records_are_sorted_and_counted(columns: int, dtype: Any, counted: bool) -> None:
    chance = np.random.default_rng(columns)
    pool = chance.integers(0, 7, (50, columns))
    codes = pool[chance.integers(0, 50, 20_000)].astype(dtype)
    counts = chance.integers(1, 1000, 20_000) if counted else None
    records, totals = distinct(schema_of(columns), list(codes.T), counts)
    expected, inverse = np.unique(codes, axis=0, return_inverse=True)
    rows = np.bincount(inverse.reshape(-1), weights=counts).astype(np.int64)
    assert np.array_equal(records, expected)
    assert np.array_equal(totals, rows)
    assert records.dtype == np.uint8
    assert totals.dtype == np.int64


def test_counts_too_large_for_a_word_are_kept_exactly() -> None:
    large = np.array([2**61, 1, 2**60])
    records, totals = distinct(schema_of(3), [np.array([3, 0, 3])] * 3, large)
    assert records.tolist() == [[0, 0, 0], [3, 3, 3]]
    assert totals.tolist() == [1, 2**61 + 2**60]
