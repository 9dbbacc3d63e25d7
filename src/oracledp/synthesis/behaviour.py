"""Light values of long columns without order, grouped by how they behave: by the group of another column they go with.

Merged by weight alone, values of a code that have nothing in common would share a bin, and what the code says of other
columns would be lost. So the column is counted, value by value, against the column that depends on it most.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log, sqrt

import numpy as np

from oracledp.privacy.accounting import split
from oracledp.synthesis.bins import ColumnBins, Floats, Integers, grouped_bins
from oracledp.synthesis.measurements import Meter, NoisyTable

LONG = 100  # values without order from which they are traced
_LOOK, _MOST = 0.05, 0.4  # of the budget of pairs: to find the partner, and to count against it
_LOOKED_AT = 32  # groups of either column when a partner is looked for: many values each, which still differ
_GROUPS, _CELLS = 64, 400_000  # of the partner, and of the whole count, at most
_ALONE = 0.01  # of the records: a value of its own, and the least bin
_EVIDENCE = 3.0  # standard errors that a dependence must show
_STANDS_OUT, _HEAVIER = 2.0, 0.8  # by how much a value must: in its count with a group, and in all


def long_columns(meter: Meter, bins: Sequence[ColumnBins]) -> list[int]:
    """Columns without order that have many values, some of which share a bin."""
    records = meter.records
    return [
        column
        for column, (size, ordered) in enumerate(zip(records.sizes, records.ordered, strict=True))
        if not ordered and size >= LONG and bins[column].size < size
    ]


def behaving(
    meter: Meter,
    rho: Fraction,
    bins: Sequence[ColumnBins],
    masses: Sequence[Floats],
    total: float,
    thresholds: Sequence[float],
) -> tuple[list[ColumnBins], Fraction]:
    """Bins in which light values of long columns go together by behaviour, and what is left of a budget."""
    found, left = list(bins), rho
    columns = long_columns(meter, bins) if len(bins) > 1 else []
    for column in columns:
        others = [other for other in range(len(bins)) if other != column]
        share = min(_MOST, 1.2 / sqrt(len(bins) * (len(bins) - 1) / 2)) / len(columns)
        look, trace, rest = split(left, [_LOOK / len(columns), share, 1 - _LOOK / len(columns) - share])
        partner = _partner(meter, column, others, look, found, masses, total)
        if partner is None:
            left = trace + rest
            continue
        left = rest
        level = _level(found[partner], min(_GROUPS, _CELLS // meter.records.sizes[column]))
        groupings = [found[column].grouping(-1), found[partner].grouping(level)]
        table = meter.table((column, partner), (-1, level), groupings, trace)
        shares = np.add.reduceat(binned_mass(masses[partner], found[partner]), found[partner].starts[level])
        kinds = _kinds(table, masses[column], shares, total)
        least = [_ALONE, *(threshold for threshold in thresholds if threshold > _ALONE)]
        found[column] = grouped_bins(masses[column], kinds, _ALONE, least)
    return found, left


def binned_mass(mass: Floats, binning: ColumnBins) -> Floats:
    """Masses of values summed over the finest bins."""
    return np.bincount(binning.fine, weights=mass, minlength=binning.size).astype(np.float64)


def _level(binning: ColumnBins, most: int) -> int:
    """The finest level that is not too long."""
    return next((level for level, size in enumerate(binning.sizes()) if size <= most), len(binning.starts) - 1)


def _partner(
    meter: Meter,
    column: int,
    others: Sequence[int],
    rho: Fraction,
    bins: Sequence[ColumnBins],
    masses: Sequence[Floats],
    total: float,
) -> int | None:
    """The column that this one says most of, if it surely says anything: by one table each."""
    best, most = None, 0.0
    for other, part in zip(others, split(rho, [1.0] * len(others)), strict=True):
        own, level = _level(bins[column], _LOOKED_AT), _level(bins[other], _LOOKED_AT)
        groupings = [bins[column].grouping(own), bins[other].grouping(level)]
        table = meter.table((column, other), (own, level), groupings, part)
        rows = np.add.reduceat(binned_mass(masses[column], bins[column]), bins[column].starts[own])
        shares = np.add.reduceat(binned_mass(masses[other], bins[other]), bins[other].starts[level])
        rest = table.values - total * np.outer(rows, shares)
        noise = float(table.variance)
        energy = float((rest**2).sum()) - rest.size * noise
        if energy > max(most, _EVIDENCE * noise * (2 * rest.size) ** 0.5):
            best, most = other, energy
    return best


def _kinds(table: NoisyTable, mass: Floats, shares: Floats, total: float) -> Integers:
    """For each value the partner's group it goes with, or -1 where noise alone could say so.

    Of as many groups as there are, noise lifts one by the root of twice their logarithm: a value must be heavier.
    """
    rest = table.values - total * np.outer(mass, shares)
    heaviest_noise = sqrt(2 * log(max(rest.shape[1], 2))) * table.deviation
    known = (rest.max(axis=1) > _STANDS_OUT * table.deviation) & (total * mass > _HEAVIER * heaviest_noise)
    return np.where(known, rest.argmax(axis=1), -1).astype(np.int64)
