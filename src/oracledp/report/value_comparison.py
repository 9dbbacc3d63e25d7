"""How far synthetic *values* are from real ones: means, medians, quantiles, spreads, gaps.

**Not private.** Every figure is an exact function of the private rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Column, Moment, Ordered
from oracledp.data.table import Table

Floats = NDArray[np.float64]
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class ValueSummary:
    """A column's values in one table; a column of bins is summed up by the bins' middles."""

    mean: float
    deviation: float
    quantiles: tuple[float, ...]  # at QUANTILES
    missing: float


@dataclass(frozen=True)
class ValueGap:
    """A column's values in the real and in the synthetic table."""

    column: str
    real: ValueSummary
    made: ValueSummary
    distinct: tuple[int, int]  # values, real and synthetic
    wasserstein: float  # in standard deviations of the real values

    @property
    def error(self) -> float:
        """The distance of the means, in interquartile ranges (or half standard deviations, if larger)."""
        scale = max(self.real.quantiles[3] - self.real.quantiles[1], self.real.deviation / 2, 1e-12)
        return abs(self.real.mean - self.made.mean) / scale


def value_gaps(real: Table, made: Table) -> list[ValueGap]:
    """Every column of numbers, in order."""
    return [_gap(real, made, place, column) for place, column in enumerate(real.schema.columns) if _has_numbers(column)]


def _gap(real: Table, made: Table, place: int, column: Ordered) -> ValueGap:
    masses = [_mass(table, place, column) for table in (real, made)]
    first, second = (_summary(table, place, column) for table in (real, made))
    reached = [np.cumsum(mass) / max(mass.sum(), 1.0) for mass in masses]
    moved = float(np.abs(reached[0] - reached[1])[:-1] @ np.diff(middles(column)))
    distinct = int(np.count_nonzero(masses[0])), int(np.count_nonzero(masses[1]))
    return ValueGap(column.name, first, second, distinct, moved / max(first.deviation, 1e-12))


def _mass(table: Table, place: int, column: Ordered) -> Floats:
    """How many rows hold each value."""
    counts = np.bincount(table.codes[:, place], weights=table.counts, minlength=column.size)
    return np.asarray(counts[: column.value_size], dtype=np.float64)


def _has_numbers(column: Column) -> TypeGuard[Ordered]:
    return isinstance(column, Ordered) and not isinstance(column, Moment)


def middles(column: Ordered) -> Floats:
    """The middle of each bin or cell of a column of numbers."""
    codes = np.arange(column.value_size)
    return np.asarray(column.decode_values(codes.astype(np.uint64), np.full(len(codes), 0.5)), dtype=np.float64)


def _summary(table: Table, place: int, column: Ordered) -> ValueSummary:
    mass, inside = _mass(table, place, column), middles(column)
    rows, held = max(table.rows, 1), max(mass.sum(), 1.0)
    mean = float(mass @ inside / held)
    deviation = float(np.sqrt(mass @ (inside - mean) ** 2 / held))
    reached = np.searchsorted(np.cumsum(mass), [share * held for share in QUANTILES])
    quantiles = tuple(float(inside[min(int(at), len(inside) - 1)]) for at in reached)
    return ValueSummary(mean, deviation, quantiles, float(1 - mass.sum() / rows))
