"""Where a long ordered column lies, by a few cheap looks, and cells that suit it: fine in the middle, wide far out.

Bounds are public and often far beyond the values, so a first look has cells on all scales around zero. A column that is
narrow and far from zero (years, degrees, temperatures) fills one of them: those are cut until the middle half of the
records spans several. Then cells are laid around the median, each half as wide as it is far from it
(proofs/measured-synthesis.md, "Stages").
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.synthesis.bins import Floats, Integers, cells_of
from oracledp.synthesis.denoise import to_simplex
from oracledp.synthesis.measurements import Meter

WORTH = 5.0  # standard deviations of the noise that make a cell worth looking into
_LOOK, _LOOKS = Fraction(1, 12), 4  # of a column's budget, and how often at most
_FIRST, _PARTS = 32, 20  # even cells of a first look, and the parts of a cell that is looked into
_SPANNED = 3  # cells that the middle half must span
_SURE = 2.5  # standard deviations of half of all cells that a quarter of the records must exceed
_FINE, _GROWTH = 3, 2  # cells of the middle half, and how many times as far away as wide a cell is beyond it


@dataclass(frozen=True)
class Middle:
    """The quartiles of a column on the axis of its values, and the cells from the first to the last of them."""

    low: float
    median: float
    high: float
    alone: bool  # whether the median is a cell of a single value
    cells: Integers

    @classmethod
    def of(cls, counts: Floats, edges: Floats) -> Middle:
        """By noisy counts of cells; values lie evenly in each.

        >>> Middle.of(np.array([10.0, 10, 20]), np.array([0.0, 1, 2, 4])).median
        2.0
        """
        sums = np.concatenate([[0.0], np.cumsum(to_simplex(counts / max(float(counts.sum()), 1.0)))])
        quarters = np.array([0.25, 0.5, 0.75])
        cells = np.clip(np.searchsorted(sums, quarters, side="left") - 1, 0, len(counts) - 1)
        inside = (quarters - sums[cells]) / np.maximum(np.diff(sums)[cells], 1e-12)
        widths = np.diff(edges)[cells]
        low, median, high = (edges[cells] + np.clip(inside, 0, 1) * widths).tolist()
        return cls(low, median, high, bool(widths[1] <= 1), np.arange(cells[0], cells[2] + 1))


def located(meter: Meter, column: int, rho: Fraction) -> tuple[Integers, Fraction]:
    """Where the cells begin that suit a column, and what looking for them cost, of its budget ``rho``.

    Codes that are not in order (*missing*) are cells of their own. Where noise hides the middle, the cells are those of
    the first look.
    """
    records = meter.records
    size, in_order, steps = records.sizes[column], records.in_order[column], records.steps_of(column)
    first = _first_look(in_order, records.coarse[column] if records.coarse else None)
    starts, rest, spent = first, np.arange(in_order, size), Fraction(0)
    for _ in range(_LOOKS):
        table = meter.table((column,), (-2,), [cells_of(np.append(starts, rest), size)], rho * _LOOK)
        spent += rho * _LOOK
        counts = table.values[: len(starts)].astype(np.float64)
        if counts.sum() / 4 < _SURE * table.deviation * (len(starts) / 2) ** 0.5:
            break
        widths = np.diff(np.append(starts, in_order))
        middle = Middle.of(counts, np.append(steps[starts], steps[-1]).astype(np.float64))
        if len(middle.cells) >= _SPANNED or widths[middle.cells].max() == 1:
            atoms = starts[(widths == 1) & (counts > WORTH * table.deviation)]
            return np.append(_around(middle, atoms, steps), rest), spent
        starts = cut_cells(starts, in_order, np.isin(np.arange(len(starts)), middle.cells), _PARTS)
    return np.append(first, rest), spent


def _first_look(in_order: int, coarse: Integers | None) -> Integers:
    """The cells that the column names, or even ones."""
    if coarse is not None:
        return coarse
    return np.unique(np.linspace(0, in_order, min(_FIRST, in_order), endpoint=False).astype(np.int64))


def cut_cells(starts: Integers, end: int, chosen: NDArray[np.bool_], most: int) -> Integers:
    """Cells of which the chosen ones are cut into parts as equal as can be, at most so many.

    >>> cut_cells(np.array([0, 4, 10]), 12, np.array([False, True, False]), 3).tolist()
    [0, 4, 6, 8, 10]
    """
    widths = np.diff(np.append(starts, end))
    parts = [
        start + np.arange(min(most, width)) * width // min(most, width) if cut else np.array([start])
        for start, width, cut in zip(starts.tolist(), widths.tolist(), chosen.tolist(), strict=True)
    ]
    return np.concatenate(parts).astype(np.int64)


def _around(middle: Middle, atoms: Integers, steps: Integers) -> Integers:
    """Cells around the median, and single values on which many records lie, such as zero, by themselves."""
    centre = np.floor(middle.median) if middle.alone else middle.median
    finest = 1.0 if middle.alone else max((middle.high - middle.low) / _FINE, 1.0)
    away, farthest = [0.0], max(float(steps[-1]) - centre, centre - float(steps[0]))
    while away[-1] < farthest:
        away.append(away[-1] + max(finest, away[-1] / _GROWTH))
    sides = np.array(away)
    places = np.round(np.concatenate([centre + sides, centre + middle.alone - sides]))
    inside = places[(places >= steps[0]) & (places < steps[-1])]
    codes = np.concatenate([[0], np.searchsorted(steps[:-1], inside), atoms, atoms + 1])
    return np.unique(codes[codes < len(steps) - 1]).astype(np.int64)
