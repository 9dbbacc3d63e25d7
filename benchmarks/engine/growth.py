"""How the time of a search over conjunctions grows in rows, literals, width, noise and density."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.engine import instances
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.measure import Row, Settings, measure, unprepared
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.problem import WeightedProblem

MOST_WORK = 2_000_000_000  # blocks of records: ten seconds or so
KINDS = ("label", "random")


def growth(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """One axis after the other, the rest held fixed."""
    for axis in (in_rows, in_literals, in_width, in_noise, in_density):
        yield from axis(table, settings)


def in_rows(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Fifty literals at epsilon 10."""
    for rows in (500, 1000) if settings.quick else (1000, 3000, 10_000, 30_000, table.rows):
        few = table.head(rows)
        for kind in KINDS:
            made = instances.conjunctions(few.columns[:, : _most(settings, 50)], instances.signs(kind, few.label))
            yield _timed("rows", rows, kind, made, 10.0, settings)


def in_literals(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """All rows at epsilon 10."""
    for literals in (8, 12) if settings.quick else (10, 20, 30, 40, 50, 70, 100):
        for kind in KINDS:
            made = instances.conjunctions(table.columns[:, :literals], instances.signs(kind, table.label))
            yield _timed("literals", literals, kind, made, 10.0, settings)


def in_width(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Thirty columns and their negations, all rows, no noise."""
    columns = instances.with_negations(table.columns[:, : _most(settings, 30)])
    for kind in KINDS:
        for width in (1, 2, 3) if settings.quick else (1, 2, 3, 4, 5, 6, 8, 10):
            made = instances.conjunctions(columns, instances.signs(kind, table.label), width)
            yield _timed("width", width, kind, made, None, settings)


def in_noise(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Thirty columns and their negations, all rows; separator noise of scale 2d/epsilon."""
    columns = instances.with_negations(table.columns[:, : _most(settings, 30)])
    for kind in KINDS:
        made = instances.conjunctions(columns, instances.signs(kind, table.label))
        for epsilon in (1.0, 100.0) if settings.quick else (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0):
            yield _timed("noise", epsilon, kind, made, epsilon, settings)


def in_density(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Independent random columns, random signs, no noise: 10,000 rows of 50, and of 30."""
    rows, sizes = (500, (10,)) if settings.quick else (10_000, (30, 50))
    for literals in sizes:
        for density in (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95):
            rng = np.random.default_rng(1)
            columns = (rng.random((rows, literals)) < density).astype(np.uint8)
            made = instances.conjunctions(columns, instances.signs("random", np.zeros(rows, dtype=bool)))
            yield _timed("density", density, f"random, {literals} columns", made, None, settings)


def _most(settings: Settings, columns: int) -> int:
    return 10 if settings.quick else columns


def _timed(axis: str, at: float, kind: str, made: WeightedProblem, epsilon: float | None, settings: Settings) -> Row:
    noisy = unprepared(made.with_noise(instances.separator_costs(made, epsilon)[0]))
    facts = {"case": f"{axis}={at} {kind}", "axis": axis, "at": at, "kind": kind}
    return measure(facts, noisy, BranchAndBoundOracle(work_limit=MOST_WORK), settings)
