"""Unbiased shares of records with known variance, read off the released counts without the model.

Estimates from different measurements have independent noise, so their best linear combination weighs each by its
precision (proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from oracledp.synthesis.counted import CountedQuery
from oracledp.synthesis.measurements import NoisyTable
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.parity_answers import parity_estimate

Mask = NDArray[np.bool_]
Estimate = tuple[float, float]  # a share and its standard deviation


def combined(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """The precision-weighted mean of independent estimates; None if there are none.

    >>> combined([(0.5, 0.5), None, (0.75, 0.5)])[0]
    0.625
    """
    found = [estimate for estimate in estimates if estimate is not None]
    exact = [estimate for estimate in found if estimate[1] == 0]
    if exact or not found:
        return exact[0] if exact else None
    precision = [1 / deviation**2 for _, deviation in found]
    mean = sum(p * value for p, (value, _) in zip(precision, found, strict=True)) / sum(precision)
    return mean, 1 / sqrt(sum(precision))


def part_estimate(model: SyntheticModel, part: tuple[int, ...], allowed: Sequence[Mask]) -> Estimate | None:
    """The share of records allowed in a few columns, from every table and every parity that resolves it."""
    wider = [_from_table(model, table, part, allowed) for table in model.tables if set(part) < set(table.columns)]
    if len(part) == 1:
        (column,) = part
        mask = allowed[column]
        own = _by_levels(model, column, mask) if np.array_equal(inner_mask(model, column, mask), mask) else None
        return combined([own, *wider])
    same = [_from_table(model, table, part, allowed) for table in model.tables if table.columns == part]
    return combined([*same, *wider, parity_estimate(model, part, allowed), *_measured(model, part, allowed)])


def inner_mask(model: SyntheticModel, column: int, mask: Mask) -> Mask:
    """The values of a mask whose last cells lie wholly inside it; of a column that was not counted in stages, all."""
    stages = model.bins[column].stages
    if not stages:
        return mask
    cells = model.bins[column].grouping(-1 - len(stages))
    return np.asarray((np.bincount(cells, weights=mask) == np.bincount(cells))[cells])


def inner_estimate(model: SyntheticModel, column: int, mask: Mask) -> Estimate:
    """The share of records whose values lie in cells that are wholly inside a mask: at most that of the mask."""
    return _by_levels(model, column, inner_mask(model, column, mask))


def query_estimate(model: SyntheticModel, columns: Sequence[int], allowed: Sequence[Mask]) -> Estimate | None:
    """The share from counts of this very query, for queries of more columns than tables have."""
    return combined(_measured(model, tuple(columns), allowed))


def _measured(model: SyntheticModel, columns: tuple[int, ...], allowed: Sequence[Mask]) -> list[Estimate]:
    return [
        ((sign * int(value) / model.total + 1) / 2, group.deviation / (2 * model.total))
        for group in model.queries
        for query, value in zip(group.queries, group.values.tolist(), strict=True)
        if (sign := _same(query, columns, allowed)) != 0
    ]


def _same(query: CountedQuery, columns: tuple[int, ...], allowed: Sequence[Mask]) -> int:
    """1 if a counted query is the conjunction of these masks, -1 if it is its negation, else 0."""
    form = query.product()
    if form is None or query.columns != columns or (form[0], form[1]) not in ((0.0, 1.0), (1.0, -1.0)):
        return 0
    alike = all(np.array_equal(f == 1.0, allowed[c]) for c, f in zip(columns, form[2], strict=True))
    return int(form[1]) if alike else 0


def _from_table(
    model: SyntheticModel, table: NoisyTable, part: tuple[int, ...], allowed: Sequence[Mask]
) -> Estimate | None:
    """The sum of a table's cells, over all of the other columns; None if a bin is cut through."""
    masks = []
    for column, level in zip(table.columns, table.levels, strict=True):
        grouping = model.bins[column].grouping(level)
        mask = allowed[column] if column in part else np.ones_like(allowed[column])
        held = np.bincount(grouping, weights=mask) / np.bincount(grouping)
        if np.any((held > 0) & (held < 1)):
            return None
        masks.append(held > 0)
    chosen = table.values[np.ix_(*masks)]
    return float(chosen.sum()) / model.total, sqrt(chosen.size * table.variance) / model.total


def _by_levels(model: SyntheticModel, column: int, allowed: Mask) -> Estimate:
    """The cheapest sum of whole groups from coarse to fine; which one is cheapest depends on variances alone."""
    tables = [table for table in model.tables if table.columns == (column,)]
    tables.sort(key=lambda table: table.values.size)
    return min((_cover(model, tables[first:], column, allowed) for first in range(len(tables))), key=lambda e: e[1])


def _cover(model: SyntheticModel, tables: Sequence[NoisyTable], column: int, allowed: Mask) -> Estimate:
    """Groups that lie wholly inside the mask, coarsest first; the table of the values takes what is left."""
    left, count, variance = allowed.copy(), 0.0, 0.0
    for table in tables:
        grouping = model.bins[column].grouping(table.levels[0])
        whole = np.bincount(grouping, weights=left) == np.bincount(grouping)
        count += float(table.values[whole].sum())
        variance += int(whole.sum()) * float(table.variance)
        left &= ~whole[grouping]
    return count / model.total, sqrt(variance) / model.total
