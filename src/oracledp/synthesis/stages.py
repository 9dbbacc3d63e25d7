"""Long ordered columns counted in stages: a few cells first, then smaller ones wherever many records lie.

Every stage is one contingency table whose cells follow from the stages before it, so that a value on which many records
lie ends in a cell of its own (an *atom*), and an empty stretch stays one cell (proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from oracledp.privacy.accounting import split
from oracledp.synthesis.bins import Floats, Integers, cells_of
from oracledp.synthesis.denoise import HEAVY, haar, in_proportion, thin_tails, to_simplex
from oracledp.synthesis.hierarchy import combined_counts
from oracledp.synthesis.measurements import Meter, NoisyTable

STAGED = 24  # values in order from which a column is counted in stages
_FIRST, _PARTS = 32, 20  # even cells of a first stage, and the parts of a cell that is cut, at most
_SMALL = 2.5  # standard deviations below which differences inside a cell are taken for noise
_MATTER = 64  # cells per stage that hold records
_LONG, _LONG_STAGES = 200, 3  # values from which a column is reckoned to take so many stages
_NOTHING = 1e-6  # records: what rounding leaves of a sum that is zero
_BIN = 0.02  # of the records, in the finest bin of a model


def staged(in_order: int) -> bool:
    """Whether a column with so many values in order is counted in stages."""
    return in_order >= STAGED


def effective_sizes(sizes: Sequence[int], in_order: Sequence[int]) -> list[int]:
    """How many counts each column takes, about: of what is stored at a resolution few cells matter."""
    return [
        min(_MATTER * (_LONG_STAGES if order > _LONG else 2) + size - order, size) if staged(order) else size
        for size, order in zip(sizes, in_order, strict=True)
    ]


def staged_thresholds(thresholds: Sequence[float]) -> list[float]:
    """The least masses of bins of a column counted in stages: its shape inside bins is known from the stages."""
    kept = [threshold for threshold in thresholds if threshold > _BIN]
    return kept if len(kept) == len(thresholds) else [_BIN, *kept]


def first_cells(size: int, in_order: int, coarse: Integers | None) -> Integers:
    """Where the cells of the first stage begin: as the column says, or even ones; *missing* is one of them."""
    if coarse is None:
        coarse = np.unique(np.linspace(0, in_order, min(_FIRST, in_order), endpoint=False).astype(np.int64))
    return np.append(coarse, np.arange(in_order, size))


def cuts_to_values(starts: Integers, in_order: int) -> tuple[int, int]:
    """How many further stages reach single values, and into how many parts each cuts a cell, at most: public.

    >>> cuts_to_values(np.array([0, 1, 11, 111]), 1111)
    (3, 10)
    """
    widest = int(np.diff(np.append(starts[starts < in_order], in_order)).max())
    cuts = max(ceil(log(widest) / log(_PARTS) - 1e-9), 1)
    return cuts, max(ceil(widest ** (1 / cuts) - 1e-9), 2)


def measure_stages(meter: Meter, column: int, rho: Fraction) -> tuple[tuple[Integers, ...], list[NoisyTable]]:
    """The first value of each cell, stage by stage, and their noisy counts; *missing* is always a cell of its own."""
    size, in_order = meter.records.sizes[column], meter.records.in_order[column]
    starts = first_cells(size, in_order, meter.records.coarse[column] if meter.records.coarse else None)
    cells: list[Integers] = []
    tables: list[NoisyTable] = []
    cuts, parts = cuts_to_values(starts, in_order)
    for stage, part in enumerate(split(rho, [1.0] * (1 + cuts))):
        cells.append(starts)
        tables.append(meter.table((column,), (-2 - stage,), [cells_of(starts, size)], part))
        starts = _cut(cells, tables, size, parts)
    return tuple(cells), tables


def _cut(cells: Sequence[Integers], tables: Sequence[NoisyTable], size: int, most: int) -> Integers:
    """Cut every cell that holds far more than noise, by all stages that counted it, into parts as equal as can be."""
    starts = cells[-1]
    widths = np.diff(np.append(starts, size))
    sums, times = np.zeros(len(starts)), np.zeros(len(starts))
    for before, table in zip(cells, tables, strict=True):
        place = np.searchsorted(before, starts, side="right") - 1
        same = np.diff(np.append(before, size))[place] == widths
        sums += np.where(same, table.values[place], 0)
        times += same
    heavy = (sums > HEAVY * tables[-1].deviation * times**0.5) & (widths > 1)
    parts = [
        start + np.arange(min(most, width)) * width // min(most, width) if cut else np.array([start])
        for start, width, cut in zip(starts.tolist(), widths.tolist(), heavy.tolist(), strict=True)
    ]
    return np.concatenate(parts).astype(np.int64)


def leaf_counts(cells: Sequence[Integers], tables: Sequence[NoisyTable]) -> Floats:
    """The counts of the last stage's cells, by least squares from all stages."""
    last = cells[-1]
    levels = [
        (np.searchsorted(starts, last, side="right") - 1, table.values.astype(np.float64), float(table.variance))
        for starts, table in zip(reversed(cells[:-1]), reversed(tables[:-1]), strict=True)
    ]
    return combined_counts(tables[-1].values.astype(np.float64), float(tables[-1].variance), levels)[0]


