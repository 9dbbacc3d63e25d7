"""How far synthetic *values* are from real ones: means, medians, quantiles, spreads, gaps, correlations.

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

    @property
    def error(self) -> float:
        """The distance of the means, in interquartile ranges (or half standard deviations, if larger)."""
        scale = max(self.real.quantiles[3] - self.real.quantiles[1], self.real.deviation / 2, 1e-12)
        return abs(self.real.mean - self.made.mean) / scale


def value_gaps(real: Table, made: Table) -> list[ValueGap]:
    """Every column of numbers, in order."""
    return [
        ValueGap(column.name, _summary(real, place, column), _summary(made, place, column))
        for place, column in enumerate(real.schema.columns)
        if _has_numbers(column)
    ]


def correlation_error(real: Table, made: Table) -> float | None:
    """The mean distance of Pearson correlations over all pairs of columns of numbers; None if there is no pair."""
    places = [(place, column) for place, column in enumerate(real.schema.columns) if _has_numbers(column)]
    if len(places) < 2:
        return None
    matrices = []
    for table in (real, made):
        values = np.stack([_filled(table, place, column) for place, column in places])
        covariance = np.cov(values, fweights=table.counts, ddof=0)
        spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
        matrices.append(covariance / np.outer(spread, spread))
    upper = np.triu_indices(len(places), 1)
    return float(np.abs(matrices[0] - matrices[1])[upper].mean())


def _has_numbers(column: Column) -> TypeGuard[Ordered]:
    return isinstance(column, Ordered) and not isinstance(column, Moment)


def _middles(column: Ordered) -> Floats:
    codes = np.arange(column.value_size)
    return np.asarray(column.decode_values(codes.astype(np.uint64), np.full(len(codes), 0.5)), dtype=np.float64)


def _filled(table: Table, place: int, column: Ordered) -> Floats:
    """Each record's value, the mean where it is missing."""
    codes, middles = table.codes[:, place].astype(np.int64), _middles(column)
    held = codes < column.value_size
    values = middles[np.where(held, codes, 0)]
    mean = np.average(values[held], weights=table.counts[held]) if held.any() else 0.0
    return np.asarray(np.where(held, values, mean))


def _summary(table: Table, place: int, column: Ordered) -> ValueSummary:
    counts = np.bincount(table.codes[:, place], weights=table.counts, minlength=column.size)
    mass, middles = counts[: column.value_size], _middles(column)
    rows, held = max(counts.sum(), 1.0), max(mass.sum(), 1.0)
    mean = float(mass @ middles / held)
    deviation = float(np.sqrt(mass @ (middles - mean) ** 2 / held))
    reached = np.searchsorted(np.cumsum(mass), [share * held for share in QUANTILES])
    quantiles = tuple(float(middles[min(int(at), len(middles) - 1)]) for at in reached)
    return ValueSummary(mean, deviation, quantiles, float(1 - mass.sum() / rows))
