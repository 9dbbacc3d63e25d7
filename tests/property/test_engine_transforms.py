"""Tables over all subsets, and their scans in 32 and in 64 bits, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from oracledp._engine import SubsetTable
from oracledp.data.packed_records import PackedRecords

NO_SIZES = np.zeros((0, 0), dtype=np.int64)


def values_of_all(masks: np.ndarray, weights: np.ndarray, literals: int, parity: bool) -> np.ndarray:
    table = np.zeros(1 << literals, dtype=np.int64)
    np.add.at(table, masks, weights)
    for j in range(literals):
        halves = table.reshape(-1, 2, 1 << j)
        low, high = halves[:, 0].copy(), halves[:, 1].copy()
        halves[:, 0] = low + high
        if parity:
            halves[:, 1] = low - high
    return (table[0] - table) // 2 if parity else table


def first_best(values: np.ndarray, width: int, parts: np.ndarray, sizes: np.ndarray | None) -> tuple[int, int]:
    literals = len(parts)
    costs = np.zeros(1, dtype=np.int64)
    for cost in parts:
        costs = np.concatenate([costs, costs + cost])
    size = np.bitwise_count(np.arange(1 << literals)).astype(np.int64)
    total = values + costs
    if sizes is not None:
        total = total + np.append(sizes, np.zeros(literals - width, dtype=np.int64))[size]
    total = np.where(size <= width, total, 1 << 62)
    return int(total.argmin()), int(total.min())


def rows_of(masks: NDArray[np.uint32], literals: int) -> PackedRecords:
    """Literal j is bit j of a mask."""
    return PackedRecords.of(masks[:, None] >> np.arange(literals, dtype=np.uint32) & 1)


@pytest.mark.parametrize("parity", [False, True])
@pytest.mark.parametrize(("count", "most_literals"), [(4_000, 5), (1_000, 11), (20, 15)])
def test_the_first_best_subset_of_any_table(count: int, most_literals: int, parity: bool) -> None:
    """Units and noise of every scale: the 32-bit screen must never lose the answer that exact numbers give."""
    rng = np.random.default_rng([count, parity])
    for _ in range(count):
        literals = int(rng.integers(1, most_literals + 1))
        masks = np.unique(rng.integers(0, 1 << literals, int(rng.integers(0, 40)))).astype(np.uint32)
        unit = int(rng.choice([1, 3, 1 << 20, 6 << 30, 1 << 45]))
        weights = rng.integers(-9, 10, len(masks)) * unit
        if rng.random() < 0.2:  # no common unit to speak of: the table has 64 bits
            weights = rng.integers(-(1 << 55), 1 << 55, len(masks))
        width = literals if rng.random() < 0.4 else int(rng.integers(0, literals + 1))
        most = int(rng.choice([0, 1, 5, unit // 100 + 1, 3 * unit, 1000 * unit, 1 << 55]))
        parts, sizes = rng.integers(-most, most + 1, (2, literals)), rng.integers(-most, most + 1, (2, width + 1))
        table, values = (
            SubsetTable(rows_of(masks, literals), weights, parity),
            values_of_all(masks, weights, literals, parity),
        )
        for with_sizes in (False, True):
            found, best = table.best(width, parts, sizes if with_sizes else NO_SIZES)
            for run in range(2):
                expected = first_best(values, width, parts[run], sizes[run] if with_sizes else None)
                assert (int(found[run]), int(best[run])) == expected


def test_shapes_are_checked() -> None:
    one = rows_of(np.array([1], dtype=np.uint32), 3)
    table = SubsetTable(one, np.array([1]), False)
    with pytest.raises(ValueError, match="one row per run"):
        table.best(3, np.zeros((1, 2), dtype=np.int64), NO_SIZES)
    with pytest.raises(ValueError, match="one row per run"):
        table.best(3, np.zeros((1, 3), dtype=np.int64), np.zeros((1, 3), dtype=np.int64))
    with pytest.raises(ValueError, match="one weight each"):
        SubsetTable(one, np.array([1, 2]), False)
    with pytest.raises(ValueError, match="at most 30"):
        SubsetTable(PackedRecords.of(np.ones((1, 31), dtype=np.uint8)), np.array([1]), False)
    with pytest.raises(ValueError, match="past their last column"):
        SubsetTable(PackedRecords(one.words | np.uint64(1), 3), np.array([1]), False)
