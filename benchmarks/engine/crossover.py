"""Which oracle is fastest by class and size: every one that serves the class, on the same instance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.engine import instances
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.labelled import Bits
from benchmarks.engine.measure import LONG_SECONDS, Row, Settings, unprepared, warm
from benchmarks.engine.timing import best_of, timed, within
from oracledp.classes import Conjunctions, DecisionLists, Halfspaces, Parities, QueryClass, ReadOnceFormulas
from oracledp.oracles.base import Failed
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import available, resolve, total_oracles

LIMIT = 5.0  # CPU seconds for each oracle
ROWS = 1000
FEW = 1 << 26


def crossover(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Labels, k-hot noise at epsilon 1; a thousand rows, and all of them (without solvers) for subsets."""
    few = table.head(ROWS)
    for queries in _small() if settings.quick else _classes():
        yield _compare(queries, few, settings)
    for queries in () if settings.quick else _subsets():
        yield _compare(queries, table, settings)
    for literals in () if settings.quick else (16, 20, 22, 24, 26):
        yield _compare(Conjunctions(instances.named(literals)), _dense(), settings, epsilon=1000.0)


def _small() -> Iterator[QueryClass]:
    names = instances.named
    yield from (Conjunctions(names(8)), Parities(names(8)), Halfspaces(names(6)), DecisionLists(names(6), length=2))


def _subsets() -> Iterator[QueryClass]:
    names = instances.named
    yield from (Conjunctions(names(d)) for d in (8, 12, 16, 20, 22, 24, 26))
    yield from (Parities(names(d)) for d in (8, 16, 20, 24, 26))
    yield from (Parities(names(d), max_width=3) for d in (16, 20, 24, 50))


def _classes() -> Iterator[QueryClass]:
    yield from _subsets()
    names = instances.named
    yield from (Parities(names(d)) for d in (28, 40))
    yield from (Conjunctions(names(d), max_width=3) for d in (10, 20, 50))
    yield from (Halfspaces(names(d)) for d in (4, 6, 8, 10, 12, 14))
    yield from (Halfspaces(names(d)) for d in (24,))
    yield from (Halfspaces(names(d), max_nonzero=3) for d in (8, 20, 43))
    yield from (DecisionLists(names(d), length=2) for d in (6, 12, 43))
    yield from (DecisionLists(names(d), length=3) for d in (6, 12))
    yield from (DecisionLists(names(d), length=12) for d in (40,))
    yield from (ReadOnceFormulas(names(d)) for d in (3, 4, 5, 6))


def _dense() -> BenchmarkTable:
    """Independent columns that are one in four rows of five, and random labels: nothing to prune by."""
    rng = np.random.default_rng(1)
    columns = (rng.random((10_000, 26)) < 0.8).astype(np.uint8)
    label = rng.random(len(columns)) < 0.5
    return BenchmarkTable("dense random", columns, label, columns, label)


def _compare(queries: QueryClass, table: BenchmarkTable, settings: Settings, epsilon: float = 1.0) -> Row:
    columns = _columns(queries, table)
    made = WeightedProblem.build(queries, columns, instances.signs("label", table.label))
    parts, sizes = instances.hot_costs(made, epsilon, 1)
    noisy = unprepared(made.with_noise(parts[0], sizes[0]))
    names = [name for name in ("transform", "search", "exhaustive") if total_oracles(queries, len(columns), name)]
    names += [name for name in ("cp-sat", "maxsat") if settings.peers and table.rows <= ROWS and name in available()]
    limit = min(LIMIT, settings.limit)
    outcomes = {name: _outcome(_seconds(name, noisy, limit), limit) for name in names}
    words = describe(queries) + (", dense random" if table.name == "dense random" else "")
    case = f"{words} n={table.rows}"
    facts = {"case": case, "queries": queries.size, "n": table.rows, "literals": queries.dimension}
    return {
        **facts,
        "class": words,
        "auto": resolve("auto", queries, len(columns)).name,
        "oracles": outcomes,
    }


def describe(queries: QueryClass) -> str:
    """The class in a few words."""
    shape = f"{queries.kind}, {queries.dimension} literals"
    if isinstance(queries, Halfspaces):
        return shape + (f", at most {queries.budget} non-zero" if queries.sparse else "")
    if isinstance(queries, DecisionLists):
        return f"{shape}, length {queries.positions}"
    bounded = isinstance(queries, Conjunctions | Parities) and queries.width < queries.dimension
    return f"{shape}, width {queries.hot}" if bounded else shape


def _columns(queries: QueryClass, table: BenchmarkTable) -> Bits:
    return table.columns[:, : queries.dimension]


def _seconds(name: str, problem: WeightedProblem, limit: float) -> tuple[float, float] | str | None:
    """Our own searches here, what may run long in a process that can be stopped."""
    if (name in ("transform", "search") and problem.query_class.size <= FEW) or (
        name == "search" and _bounded(problem)
    ):
        return oracle_seconds(name, unprepared(problem))
    return within(limit, oracle_seconds, name, problem)


def _bounded(problem: WeightedProblem) -> bool:
    """Whether the search prunes: for parities it goes through them all."""
    return not isinstance(problem.query_class, Parities)


def oracle_seconds(name: str, problem: WeightedProblem) -> tuple[float, float] | str:
    """CPU seconds with preparation, and without; or why there are none."""
    warm(name)
    oracle = resolve(name, problem.query_class, len(problem.records))
    first, answer = timed(lambda: oracle.solve(problem))
    if isinstance(answer, Failed):
        return answer.reason
    again = first if first > LONG_SECONDS else best_of(lambda: oracle.solve(problem), most=5)[0]
    return first, again


def _outcome(spent: tuple[float, float] | str | None, limit: float) -> Row:
    if spent is None:
        return {"first": limit, "finished": False}
    if isinstance(spent, str):
        return {"first": limit, "finished": False, "failed": spent}
    return {"first": spent[0], "again": spent[1], "finished": True}
