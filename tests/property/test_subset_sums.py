"""The engine's sums over all small sets of columns against adding up in Python."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracledp._engine import subset_sums
from oracledp.data.packed_records import PackedRecords


@given(
    st.integers(0, 70), st.integers(0, 7), st.integers(0, 4), st.sampled_from([1, 6, 2**40, 2**55]), st.integers(0, 9)
)
def test_every_set_has_its_sum(rows: int, columns: int, width: int, largest: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    records = chance.integers(0, 2, (rows, columns), dtype=np.uint8)
    weights = chance.integers(-largest, largest + 1, rows)
    sets = [chosen for size in range(width + 1) for chosen in combinations(range(columns), size)]
    expected = [sum(weights[records[:, list(chosen)].all(axis=1)].tolist()) for chosen in sets]
    assert subset_sums(PackedRecords.of(records), weights, width).tolist() == expected


def test_blocks_of_many_rows_are_added_up() -> None:
    chance = np.random.default_rng(3)
    records = chance.integers(0, 2, (3000, 9), dtype=np.uint8)
    records = np.hstack([records, 1 - records])  # opposite columns share the bits of a key
    weights = chance.integers(-1000, 1001, 3000)
    pairs = [weights[(records[:, a] & records[:, b]) == 1].sum() for a, b in combinations(range(18), 2)]
    assert subset_sums(PackedRecords.of(records), weights, 2)[19:].tolist() == pairs


def test_a_negative_width_is_refused() -> None:
    with pytest.raises(ValueError, match="no columns"):
        subset_sums(PackedRecords.of(np.zeros((1, 2), dtype=np.uint8)), np.ones(1, dtype=np.int64), -1)
