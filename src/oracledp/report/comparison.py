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
_LONG, _GROUPS = 100, 32  # codes of an ordered column that is grouped, and its groups


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
        cells, (a, b, c) = cell_shares((real, made, again), columns, grouped=True)
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


def cell_shares(
    tables: Sequence[Table], columns: Sequence[int], *, grouped: bool = False
) -> tuple[NDArray[np.int64], list[Floats]]:
    """The cells that occur in any of the tables, and each table's shares of them.

    With ``grouped`` long ordered columns are cut into groups of about equal mass of the first table: counts of single
    values there tell of little but luck.
    """
    groups = [groups_of(tables[0], column) if grouped else None for column in columns]
    sizes = [
        tables[0].schema.sizes[c] if group is None else int(group[-1]) + 1
        for c, group in zip(columns, groups, strict=True)
    ]
    index = [_indices(table, columns, sizes, groups) for table in tables]
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


def groups_of(table: Table, column: int) -> NDArray[np.int64] | None:
    """The group of each code of a long ordered column, *missing* by itself; None where every code is a group."""
    kind = table.schema.columns[column]
    if not kind.ordered or kind.size <= _LONG:
        return None
    mass = np.bincount(table.codes[:, column], weights=table.counts, minlength=kind.size)[: kind.value_size]
    middle = (np.cumsum(mass) - mass / 2) / max(mass.sum(), 1)
    found = np.unique(np.minimum((middle * _GROUPS).astype(np.int64), _GROUPS - 1), return_inverse=True)[1]
    return np.append(found, np.arange(found[-1] + 1, found[-1] + 1 + kind.size - kind.value_size)).astype(np.int64)


def _indices(
    table: Table, columns: Sequence[int], sizes: Sequence[int], groups: Sequence[NDArray[np.int64] | None]
) -> NDArray[np.int64]:
    index = np.zeros(len(table.counts), dtype=np.int64)
    for column, size, group in zip(columns, sizes, groups, strict=True):
        codes = table.codes[:, column]
        index = index * size + (codes if group is None else group[codes])
    return index


def _cell(table: Table, columns: Sequence[int], cell: int) -> str:
    """A cell of grouped columns in words."""
    parts = []
    for c in reversed(columns):
        column, group = table.schema.columns[c], groups_of(table, c)
        cell, code = divmod(cell, column.size if group is None else int(group[-1]) + 1)
        inside = [code] if group is None else np.flatnonzero(group == code).tolist()
        ends = dict.fromkeys((column.labels[inside[0]], column.labels[inside[-1]]))
        parts.append(f"{column.name} = {' to '.join(ends)}")
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
