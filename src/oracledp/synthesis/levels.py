"""Long ordered columns counted at several nested levels, so that ranges add up few noisy counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from oracledp.privacy.accounting import split
from oracledp.synthesis.bins import ColumnBins, Floats
from oracledp.synthesis.denoise import probabilities
from oracledp.synthesis.hierarchy import combined_counts
from oracledp.synthesis.measurements import Meter, NoisyTable

LONG = 16  # ordered columns with at least so many values are denoised along their order


def measure_levels(meter: Meter, bins: Sequence[ColumnBins], rho: Fraction) -> list[NoisyTable]:
    """One table for every second level of bins of each ordered column that has fewer bins than the one before."""
    wanted = [
        (column, level)
        for column, binning in enumerate(bins)
        if meter.records.ordered[column] and not binning.stages
        for level in _useful(binning, meter.records.sizes[column])
    ]
    return [
        meter.table((column,), (level,), [bins[column].grouping(level)], part)
        for (column, level), part in zip(wanted, split(rho, [1.0] * len(wanted)), strict=True)
    ]


def _useful(binning: ColumnBins, size: int) -> list[int]:
    """Levels that at least halve the number of counts, down to three."""
    found, last = [], size
    for level, count in enumerate(binning.sizes()):
        if 3 <= count <= last / 2:
            found.append(level)
            last = count
    return found


def level_marginals(
    in_order: Sequence[int],
    one_ways: Sequence[NoisyTable],
    bins: Sequence[ColumnBins],
    total: float,
    before: Sequence[Floats],
) -> list[Floats]:
    """Each column's distribution from its values' counts and those of its levels; what has stages keeps what it had."""
    found = []
    for column, ordered in enumerate(in_order):
        if bins[column].stages:
            found.append(before[column])
            continue
        values, *coarser = [table for table in one_ways if table.columns == (column,)]
        levels = [(bins[column].grouping(t.levels[0]), t.values.astype(np.float64), float(t.variance)) for t in coarser]
        counts, _ = combined_counts(values.values.astype(np.float64), float(values.variance), levels)
        found.append(probabilities(counts, total, values.deviation, ordered if ordered >= LONG else 0))
    return found