def stage_tables(tables: Sequence[NoisyTable], column: int) -> list[NoisyTable]:
    """Those of one column, in the order in which they were counted."""
    found = [table for table in tables if table.columns == (column,) and table.levels[0] < -1]
    return sorted(found, key=lambda table: -table.levels[0])


def leaf_masses(cells: Sequence[Integers], tables: Sequence[NoisyTable], in_order: int) -> Floats:
    """The distribution over the last stage's cells: differences that noise explains are smoothed away.

    From the first stage down, the parts of a cell are smoothed among themselves and made to add up to it, so that no
    negative count is cut off without another paying for it: mass neither appears nor is lost where cells are light.
    """
    leaves, last = leaf_counts(cells, tables), cells[-1]
    values = _first_masses(cells, tables, leaves, in_order)
    for stage in range(1, len(cells)):
        parent = np.searchsorted(cells[stage - 1], cells[stage], side="right") - 1
        own = np.searchsorted(cells[stage], last, side="right") - 1
        counts = np.bincount(own, weights=leaves, minlength=len(cells[stage])).astype(np.float64)
        noise = tables[stage].deviation / (len(tables) - stage) ** 0.5
        whole, values = values, values[parent]
        for cut in np.flatnonzero(np.bincount(parent) > 1):
            here = np.flatnonzero(parent == cut)
            values[here] = _shared(haar(counts[here], _SMALL * noise), float(whole[cut]))
    return in_proportion(values)


def _first_masses(cells: Sequence[Integers], tables: Sequence[NoisyTable], leaves: Floats, in_order: int) -> Floats:
    """The counts of the first stage's cells: those between heavy ones are smoothed, and beyond them a tail decays."""
    first, noise = cells[0], tables[-1].deviation / len(tables) ** 0.5
    cell = np.searchsorted(first, cells[-1], side="right") - 1
    counts = np.bincount(cell, weights=leaves, minlength=len(first)).astype(np.float64)
    inside = counts[first < in_order]
    heavy = inside > HEAVY * noise
    if heavy.any():
        begin, end = (int(place) for place in np.flatnonzero(heavy)[[0, -1]])
        for run in _runs(~heavy, begin, end):
            inside[run] = _shared(haar(inside[run], _SMALL * noise), float(inside[run].sum()))
        inside = thin_tails(inside, begin, end + 1, noise)
    return np.asarray(np.maximum(np.concatenate([inside, counts[first >= in_order]]), 0.0))


def _shared(counts: Floats, total: float) -> Floats:
    """The nearest counts that are not negative and have this sum, or none where it is nothing or less."""
    return np.asarray(total * to_simplex(counts / total)) if total > _NOTHING else np.zeros_like(counts)


def _runs(light: NDArray[np.bool_], first: int, last: int) -> list[slice]:
    """The stretches between two places where a mask holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], light[first : last + 1], [False]]).astype(np.int8)))
    return [slice(first + int(a), first + int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def spread_masses(starts: Integers, masses: Floats, values: int) -> Floats:
    """The distribution over the values: inside each cell a line whose slope lies between those to its neighbours.

    >>> spread_masses(np.array([0, 1, 3, 5]), np.array([0.4, 0.3, 0.2, 0.1]), 6).round(4).tolist()
    [0.4, 0.1625, 0.1375, 0.1, 0.1, 0.1]
    """
    widths = np.diff(np.append(starts, values)).astype(np.float64)
    heights = masses / widths
    middles = starts + (widths - 1) / 2
    rises = np.diff(heights) / np.diff(middles)
    before, after = np.append(0.0, rises), np.append(rises, 0.0)
    slopes = np.where(before * after > 0, np.sign(before) * np.minimum(np.abs(before), np.abs(after)), 0.0)
    most = 2 * heights / np.maximum(widths - 1, 1.0)
    slopes = np.clip(slopes, -most, most)
    cell = cells_of(starts, values)
    return np.asarray(heights[cell] + slopes[cell] * (np.arange(values) - middles[cell]))
