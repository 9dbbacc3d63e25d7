"""On few binary columns every conjunction can be checked: the largest error of all falls as the rows grow."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import oracledp as odp
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis import Synthesizer

COLUMNS = 6
SCHEMA = odp.Schema({"columns": {f"c{number}": {"kind": "boolean"} for number in range(COLUMNS)}})


def every(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of each conjunction of literals: every axis false, true or free."""
    for axis in range(table.ndim):
        table = np.concatenate([table, table.sum(axis=axis, keepdims=True)], axis=axis)
    return table


def histogram(codes: NDArray[np.int64]) -> NDArray[np.float64]:
    index = codes @ (1 << np.arange(COLUMNS)[::-1])
    return (np.bincount(index, minlength=1 << COLUMNS) / len(codes)).reshape((2,) * COLUMNS)


def chain(rows: int, seed: int) -> NDArray[np.int64]:
    """Each column is the one before it, flipped now and then."""
    flips = (np.random.default_rng(seed).random((rows, COLUMNS)) < 0.2).astype(np.int64)
    return np.cumsum(flips, axis=1) % 2


def test_the_transform_is_every_conjunction() -> None:
    codes = chain(200, 0)
    shares = every(histogram(codes))
    for choice in product(range(3), repeat=COLUMNS):
        held = np.all([codes[:, c] == want for c, want in enumerate(choice) if want < 2] or [np.ones(200)], axis=0)
        assert shares[choice] == pytest.approx(held.mean())


def test_the_largest_error_of_all_conjunctions_falls_with_rows() -> None:
    largest = []
    for rows in (500, 5_000, 50_000):
        codes = chain(rows, rows)
        fitted = Synthesizer(SCHEMA, epsilon=1, delta="1e-6")
        fitted.fit(odp.Table.from_codes(codes, SCHEMA), source=SeededRandomness(rows))
        made = fitted.sample(rows, seed=0).to_numpy(np.int64)
        largest.append(np.abs(every(histogram(codes) - histogram(made))).max())
    assert largest[0] < 0.2
    assert largest[1] < largest[0] / 2
    assert largest[2] < largest[1] / 2
