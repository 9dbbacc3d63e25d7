"""How far a synthetic table is from the real one, exactly: marginals, random queries, and the worst of all.

**Not private.** Every figure is an exact function of the private rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.report.workloads import KINDS, random_queries, shares

Floats = NDArray[np.float64]
MOST_SETS = 500  # sets of columns per order; more are sampled
_DENSE = 1 << 20  # cells of a marginal that is counted as an array


@dataclass(frozen=True)
class Gap:
    """One query in words, with its share of the real and of the synthetic records."""

    query: str
    real: float
    made: float

    @property
    def error(self) -> float:
        """How far apart the shares are."""
        return abs(self.real - self.made)


@dataclass(frozen=True)
class WorkloadError:
    """The errors on one workload; ``resampled`` is the mean error that a fresh sample of the same people would have."""

    workload: str
    queries: int
    mean: float
    largest: float
    resampled: float
    worst: tuple[Gap, ...]


@dataclass(frozen=True)
class Comparison:
    """Two tables of one schema side by side, and the errors by workload."""

    real: Table
    made: Table
    workloads: tuple[WorkloadError, ...]

    @property
    def worst(self) -> tuple[Gap, ...]:
        """The queries with the largest errors, over all workloads."""
        found = {gap.query: gap for workload in self.workloads for gap in workload.worst}
        return tuple(sorted(found.values(), key=lambda gap: -gap.error))


def compare(real: Table, made: Table, *, queries: int = 400, seed: int = 0) -> Comparison:
    """Measure every workload: marginals of one to three columns, and ``queries`` random queries of each kind."""
    if real.schema != made.schema:
        raise ParameterError("the real and the synthetic table have different schemas")
    generator = np.random.default_rng(seed)
    again = resample(real, generator)
    orders = [order for order in (1, 2, 3) if order <= len(real.schema.columns)]
    found = [marginal_errors(real, made, again, order, generator) for order in orders]
    found += [_query_errors(real, made, again, kind, queries, generator) for kind in KINDS]
    return Comparison(real, made, tuple(found))


def resample(table: Table, generator: np.random.Generator) -> Table:
    """As many rows as the table has, drawn from it with replacement: how much luck alone moves a table."""
    counts = generator.multinomial(table.rows, table.counts / table.rows)
    return Table.from_codes(table.codes[counts > 0], table.schema, counts[counts > 0].astype(np.int64))


def marginal_errors(
    real: Table, made: Table, again: Table, order: int, generator: np.random.Generator, worst: int = 5
) -> WorkloadError:
    """The cells of all marginals of some order, or of 500 at random; ``mean`` is the mean total variation distance."""
    chosen = column_sets(len(real.schema.columns), order, generator)
    gaps: list[Gap] = []
    distances, lucks, largest = [], [], 0.0
    for columns in chosen:
        cells, (a, b, c) = cell_shares((real, made, again), columns)
        difference = np.abs(a - b)
        distances.append(float(difference.sum() / 2))
        lucks.append(float(np.abs(a - c).sum() / 2))
        top = int(difference.argmax())
        largest = max(largest, float(difference[top]))
        gaps.append(Gap(_cell(real, columns, int(cells[top])), float(a[top]), float(b[top])))
    gaps.sort(key=lambda gap: -gap.error)
    name = f"marginals of {order} column{'s' * (order > 1)}"
    return WorkloadError(
        name, len(chosen), float(np.mean(distances)), largest, float(np.mean(lucks)), tuple(gaps[:worst])
    )


def column_sets(width: int, order: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """All sets of columns, or some of them where there are too many."""
    if comb(width, order) <= MOST_SETS:
        return list(combinations(range(width), order))
    found: set[tuple[int, ...]] = set()
    while len(found) < MOST_SETS:
        found.add(tuple(sorted(generator.choice(width, order, replace=False).tolist())))
    return sorted(found)


def cell_shares(tables: Sequence[Table], columns: Sequence[int]) -> tuple[NDArray[np.int64], list[Floats]]:
    """The cells that occur in any of the tables, and each table's shares of them."""
    sizes = [tables[0].schema.sizes[c] for c in columns]
    index = [_indices(table, columns, sizes) for table in tables]
    if prod(sizes) <= _DENSE:
        cells: NDArray[np.int64] = np.arange(prod(sizes))
        places: Iterable[NDArray[np.int64]] = index
    else:
        cells, inverse = np.unique(np.concatenate(index), return_inverse=True)
        places = np.split(inverse.ravel(), np.cumsum([len(i) for i in index])[:-1])
    return cells, [
        np.bincount(place, weights=table.counts, minlength=len(cells)) / table.rows
        for place, table in zip(places, tables, strict=True)
    ]


def _indices(table: Table, columns: Sequence[int], sizes: Sequence[int]) -> NDArray[np.int64]:
    index = np.zeros(len(table.counts), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        index = index * size + table.codes[:, column]
    return index


def _cell(table: Table, columns: Sequence[int], cell: int) -> str:
    """A cell in words."""
    parts = []
    for c in reversed(columns):
        cell, code = divmod(cell, table.schema.sizes[c])
        parts.append(f"{table.schema.columns[c].name} = {table.schema.columns[c].labels[code]}")
    return " and ".join(reversed(parts))


def _query_errors(
    real: Table, made: Table, again: Table, kind: str, count: int, generator: np.random.Generator, worst: int = 5
) -> WorkloadError:
    queries = random_queries(real, kind, count, generator)
    truth, answers = shares(queries, real), shares(queries, made)
    errors = np.abs(truth - answers)
    gaps = tuple(Gap(str(queries[i]), float(truth[i]), float(answers[i])) for i in np.argsort(-errors)[:worst])
    luck = float(np.abs(truth - shares(queries, again)).mean())
    return WorkloadError(f"random {kind}", count, float(errors.mean()), float(errors.max()), luck, gaps)
