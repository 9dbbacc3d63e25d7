"""A column's definition from noisy counts alone: kind and resolution, bounds, cuts, categories. Post-processing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor, log10, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema.ordered import plain
from oracledp.data.schema.text_kinds import BIT, DATE, MISSING, MOST_DECIMALS, STAMP, TEXT, WHOLE

SHOWN = 4.0  # standard deviations of the noise that show that records are there
_MOST, _NEARLY_ALL = 0.95, 0.97  # share of the values that must be of a kind for the column to be
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


def kind_from(counts: Integers, deviation: float) -> tuple[str, int, bool]:
    """The kind (a number, a bit, a moment, a text or nothing), decimals, and whether values are missing."""
    held = np.maximum(counts, 0)
    values, slack = float(held.sum() - held[MISSING]), SHOWN * deviation
    numbers = held[WHOLE:DATE]
    if counts.sum() - counts[MISSING] <= slack * sqrt(len(counts) - 1):
        return "nothing", 0, True
    missing = bool(counts[MISSING] > slack)
    if held[BIT] >= _NEARLY_ALL * values and numbers.max() <= slack:
        return "bit", 0, missing
    if numbers.sum() + held[BIT] >= _MOST * values - slack:
        shown = np.flatnonzero(numbers > slack)
        gaps = counts[MISSING] + counts[DATE] + counts[TEXT]  # time stamps are too rare beside numbers to matter
        return "number", int(shown[-1]) if len(shown) else 0, bool(gaps > sqrt(3) * slack)
    moments = {"date": held[DATE], "timestamp": held[STAMP]}
    found = next((kind for kind, count in moments.items() if count >= _MOST * values - slack), "text")
    return found, 0, missing


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


def ordered_definition(lo: Fraction, hi: Fraction, decimals: int, nullable: bool) -> dict[str, Any]:
    """An integer or numeric column at its resolution."""
    kind = "numeric" if decimals else "integer"
    resolution = float(Fraction(1, 10**decimals)) if decimals else 1
    bounds = {"lo": plain(float(lo)), "hi": plain(float(hi))} if decimals else {"lo": int(lo), "hi": int(hi)}
    return {"kind": kind, **bounds, "resolution": resolution, "clip": True} | ({"nullable": True} if nullable else {})


def decade_cell(year: int | None) -> int:
    """The cell of a year: its decade, the first and last for all before and after, one more for none."""
    return len(DECADES) if year is None else min(max(year // 10 * 10 - DECADES[0], 0) // 10, len(DECADES) - 1)


def moment_definition(counts: Integers, deviation: float, kind: str, nullable: bool) -> dict[str, Any]:
    """A date or time stamp, with bounds a decade beyond all decades that show."""
    low, high = _first_shown(counts, deviation), len(counts) - 1 - _first_shown(counts[::-1], deviation)
    low, high = (low, high) if low <= high else (0, len(counts) - 1)
    times = ("", "") if kind == "date" else (" 00:00:00", " 23:59:59")
    bounds = {"lo": f"{DECADES[low] - 10}-01-01{times[0]}", "hi": f"{DECADES[high] + 19}-12-31{times[1]}"}
    return {"kind": kind, **bounds, "clip": True} | ({"nullable": True} if nullable else {})


def categorical_definition(
    common: Mapping[str, int], deviation: float, total: tuple[float, float], nullable: bool
) -> dict[str, Any] | None:
    """The common texts, and *other* where a good many of the ``total`` rows (with its deviation) hold none of them."""
    if not common:
        return None
    kept = sorted(sorted(common), key=lambda text: -common[text])[:MOST_CATEGORIES]
    rest = total[0] - sum(common[text] for text in kept)
    definition: dict[str, Any] = {"kind": "categorical", "values": sorted(kept)}
    if rest > _REST * sqrt(len(kept) * deviation**2 + total[1] ** 2) or len(kept) == 1:
        other = "other"
        while other in kept:
            other += " values"
        definition["other"] = other
    return definition | ({"nullable": True} if nullable else {})
