"""A column's definition from its kind and noisy counts alone: bounds, cuts, categories. Post-processing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from math import floor, log10, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema.durations import Duration
from oracledp.data.schema.grid import MOST_STEPS
from oracledp.data.schema.ordered import plain
from oracledp.data.schema.text_kinds import MOST_DECIMALS, ColumnKind, TextKind, moment_of
from oracledp.data.schema.vocabularies import completed

_NARROW, _BESIDE = 2, 2  # cells that hold a narrow column, and the room beside it, in its own widths
_MOST = 0.85  # of the rows, at least, that surely lie in these cells
_FAINT = 0.65  # of that, where next to nothing but zeros shows
_TOGETHER = 4  # neighbouring cells that may show together what none shows alone
SHOWN = 4.0  # standard deviations of the noise that show that records are there
_SURE = 2.0  # the same for one of many cells that only together say where cuts lie
REST = 1.0  # standard deviations: an idle *other* stays nearly empty, a missing one falsifies the listed texts
_DECADES = range(-MOST_DECIMALS, 15)
MOST_CATEGORIES = 1000
_TRUTHS = ["false", "true"]  # how truth values are spelled that have a type of their own
PARTS = 64  # cells of the table from which cuts are read
ROOM = 20  # steps of the resolution, at least, from the lower to the upper bound
CUTS = 8  # parts of about equal mass that the cuts make

SCALE: tuple[Fraction, ...] = tuple(
    sorted({Fraction(0)} | {sign * Fraction(10) ** power for sign in (-1, 1) for power in _DECADES})
)
"""Zero and the powers of ten: where a first look at numbers cuts them."""

_NEAR = np.array([0, *(0 <= start < 10**7 for start in SCALE)], dtype=bool)
"""The cells in which faint evidence counts: among all of them noise alone would often show something far off."""

DECADES = range(1850, 2101, 10)

Integers = NDArray[np.int64]


def scale_cell(value: Fraction) -> int:
    """The cell of :data:`SCALE` that a number lies in: 0 below all of them."""
    return bisect_right(SCALE, value)


def bounds_from(counts: Integers, deviation: float, resolution: Fraction) -> tuple[Fraction, Fraction]:
    """Powers of ten, or zero, well beyond all that stands out: what noise hides is not far off, and seldom clipped."""
    lo, hi = _scaled(counts, deviation)
    if hi - lo <= ROOM * resolution:  # next to nothing but zeros shows; what is beside them may be far off
        lo, hi = _scaled(np.where(_NEAR, counts, 0), deviation * _FAINT)
    lo, hi = floor(lo / resolution) * resolution, -floor(-hi / resolution) * resolution
    return lo, max(hi, lo + ROOM * resolution)


def _scaled(counts: Integers, deviation: float) -> tuple[Fraction, Fraction]:
    """Ten times the powers of ten beyond the cells that stand out, or zero."""
    shown = np.flatnonzero(stands_out(counts, deviation))
    low, high = (int(shown[0]), int(shown[-1])) if len(shown) else (0, len(counts) - 1)
    lo, hi = min(Fraction(0), 10 * SCALE[max(low - 1, 0)]), max(10 * SCALE[min(high, len(SCALE) - 1)], Fraction(0))
    return lo, max(hi, -lo)  # where some are negative, others are positive, if too few to stand out


def stands_out(counts: Integers, deviation: float) -> NDArray[np.bool_]:
    """The cells that stand out from the noise, alone or together with a few neighbours that do not alone."""
    alone = counts > SHOWN * deviation
    faint, shown = np.where(alone, 0, counts), alone.copy()
    for width in range(2, _TOGETHER + 1):
        sums = np.convolve(faint, np.ones(width, dtype=np.int64))[width - 1 : len(faint)]
        for first in np.flatnonzero(sums > SHOWN * deviation * width**0.5).tolist():
            shown[first : first + width] |= faint[first : first + width] > deviation
    return shown


def narrowed(
    counts: Integers,
    deviation: float,
    edges: Sequence[Fraction],
    resolution: Fraction,
    total: tuple[float, float],
) -> tuple[Fraction, Fraction] | None:
    """Bounds around a column that one or two of many cells hold, with room on either side; None if more of them do.

    These cells must surely hold most of the ``total`` rows (with its deviation): of few rows noise lets a single cell
    stand out, and bounds around it would clip all others. Around zero cells are as fine as they need to be, and what
    lies beside many zeros is often far off: none there.

    >>> found = np.array([3, -9, 5, 900, 2, -4, 8, 0])
    >>> narrowed(found, 10.0, [Fraction(10 * edge) for edge in range(9)], Fraction(1), (905, 10.0))
    (Fraction(10, 1), Fraction(60, 1))
    """
    shown = np.flatnonzero(stands_out(counts, deviation))
    if not len(shown) or shown[-1] - shown[0] >= _NARROW:
        return None
    held = counts[int(shown[0]) : int(shown[-1]) + 1]
    if held.sum() - _SURE * sqrt(len(held) * deviation**2 + total[1] ** 2) < _MOST * total[0]:
        return None
    rest = np.delete(counts, slice(int(shown[0]), int(shown[-1]) + 1))
    if rest.sum() > _SURE * deviation * max(len(rest), 1) ** 0.5:
        return None  # many cells hold together what none of them shows
    low, high = edges[int(shown[0])], edges[int(shown[-1]) + 1]
    room = _BESIDE * (high - low)
    steps = floor((low - room - edges[0]) / resolution), -floor(-(high + room - edges[0]) / resolution)
    lo, hi = (edges[0] + resolution * step for step in steps)
    lo, hi = max(lo, edges[0]), min(hi, edges[-1])
    return (lo, hi) if hi - lo > ROOM * resolution and not low <= 0 <= high else None


def bounds_and_grain(
    counts: Integers, deviation: float, resolution: Fraction, kind: ColumnKind
) -> tuple[Fraction, Fraction, Fraction, ColumnKind]:
    """Bounds, a resolution and the kind with its decimals: as fine as it is, unless no grid holds so many steps."""
    lo, hi = bounds_from(counts, deviation, resolution)
    while kind.decimals and (hi - lo) / resolution > MOST_STEPS:
        resolution, kind = 10 * resolution, replace(kind, decimals=kind.decimals - 1)
        lo, hi = bounds_from(counts, deviation, resolution)
    if kind.kind == "duration":
        column = moment_of(TextKind("duration", format=kind.format))
        assert isinstance(column, Duration)
        lo, hi = max(lo, Fraction(0)), min(hi, Fraction(column.longest))
    return lo, hi, resolution, kind


def as_fine_as_it_can_be(lo: Fraction, hi: Fraction, kind: ColumnKind) -> ColumnKind:
    """The kind with its decimals, or as many of them as a grid between the bounds has steps for."""
    fitting = (decimals for decimals in range(kind.decimals, 0, -1) if (hi - lo) * 10**decimals <= MOST_STEPS)
    return replace(kind, decimals=next(fitting, 0))


def cuts_from(
    counts: Integers, deviation: float, starts: Sequence[Fraction], resolution: Fraction
) -> list[int | float]:
    """Round numbers that cut the column into parts of about equal mass: where a rule may distinguish.

    Bounds may lie far beyond the values: cells that noise alone may fill do not count.
    """
    held = np.cumsum(np.where(counts > _SURE * deviation, counts, 0))
    if not held[-1]:
        return []
    found = []
    for part in range(1, CUTS):
        place = int(np.searchsorted(held, held[-1] * part / CUTS, side="left"))
        found.append(_rounded(starts[min(place + 1, len(starts) - 1)], resolution))
    inside = sorted({cut for cut in found if starts[0] < cut <= starts[-1]})
    return [plain(float(cut)) for cut in inside]


def _rounded(value: Fraction, resolution: Fraction) -> Fraction:
    """To two leading digits, on the grid of multiples of the resolution."""
    if not value:
        return value
    digit = Fraction(10) ** (floor(log10(abs(float(value)))) - 1)
    step = max(digit, resolution)
    return round(round(value / step) * step / resolution) * resolution


def ordered_definition(lo: Fraction, hi: Fraction, kind: ColumnKind) -> dict[str, Any]:
    """An integer, numeric, decimal or duration column at its resolution, spelled as its kind says."""
    if kind.kind == "duration":
        return moment_between(max(int(lo), 0), int(hi), kind)
    whole = not kind.decimals and not kind.places
    resolution = float(Fraction(1, 10**kind.decimals)) if kind.decimals else 1
    bounds = {"lo": int(lo), "hi": int(hi)} if whole else {"lo": plain(float(lo)), "hi": plain(float(hi))}
    grain = kind.spelling if kind.money else {"resolution": resolution, **kind.spelling}
    name = "integer" if whole else "decimal" if kind.money else "numeric"
    return {"kind": name, **bounds, **grain, "clip": True, "nullable": True} | kind.gaps


def moment_between(lo: int, hi: int, kind: ColumnKind) -> dict[str, Any]:
    """A moment or duration between bounds in its own units, in its own format."""
    column = moment_of(TextKind(kind.kind, format=kind.format))
    own = {} if kind.format == column.usual else {"format": kind.format}
    return {
        "kind": kind.kind,
        "lo": column.shown(lo),
        "hi": column.shown(hi),
        **own,
        "clip": True,
        "nullable": True,
    } | kind.gaps


def decade_cell(year: int | None) -> int:
    """The cell of a year: its decade, the first and last for all before and after, one more for none."""
    return len(DECADES) if year is None else min(max(year // 10 * 10 - DECADES[0], 0) // 10, len(DECADES) - 1)


def moment_definition(counts: Integers, deviation: float, kind: ColumnKind) -> dict[str, Any]:
    """A date or time stamp, with bounds a decade beyond all decades that show."""
    shown = np.flatnonzero(stands_out(counts, deviation))
    low, high = (int(shown[0]), int(shown[-1])) if len(shown) else (0, len(counts) - 1)
    column = moment_of(TextKind(kind.kind, format=kind.format))
    lo = column.count_of(datetime(DECADES[low] - 10, 1, 1))
    hi = column.count_of(datetime(DECADES[high] + 19, 12, 31, 23, 59, 59))
    assert lo is not None
    assert hi is not None
    return moment_between(lo, hi, kind)


def categorical_definition(
    common: Mapping[str, int], deviation: float, total: tuple[float, float], kind: ColumnKind, *, typed: bool = False
) -> dict[str, Any] | None:
    """The common texts, and *other* for what may be beside them: rows that noise hides are not taken for listed ones.

    Texts of a short list that everybody knows bring all of it, and *other* only where a good many of the ``total``
    rows (with its deviation) hold none of them. In a ``typed`` source true and false
    are truth values, which as such are read from texts and from truth values alike.
    """
    if not common:
        return None
    kept = sorted(sorted(common), key=lambda text: -common[text])[:MOST_CATEGORIES]
    rest = total[0] - sum(common[text] for text in kept)
    known = completed(kept)
    definition: dict[str, Any] = {"kind": "categorical", "values": sorted(kept) if known is None else list(known)}
    noise = sqrt(len(kept) * deviation**2 + total[1] ** 2)
    if typed and definition["values"] == _TRUTHS and rest <= SHOWN * noise:
        return {"kind": "boolean"} | kind.gaps
    if known is None or rest > REST * noise:
        other = "other"
        while other in kept:
            other += " values"
        definition["other"] = other
    return definition | kind.gaps
