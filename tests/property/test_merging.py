"""Equal rows and exact sums, against the plain definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.data.packed_records import PackedRecords
from oracledp.exact.merging import absolute_sum, exact_sum

WORDS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40)


@settings(derandomize=True, deadline=None)
@given(WORDS)
def test_sums_are_those_of_python_integers(numbers: list[int]) -> None:
    array = np.array(numbers, dtype=np.int64)
    assert exact_sum(array) == sum(numbers)
    assert absolute_sum(array) == sum(map(abs, numbers))


@pytest.mark.parametrize("literals", [0, 1, 7, 8, 63, 64, 65, 130])
@pytest.mark.parametrize("rows", [0, 1, 200, 70_000])
def test_equal_rows_come_in_lexicographic_order(rows: int, literals: int) -> None:
    chance = np.random.default_rng(rows + literals)
    pool = chance.integers(0, 2, (max(rows // 3, 1), literals), dtype=np.uint8)
    records = pool[chance.integers(0, len(pool), rows)]
    weights = chance.integers(-9, 10, rows)
    equal = PackedRecords.of(records).equal()
    if literals == 0:
        assert len(equal.starts) == min(rows, 1)
        return
    expected, inverse = np.unique(records, axis=0, return_inverse=True)
    totals = np.zeros(len(expected), dtype=np.int64)
    np.add.at(totals, inverse.reshape(-1), weights)
    assert np.array_equal(records[equal.first()], expected)
    assert np.array_equal(equal.totals(weights), totals)


def test_a_column_in_the_second_word_tells_rows_apart() -> None:
    records = np.zeros((2, 100), dtype=np.uint8)
    records[0, 99] = 1
    assert PackedRecords.of(records).equal().first().tolist() == [1, 0]
