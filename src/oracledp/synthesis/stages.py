"""Long ordered columns counted in stages: a few cells that suit them first, then smaller ones where many records lie.

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
from oracledp.synthesis.denoise import bulk, details, haar, in_proportion, to_simplex
from oracledp.synthesis.hierarchy import combined_counts
from oracledp.synthesis.locating import WORTH, cut_cells, located
from oracledp.synthesis.measurements import Meter, NoisyTable
from oracledp.synthesis.tails import with_tails

STAGED = 24  # values in order from which a column is counted in stages
_PARTS = 20  # of a cell that is cut, at most
_WINDOWS = (2, 4, 8)  # neighbouring cells that may show together what none shows alone
_SMALL = 2.5  # standard deviations below which differences inside a cell are taken for noise
_MATTER = 64  # cells per stage that hold records
_LONG, _LONG_STAGES = 200, 3  # values from which a column is reckoned to take so many stages
_EXACT = 1e-9  # the variance of a number that is taken as it is
_NOTHING = 1e-6  # records: what rounding leaves of a sum that is zero
_TINY = 1e-300  # the least density that is divided by
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


def cuts_to_values(starts: Integers, in_order: int) -> tuple[int, int]:
    """How many further stages reach single values, and into how many parts each cuts a cell, at most.

    >>> cuts_to_values(np.array([0, 1, 11, 111]), 1111)
    (3, 10)
    """
    widest = int(np.diff(np.append(starts[starts < in_order], in_order)).max())
    cuts = max(ceil(log(widest) / log(_PARTS) - 1e-9), 1)
    return cuts, max(ceil(widest ** (1 / cuts) - 1e-9), 2)


def measure_stages(meter: Meter, column: int, rho: Fraction) -> tuple[tuple[Integers, ...], list[NoisyTable]]:
    """The first value of each cell, stage by stage, and their noisy counts; *missing* is always a cell of its own.

    The looks that say where a column lies are not among them.
    """
    size, in_order = meter.records.sizes[column], meter.records.in_order[column]
    starts, spent = located(meter, column, rho)
    cells: list[Integers] = []
    tables: list[NoisyTable] = []
    cuts, parts = cuts_to_values(starts, in_order)
    for stage, part in enumerate(split(rho - spent, [1.0] * (1 + cuts))):
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
    heavy = (sums > WORTH * tables[-1].deviation * times**0.5) & (widths > 1)
    return cut_cells(starts, size, heavy, most)


def leaf_counts(cells: Sequence[Integers], tables: Sequence[NoisyTable], total: float | None = None) -> Floats:
    """The counts of the last stage's cells, by least squares from all stages; they add up to a ``total`` that is known.

    A total is known far better than the sum of a table's noisy cells: what they are off is shared among all of them.
    """
    last = cells[-1]
    levels = [
        (np.searchsorted(starts, last, side="right") - 1, table.values.astype(np.float64), float(table.variance))
        for starts, table in zip(reversed(cells[:-1]), reversed(tables[:-1]), strict=True)
    ]
    if total is not None:
        levels.append((np.zeros(len(last), dtype=np.int64), np.array([total]), _EXACT))
    return combined_counts(tables[-1].values.astype(np.float64), float(tables[-1].variance), levels)[0]


def stage_tables(tables: Sequence[NoisyTable], column: int) -> list[NoisyTable]:
    """Those of one column, in the order in which they were counted."""
    found = [table for table in tables if table.columns == (column,) and table.levels[0] < -1]
    return sorted(found, key=lambda table: -table.levels[0])


def leaf_masses(
    cells: Sequence[Integers], tables: Sequence[NoisyTable], steps: Integers, total: float | None = None
) -> Floats:
    """The distribution over the last stage's cells: differences that noise explains are smoothed away.

    From the first stage down, the parts of a cell are taken to lie as the cells around it suggest; what their own
    counts say otherwise, beyond the noise, is added, and they are made to add up to the cell, so that no negative count
    is cut off without another paying for it. ``steps`` say where on the axis of the values each code in order begins,
    and where the last ends.
    """
    leaves, held = leaf_counts(cells, tables, total), [int((starts < len(steps) - 1).sum()) for starts in cells]
    first = _summed(leaves, cells, 0)
    values = _first_masses(first[: held[0]], _edges(cells[0], steps), tables[-1].deviation / len(tables) ** 0.5)
    for stage in range(1, len(cells)):
        parent = np.searchsorted(cells[stage - 1], cells[stage][: held[stage]], side="right") - 1
        expected = between(_edges(cells[stage - 1], steps), values, _edges(cells[stage], steps))
        counts = _summed(leaves, cells, stage)[: held[stage]]
        small = _SMALL * tables[stage].deviation / (len(tables) - stage) ** 0.5
        for cut in np.flatnonzero(np.bincount(parent) > 1):
            here = np.flatnonzero(parent == cut)
            expected[here] = _shared(_smoothed(counts[here], expected[here], small), float(values[cut]))
        values = expected
    return in_proportion(np.concatenate([values, first[held[0] :]]))


def _smoothed(counts: Floats, expected: Floats, small: float) -> Floats:
    """Counts without differences that noise explains: from what is expected, or from each other if those are fewer."""
    apart = counts - expected
    if details(apart, small) > details(counts, small):
        return haar(counts, small)
    return np.asarray(expected + haar(apart, small))


def _summed(leaves: Floats, cells: Sequence[Integers], stage: int) -> Floats:
    """What the cells of a stage hold, by the counts of the last stage's."""
    place = np.searchsorted(cells[stage], cells[-1], side="right") - 1
    return np.bincount(place, weights=leaves, minlength=len(cells[stage])).astype(np.float64)


