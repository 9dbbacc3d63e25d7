"""One column of private texts, looked at for a price: its kind, then what its kind needs, bounds or categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Moment, Ordered, Schema
from oracledp.data.schema.text_kinds import KINDS, PLACES, TextKind, kind_of, moment_of, number_of
from oracledp.errors import ParameterError
from oracledp.mechanisms.column_inference import (
    DECADES,
    PARTS,
    SCALE,
    bounds_from,
    categorical_definition,
    cuts_from,
    decade_cell,
    moment_definition,
    ordered_definition,
    scale_cell,
)
from oracledp.mechanisms.column_kinds import kind_from, values_from
from oracledp.mechanisms.common_texts import common_texts, least_threshold
from oracledp.privacy.accounting import split
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import noisy_counts
from oracledp.randomness.source import Randomness

_BOUNDS, _CUTS = 0.6, 0.4  # of a number's share
_GRAIN = 1024  # variances are rounded up to multiples of 1/1024
RARE = "no value is common enough: an id, free text, or too few rows for this budget"

Integers = NDArray[np.int64]
Texts = Mapping[str | None, int]


@dataclass
class Purse:
    """Adds noise to integer tables of which each record is in one cell, against a zCDP budget."""

    rho: Fraction
    neighbours: Neighbours
    source: Randomness
    spent: Fraction = field(default=Fraction(0))

    def charge(self, rho: Fraction) -> Fraction:
        """Pay, and the variance that is paid for: Δ₂² is 1, or 2 where a record is replaced."""
        if rho <= 0 or self.spent + rho > self.rho:
            raise ParameterError("a count would exceed the budget of the schema: nothing was sampled")
        self.spent += rho
        return Fraction(ceil(_GRAIN * self.neighbours.comparison_sensitivity / (2 * rho)), _GRAIN)

    def table(self, counts: Integers, rho: Fraction) -> tuple[Integers, float]:
        """Noisy counts, and the standard deviation of their noise."""
        variance = self.charge(rho)
        return noisy_counts(counts, variance, self.source), sqrt(variance)


class ColumnLook:
    """One column: its kind from a first table, then what its kind needs."""

    def __init__(self, name: str, purse: Purse, texts: Texts, decimal: str, rho: Fraction) -> None:
        self.name, self.paid, self._purse, self._texts, self._decimal = name, rho, purse, texts, decimal
        places = [PLACES[kind_of(text, decimal)] for text in texts]
        counts, deviation = purse.table(_tallied(places, texts, len(KINDS)), rho)
        self.kind = kind_from(counts, deviation)
        self.values = values_from(counts, deviation)

    @property
    def weight(self) -> float:
        """What the second look costs beside that at other columns."""
        return 0.0 if self.kind.kind in ("nothing", "bit") else 1.0

    def bought(self, rho: Fraction, rare: Fraction) -> tuple[dict[str, Any] | None, str]:
        """The column's definition and what was bought; or None and why it is left out."""
        kind = self.kind.kind
        if kind == "nothing":
            return None, "no values, or too few rows for this budget"
        if kind == "bit":
            return {"kind": "categorical", "values": [0, 1]} | self.kind.gaps, "values"
        if kind in ("date", "timestamp"):
            return self._moment(rho), "bounds"
        if kind in ("number", "duration"):
            return self._number(rho), "bounds, cuts"
        variance = self._purse.charge(rho)
        texts = {text: count for text, count in self._texts.items() if text is not None and self._listable(text)}
        common = common_texts(texts, variance, least_threshold(variance, rare), self._purse.source)
        found = categorical_definition(common, sqrt(variance), self.values, self.kind)
        return found, "categories" if common else RARE

    def _listable(self, text: str) -> bool:
        """Whether a schema can list a text: a mark of missing values only if the column does not know it as such."""
        kind = kind_of(text)
        odd = "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)
        return not odd and (not kind.missing or (kind.mark is not None and kind.mark != self.kind.mark))

    def _moment(self, rho: Fraction) -> dict[str, Any]:
        """Bounds from a table over decades."""
        column = moment_of(TextKind(self.kind.kind, format=self.kind.format))
        cells = [decade_cell(column.year_of(text)) for text in self._texts]
        counts, deviation = self._purse.table(_tallied(cells, self._texts, len(DECADES) + 1), rho)
        return moment_definition(counts[:-1], deviation, self.kind)

    def _numbers(self) -> tuple[list[Fraction | None], Fraction]:
        """The number of each text, and the resolution."""
        if self.kind.kind != "duration":
            return [number_of(text, self._decimal) for text in self._texts], Fraction(1, 10**self.kind.decimals)
        column = moment_of(TextKind("duration", format=self.kind.format))
        counts = [column.count_of(text) for text in self._texts]
        return [None if count is None else Fraction(count) for count in counts], Fraction(column.grain)

    def _number(self, rho: Fraction) -> dict[str, Any]:
        """Bounds from a table over the public scale, cuts from one over the column's own grid."""
        first, second = split(rho, [_BOUNDS, _CUTS])
        values, resolution = self._numbers()
        cells = [len(SCALE) + 1 if value is None else scale_cell(value) for value in values]
        counts, deviation = self._purse.table(_tallied(cells, self._texts, len(SCALE) + 2), first)
        lo, hi = bounds_from(counts[:-1], deviation, resolution)
        lo = max(lo, Fraction(0)) if self.kind.kind == "duration" else lo
        definition = ordered_definition(lo, hi, self.kind)
        column = Schema({self.name: definition})[self.name]
        assert isinstance(column, Ordered)
        assert column.grid is not None
        starts = column.grid.starts[
            np.unique(np.linspace(0, column.value_size, PARTS, endpoint=False).astype(np.int64))
        ]
        edges = [lo + resolution * int(step) for step in starts]
        places = [_cell(value, lo, hi, resolution, starts) for value in values]
        cuts, _ = self._purse.table(_tallied(places, self._texts, len(edges) + 1), second)
        thresholds: list[Any] = list(cuts_from(cuts[:-1], edges, resolution))
        if isinstance(column, Moment):
            thresholds = [column.shown(int(cut)) for cut in thresholds]
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
