"""A column's definition from its kind and noisy counts alone: bounds, cuts, categories. Post-processing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from math import floor, log10, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema.ordered import plain
from oracledp.data.schema.text_kinds import MOST_DECIMALS, ColumnKind, TextKind, moment_of
from oracledp.data.schema.vocabularies import completed

SHOWN = 4.0  # standard deviations of the noise that show that records are there
_REST = 1.0  # standard deviations: an idle *other* stays nearly empty, a missing one falsifies the listed texts
_DECADES = range(-MOST_DECIMALS, 15)
MOST_CATEGORIES = 1000
PARTS = 64  # cells of the table from which cuts are read
_ROOM = 20  # steps of the resolution, at least, from the lower to the upper bound
CUTS = 8  # parts of about equal mass that the cuts make

SCALE: tuple[Fraction, ...] = tuple(
    sorted({Fraction(0)} | {sign * Fraction(10) ** power for sign in (-1, 1) for power in _DECADES})
)
"""Zero and the powers of ten: where a first look at numbers cuts them."""

DECADES = range(1850, 2101, 10)

Integers = NDArray[np.int64]


def scale_cell(value: Fraction) -> int:
    """The cell of :data:`SCALE` that a number lies in: 0 below all of them."""
    return bisect_right(SCALE, value)


def bounds_from(counts: Integers, deviation: float, resolution: Fraction) -> tuple[Fraction, Fraction]:
    """Powers of ten, or zero, well beyond all that stands out: what noise hides is not far off, and seldom clipped."""
    low, high = _first_shown(counts, deviation), len(counts) - 1 - _first_shown(counts[::-1], deviation)
    lo, hi = SCALE[max(low - 1, 0)], SCALE[min(high, len(SCALE) - 1)]
    lo = min(Fraction(0), 10 * lo)
    hi = max(10 * hi, Fraction(0))
    lo, hi = floor(lo / resolution) * resolution, -floor(-hi / resolution) * resolution
    return lo, max(hi, lo + _ROOM * resolution)


def _first_shown(counts: Integers, deviation: float) -> int:
    """The first cell at which the counts so far stand out from the noise."""
    sums = np.cumsum(counts) / np.sqrt(np.arange(1, len(counts) + 1))
    shown = np.flatnonzero((sums > SHOWN * deviation) | (counts > SHOWN * deviation))
    return int(shown[0]) if len(shown) else 0


def cuts_from(counts: Integers, starts: Sequence[Fraction], resolution: Fraction) -> list[int | float]:
    """Round numbers that cut the column into parts of about equal mass: where a rule may distinguish."""
    held = np.cumsum(np.maximum(counts, 0))
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
    """An integer, numeric or duration column at its resolution, spelled as its kind says."""
    if kind.kind == "duration":
        return moment_between(max(int(lo), 0), int(hi), kind)
    whole = not kind.decimals and not kind.places
    resolution = float(Fraction(1, 10**kind.decimals)) if kind.decimals else 1
    bounds = {"lo": int(lo), "hi": int(hi)} if whole else {"lo": plain(float(lo)), "hi": plain(float(hi))}
    grain = {"resolution": resolution, **kind.spelling}
    return {"kind": "integer" if whole else "numeric", **bounds, **grain, "clip": True} | kind.gaps


def moment_between(lo: int, hi: int, kind: ColumnKind) -> dict[str, Any]:
    """A moment or duration between bounds in its own units, in its own format."""
    column = moment_of(TextKind(kind.kind, format=kind.format))
    own = {} if kind.format == column.usual else {"format": kind.format}
    return {"kind": kind.kind, "lo": column.shown(lo), "hi": column.shown(hi), **own, "clip": True} | kind.gaps


def decade_cell(year: int | None) -> int:
    """The cell of a year: its decade, the first and last for all before and after, one more for none."""
    return len(DECADES) if year is None else min(max(year // 10 * 10 - DECADES[0], 0) // 10, len(DECADES) - 1)


def moment_definition(counts: Integers, deviation: float, kind: ColumnKind) -> dict[str, Any]:
    """A date or time stamp, with bounds a decade beyond all decades that show."""
    low, high = _first_shown(counts, deviation), len(counts) - 1 - _first_shown(counts[::-1], deviation)
    low, high = (low, high) if low <= high else (0, len(counts) - 1)
    column = moment_of(TextKind(kind.kind, format=kind.format))
    lo = column.count_of(datetime(DECADES[low] - 10, 1, 1))
    hi = column.count_of(datetime(DECADES[high] + 19, 12, 31, 23, 59, 59))
    assert lo is not None
    assert hi is not None
    return moment_between(lo, hi, kind)


def categorical_definition(
    common: Mapping[str, int], deviation: float, total: tuple[float, float], kind: ColumnKind
) -> dict[str, Any] | None:
    """The common texts, and *other* where a good many of the ``total`` rows (with its deviation) hold none of them.

    Texts of a short list that everybody knows bring all of it.
    """
    if not common:
        return None
    kept = sorted(sorted(common), key=lambda text: -common[text])[:MOST_CATEGORIES]
    rest = total[0] - sum(common[text] for text in kept)
    known = completed(kept)
    definition: dict[str, Any] = {"kind": "categorical", "values": sorted(kept) if known is None else list(known)}
    noise = sqrt(len(kept) * deviation**2 + total[1] ** 2)
    if rest > _REST * noise or len(definition["values"]) == 1:
        other = "other"
        while other in kept:
            other += " values"
        definition["other"] = other
    return definition | kind.gaps
