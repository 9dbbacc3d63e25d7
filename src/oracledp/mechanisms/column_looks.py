"""One column of private texts, looked at for a price: its kind, then what its kind needs, bounds or categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Moment, Ordered, Schema
from oracledp.data.schema.number_marks import NumberMarks
from oracledp.data.schema.text_kinds import NOTHING, PLACES, WHOLE, TextKind, kind_of, kinds_of, moment_of, number_of
from oracledp.data.table.midnights import due, timed
from oracledp.errors import ParameterError
from oracledp.mechanisms.column_inference import (
    DECADES,
    PARTS,
    REST,
    SCALE,
    as_fine_as_it_can_be,
    bounds_and_grain,
    categorical_definition,
    cuts_from,
    decade_cell,
    moment_definition,
    narrowed,
    ordered_definition,
    scale_cell,
)
from oracledp.mechanisms.column_kinds import kind_from, values_from, with_midnights
from oracledp.mechanisms.common_texts import common_texts, least_threshold
from oracledp.privacy.accounting import split
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import rounded_counts
from oracledp.randomness.source import Randomness

_BOUNDS, _CUTS = 0.6, 0.4  # of a number's share
_FOR_BITS, _BESIDE_BITS = 0.5, 3.0  # a second look's weight, and the deviations that show more than 0 and 1
_GRAIN = 1024  # variances are rounded up to multiples of 1/1024
RARE = (
    "no value is common enough: an id, free text, times with a zone, numbers in an unknown spelling (--decimal,"
    " --thousands), or too few rows for this budget"
)

Integers = NDArray[np.int64]
Texts = Mapping[str | None, int]


@dataclass
class Purse:
    """Adds noise to integer tables of which each record is in one cell, against a budget of Gaussian noise."""

    budget: GaussianBudget
    neighbours: Neighbours
    source: Randomness
    spent: Fraction = field(default=Fraction(0))

    def charge(self, rho: Fraction) -> Fraction:
        """Pay, and the variance that is paid for: Δ₂² is 1, or 2 where a record is replaced."""
        if rho <= 0 or self.spent + rho > self.budget.rho:
            raise ParameterError("a count would exceed the budget of the schema: nothing was sampled")
        self.spent += rho
        return Fraction(ceil(_GRAIN * self.neighbours.comparison_sensitivity / (2 * rho)), _GRAIN)

    def table(self, counts: Integers, rho: Fraction) -> tuple[Integers, float]:
        """Noisy counts, and the standard deviation of their noise."""
        variance = self.charge(rho)
        return rounded_counts(counts, variance, self.budget.bits(counts.size), self.source), sqrt(variance)

    def common(self, texts: Mapping[str, int], rho: Fraction, rare: Fraction) -> tuple[dict[str, int], float]:
        """The common texts with noisy counts, and its deviation; one that is rare passes with probability ``rare``.

        However many texts there are, a record moves the counts of one or two of them: the lattice need not know more.
        """
        variance = self.charge(rho)
        bits = self.budget.bits(self.neighbours.comparison_sensitivity)
        return common_texts(texts, variance, bits, least_threshold(variance, rare), self.source), sqrt(variance)


class ColumnLook:
    """One column: its kind from a first table, then what its kind needs."""

    def __init__(
        self, name: str, purse: Purse, texts: Texts, marks: NumberMarks, rho: Fraction, *, typed: bool
    ) -> None:
        self.name, self.paid, self._purse, self._texts, self._marks = name, rho, purse, texts, marks
        self._typed = typed  # whether the source has types, so that days may be midnights
        places, kinds = [PLACES[kind_of(text, marks)] for text in texts], kinds_of(marks)
        counts, deviation = purse.table(_tallied(places, texts, len(kinds)), rho)
        counts = with_midnights(counts, deviation) if typed else counts
        self._wholes, self._noise = int(counts[PLACES[WHOLE]]), deviation
        self.kind = kind_from(counts, deviation, kinds)
        self.values = values_from(counts, deviation, kinds)
        faint = bool(counts[PLACES[NOTHING]] > REST * deviation)
        self._listed = replace(self.kind, nullable=self.kind.nullable or faint)  # of short lists

    @property
    def weight(self) -> float:
        """What the second look costs beside that at other columns."""
        return {"nothing": 0.0, "bit": _FOR_BITS}.get(self.kind.kind, 1.0)

    def bought(self, rho: Fraction, rare: Fraction) -> tuple[dict[str, Any] | None, str]:
        """The column's definition and what was bought; or None and why it is left out."""
        kind = self.kind.kind
        if kind == "nothing":
            return None, "no values, or too few rows for this budget"
        if kind == "bit":
            return self._bits(rho), "values"
        if kind in ("date", "timestamp"):
            return self._moment(rho), "bounds"
        if kind in ("number", "duration"):
            return self._number(rho), "bounds, cuts"
        texts = {text: count for text, count in self._texts.items() if text is not None and self._listable(text)}
        common, deviation = self._purse.common(texts, rho, rare)
        found = categorical_definition(common, deviation, self.values, self._listed, typed=self._typed)
        return found, "categories" if common else RARE

    def _listable(self, text: str) -> bool:
        """Whether a schema can list a text: a mark of missing values only if the column does not know it as such."""
        kind = kind_of(text)
        odd = "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)
        return not odd and (not kind.missing or (kind.mark is not None and kind.mark != self.kind.mark))

    def _bits(self, rho: Fraction) -> dict[str, Any]:
        """0 and 1 or, where both looks together show other whole numbers beside them, a number."""
        first, second = split(rho, [1.0, 1.0])
        places = {"bit": 0, "number": 1}
        cells = [places.get(kind_of(text, self._marks).kind, 2) for text in self._texts]
        counts, deviation = self._purse.table(_tallied(cells, self._texts, 3), first)
        precisions = (1 / self._noise**2, 1 / deviation**2)
        beside = (self._wholes * precisions[0] + int(counts[1]) * precisions[1]) / sqrt(sum(precisions))
        if beside <= _BESIDE_BITS:
            return {"kind": "integer", "lo": 0, "hi": 1, "clip": True} | self._listed.gaps
        self.kind = replace(self.kind, kind="number")
        return self._number(second)

    def _moment(self, rho: Fraction) -> dict[str, Any]:
        """Bounds from a table over decades."""
        column = moment_of(TextKind(self.kind.kind, format=self.kind.format))
        midnights = self._typed and due(column)
        cells = [decade_cell(column.year_of(timed(text) if midnights else text)) for text in self._texts]
        counts, deviation = self._purse.table(_tallied(cells, self._texts, len(DECADES) + 1), rho)
        return moment_definition(counts[:-1], deviation, self.kind)

    def _numbers(self) -> tuple[list[Fraction | None], Fraction]:
        """The number of each text, and the resolution."""
        if self.kind.kind != "duration":
            return [number_of(text, self._marks) for text in self._texts], Fraction(1, 10**self.kind.decimals)
        column = moment_of(TextKind("duration", format=self.kind.format))
        counts = [column.count_of(text) for text in self._texts]
        return [None if count is None else Fraction(count) for count in counts], Fraction(column.grain)

    def _number(self, rho: Fraction) -> dict[str, Any]:
        """Bounds from a table over the public scale, then closer ones and cuts from two over the column's own grid."""
        first, second, third = split(rho, [_BOUNDS, _CUTS / 2, _CUTS / 2])
        (values, resolution), whole = self._numbers(), self.kind
        cells = [len(SCALE) + 1 if value is None else scale_cell(value) for value in values]
        counts, deviation = self._purse.table(_tallied(cells, self._texts, len(SCALE) + 2), first)
        lo, hi, resolution, self.kind = bounds_and_grain(counts[:-1], deviation, resolution, self.kind)
        edges, cuts, noise = self._stretches(values, lo, hi, resolution, second)
        closer = narrowed(cuts, noise, [*edges, hi], resolution, self.values)
        lo, hi = (lo, hi) if closer is None else closer
        edges, again, beside = self._stretches(values, lo, hi, resolution, third)
        if closer is None:
            return self._cut_at(lo, hi, cuts_from(cuts + again, sqrt(noise**2 + beside**2), edges, resolution))
        cuts_inside = cuts_from(again, beside, edges, resolution)
        lo, hi = narrowed(again, beside, [*edges, hi], resolution, self.values) or (lo, hi)
        self.kind = as_fine_as_it_can_be(lo, hi, whole)
        return self._cut_at(lo, hi, [cut for cut in cuts_inside if lo < cut < hi])

    def _stretches(
        self, values: list[Fraction | None], lo: Fraction, hi: Fraction, resolution: Fraction, rho: Fraction
    ) -> tuple[list[Fraction], Integers, float]:
        """Where stretches of as many cells of the column's grid begin, what they hold with noise, and its deviation."""
        column = Schema({self.name: ordered_definition(lo, hi, self.kind)})[self.name]
        assert isinstance(column, Ordered)
        assert column.grid is not None
        codes = np.unique(np.linspace(0, column.value_size, PARTS, endpoint=False).astype(np.int64))
        starts = column.grid.starts[codes[codes < column.grid.size]]
        places = [_cell(value, lo, hi, resolution, starts) for value in values]
        counts, deviation = self._purse.table(_tallied(places, self._texts, len(starts) + 1), rho)
        return [lo + resolution * int(step) for step in starts], counts[:-1], deviation

    def _cut_at(self, lo: Fraction, hi: Fraction, cuts: list[int | float]) -> dict[str, Any]:
        """The definition between these bounds, with cuts for rules in the column's own spelling."""
        definition = ordered_definition(lo, hi, self.kind)
        column = Schema({self.name: definition})[self.name]
        thresholds = [column.shown(int(cut)) for cut in cuts] if isinstance(column, Moment) else cuts
        return definition | ({"thresholds": thresholds} if thresholds else {})


def _cell(value: Fraction | None, lo: Fraction, hi: Fraction, resolution: Fraction, starts: Integers) -> int:
    if value is None:
        return len(starts)
    step = round((min(max(value, lo), hi) - lo) / resolution)
    return int(np.searchsorted(starts, step, side="right")) - 1


def _tallied(cells: list[int], texts: Texts, size: int) -> Integers:
    """How many rows lie in each cell: every row in exactly one."""
    found = [0] * size
    for cell, count in zip(cells, texts.values(), strict=True):
        found[cell] += count
    return np.array(found, dtype=np.int64)
