"""Random partitions of a histogram: nothing is lost, sizes are met, bad sizes are refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.errors import CapacityError, ParameterError
from oracledp.randomness.noise import hypergeometric_parts, hypergeometric_split
from oracledp.randomness.source import SeededRandomness


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    counts=st.lists(st.integers(0, 40), max_size=12),
    cuts=st.lists(st.integers(0, 480), max_size=9),
    seed=st.integers(0, 2**32),
)
def test_every_row_lands_once(counts: list[int], cuts: list[int], seed: int) -> None:
    bounds = sorted(min(cut, sum(counts)) for cut in cuts)
    sizes = [upper - lower for lower, upper in pairwise(bounds)]
    array = np.array(counts, dtype=np.int64)
    matrix = hypergeometric_split(array, sizes, SeededRandomness(seed))
    assert matrix.shape == (len(sizes), len(counts))
    assert matrix.sum(axis=1).tolist() == sizes
    assert (matrix >= 0).all()
    assert (matrix.sum(axis=0) <= array).all()
    for row, (records, held) in zip(matrix, hypergeometric_parts(array, sizes, SeededRandomness(seed)), strict=True):
        assert records.tolist() == np.flatnonzero(row).tolist()
        assert held.tolist() == row[records].tolist()


def test_the_whole_table_as_one_part() -> None:
    assert hypergeometric_split(np.array([4, 0, 9]), [13], SeededRandomness(1)).tolist() == [[4, 0, 9]]


def test_more_parts_than_label_cells() -> None:
    counts = np.full(70_000, 2)
    matrix_parts = hypergeometric_parts(counts, [2] * 70_000, SeededRandomness(1))
    held = np.concatenate([np.repeat(records, count) for records, count in matrix_parts])
    assert np.bincount(held).tolist() == counts.tolist()


@pytest.mark.parametrize("sizes", [[6], [-1, 2], [3, 3]])
def test_bad_sizes(sizes: list[int]) -> None:
    with pytest.raises(ParameterError, match="sizes"):
        hypergeometric_parts(np.array([2, 3]), sizes, SeededRandomness(0))


@pytest.mark.parametrize("counts", [np.array([1, -1]), np.array([1.0]), np.zeros((1, 1), dtype=np.int64)])
def test_bad_counts(counts: np.ndarray) -> None:
    with pytest.raises(ParameterError, match="counts"):
        hypergeometric_parts(counts, [0], SeededRandomness(0))


def test_counts_beyond_capacity() -> None:
    with pytest.raises(CapacityError):
        hypergeometric_parts(np.array([2**62, 2**62]), [1], SeededRandomness(0))
