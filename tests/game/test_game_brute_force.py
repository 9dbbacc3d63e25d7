"""The greatest error over all 2^d, and all 3^d, conjunctions falls with n and with T."""

from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import oracledp as odp
from oracledp.bounds import Game, Shape
from oracledp.game.oracle_query import OracleQuery
from oracledp.randomness.source import SeededRandomness


def table_of(columns: int, rows: int) -> odp.Table:
    rng = np.random.default_rng(3)
    codes = (rng.random((rows, columns)) < 0.6).astype(np.int64)
    for j in range(1, columns):
        copy = rng.random(rows) < 0.75
        codes[copy, j] = codes[copy, j - 1]
    return odp.Table.from_codes(codes, odp.Schema({"columns": {f"c{j}": {"kind": "boolean"} for j in range(columns)}}))


def cells(codes: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    columns = codes.shape[1]
    index = codes @ (1 << np.arange(columns)[::-1])
    return np.bincount(index, weights=weights, minlength=1 << columns).reshape((2,) * columns)


def worst(gap: NDArray[np.float64], *, signed: bool) -> float:
    """Over every conjunction: each column absent, true and, if signed, false."""
    for axis in range(gap.ndim):
        choices = [gap.sum(axis=axis), gap.take(1, axis=axis)] + ([gap.take(0, axis=axis)] if signed else [])
        gap = np.stack(choices, axis=axis)
    return float(np.abs(gap).max())


def error(columns: int, rows: int, *, signed: bool = False, **more: Any) -> float:
    table = table_of(columns, rows)
    literals = table.schema.literals.with_negations() if signed else table.schema.literals
    game = OracleQuery(table.schema, epsilon=1, delta="1e-6", queries=odp.Conjunctions(literals), **more)
    play = game.fit(table, source=SeededRandomness(8)).play_
    real = cells(table.codes.astype(np.int64), table.counts / table.rows)
    return worst(real - cells(play.records, play.shares), signed=signed)


def test_brute_force_agrees_with_the_class() -> None:
    """The transform over axes finds the same greatest error as a loop over all queries."""
    table, other = table_of(4, 400), table_of(4, 90)
    gap = cells(table.codes.astype(np.int64), table.counts / 400) - cells(
        other.codes.astype(np.int64), other.counts / 90
    )
    for signed in (False, True):
        literals = table.schema.literals.with_negations() if signed else table.schema.literals
        shares = [
            [float(t.counts[q(t.matrix(literals))].sum()) / t.rows for q in odp.Conjunctions(literals)]
            for t in (table, other)
        ]
        assert worst(gap, signed=signed) == pytest.approx(np.abs(np.subtract(*shares)).max())


@pytest.mark.parametrize(("columns", "signed"), [(10, False), (5, True)])
def test_the_error_over_all_conjunctions_falls_with_n(columns: int, signed: bool) -> None:
    few, some, many = (error(columns, rows, signed=signed) for rows in (400, 4000, 40_000))
    assert few > 1.5 * some > 1.5**2 * many
    assert many < 0.03


def test_the_error_over_all_conjunctions_falls_with_the_rounds() -> None:
    few, some, many = (error(10, 200_000, rounds=rounds) for rounds in (6, 25, 100))
    assert few > 1.8 * some > 1.8**2 * many
    assert many < 0.03


def test_the_papers_game_stays_below_its_bound() -> None:
    rounds, rows, columns = 200, 200_000, 6
    queries = odp.Conjunctions(table_of(columns, 2).schema.literals)
    promise = (Fraction(1), Fraction(1, 10**6))
    bound = Game(Shape.of(queries.closure()), columns, columns * log(2), *promise, rows).bound(rounds)
    assert error(columns, rows, rounds=rounds, responds_to="play", draws=400) <= bound.error < 1