def _edges(starts: Integers, steps: Integers) -> Floats:
    """Where the cells of values in order begin on the axis of the values, and where the last of them ends."""
    return np.append(steps[starts[starts < len(steps) - 1]], steps[-1]).astype(np.float64)


def _first_masses(counts: Floats, edges: Floats, noise: float) -> Floats:
    """The counts of the first stage's cells: those between heavy ones are smoothed, and beyond them tails die away."""
    inside = counts.copy()
    begin, end = bulk(inside, noise, _WINDOWS)
    for run in _runs(inside <= WORTH * noise, begin, end - 1):
        inside[run] = _shared(haar(inside[run], _SMALL * noise), float(inside[run].sum()))
    inside = with_tails(inside, np.full(len(inside), noise), edges, begin, end)
    return np.asarray(np.maximum(inside, 0.0))


def _shared(counts: Floats, total: float) -> Floats:
    """The nearest counts that are not negative and have this sum, or none where it is nothing or less."""
    return np.asarray(total * to_simplex(counts / total)) if total > _NOTHING else np.zeros_like(counts)


def _runs(light: NDArray[np.bool_], first: int, last: int) -> list[slice]:
    """The stretches between two places where a mask holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], light[first : last + 1], [False]]).astype(np.int8)))
    return [slice(first + int(a), first + int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def spread_masses(starts: Integers, masses: Floats, steps: Integers) -> Floats:
    """The distribution over the codes, given that over cells: smooth inside them, and each cell keeps its mass.

    >>> spread_masses(np.array([0, 1, 3, 5]), np.array([0.4, 0.3, 0.2, 0.1]), np.arange(7)).round(4).tolist()
    [0.4, 0.1719, 0.1281, 0.105, 0.095, 0.1]
    """
    edges = _edges(starts, steps)
    inside = between(edges, masses[: len(edges) - 1], steps.astype(np.float64))
    return np.concatenate([inside, masses[len(edges) - 1 :]])


def between(edges: Floats, masses: Floats, finer: Floats) -> Floats:
    """Masses of finer cells: their sum so far goes smoothly through that of the cells, and never falls.

    A cubic between every two edges whose slopes there are the weighted harmonic means of those on either side
    (Fritsch, Butland 1984).

    >>> between(np.array([0.0, 2, 4]), np.array([6.0, 2.0]), np.arange(5.0)).tolist()
    [3.625, 2.375, 1.375, 0.625]
    """
    widths = np.diff(edges)
    heights = masses / widths
    if len(masses) == 1:
        return np.asarray(heights[0] * np.diff(finer))
    left, right = widths[1:] + 2 * widths[:-1], 2 * widths[1:] + widths[:-1]
    low, high = np.maximum(heights[:-1], _TINY), np.maximum(heights[1:], _TINY)
    with np.errstate(over="ignore"):  # of a density that is next to nothing: its mean with another is nothing, too
        mean = (left + right) / (left / low + right / high)
    inner = np.where((heights[:-1] > 0) & (heights[1:] > 0), mean, 0.0)
    slopes = np.concatenate([[_end(heights[:2], widths[:2])], inner, [_end(heights[:-3:-1], widths[:-3:-1])]])
    cell = np.clip(np.searchsorted(edges, finer, side="right") - 1, 0, len(masses) - 1)
    place = (finer - edges[cell]) / widths[cell]
    before, after = slopes[cell] * widths[cell], slopes[cell + 1] * widths[cell]
    bend = before + after - 2 * masses[cell]
    inside = place * (before + place * (3 * masses[cell] - 2 * before - after + place * bend))
    sums = np.concatenate([[0.0], np.cumsum(masses)])[cell] + inside
    return np.asarray(np.maximum(np.diff(sums), 0.0))


def _end(heights: Floats, widths: Floats) -> float:
    """The slope at the outermost edge: on the line through the two cells nearest to it, as far as nothing falls."""
    slope = ((2 * widths[0] + widths[1]) * heights[0] - widths[0] * heights[1]) / (widths[0] + widths[1])
    return float(np.clip(slope, 0.0, 3 * heights[0]))
