"""Answers to counting queries, with intervals that hold because of the measurements, not because of the model.

The value is the fitted model's. The interval comes from noisy tables alone: a table over the query's columns whose
bins do not cut through the query, or the parities that span it, give an unbiased count with known Gaussian noise.
Wider queries are bounded by their parts: P(A ∧ B) ≤ min(P(A), P(B)) and P(A ∧ B) ≥ P(A) + P(B) − 1
(proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.synthesis.conditions import Conditions, allowed_codes, parse_conditions
from oracledp.synthesis.measurements import NoisyTable
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.parity_answers import parity_estimate

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """A share of records: the model's value and an interval that holds the true share with the stated confidence."""

    value: float
    low: float
    high: float
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {"value": self.value, "low": self.low, "high": self.high, "confidence": self.confidence}


def answer_conjunction(model: SyntheticModel, query: Conditions, confidence: float) -> Answer:
    """The share of records that meet all conditions."""
    if not 0 < confidence < 1:
        raise ParameterError("confidence must lie in (0, 1)")
    literals = parse_conditions(query, model.schema)
    allowed = allowed_codes(literals, model.schema)
    columns = sorted({model.schema.position(literal.column) for literal in literals})
    if not all(mask.any() for mask in allowed):
        return Answer(0.0, 0.0, 0.0, confidence)
    value = model.restricted(allowed)[1]
    low, high = _interval(model, columns, allowed, confidence)
    return Answer(min(max(value, low), high), low, high, confidence)


def _interval(
    model: SyntheticModel, columns: Sequence[int], allowed: Sequence[Mask], confidence: float
) -> tuple[float, float]:
    """Bounds from every one, two and three columns of the query, each at its share of the error probability."""
    parts = [part for size in (1, 2, 3) for part in combinations(columns, size)]
    if not parts:
        return 1.0, 1.0
    error = (1 - confidence) / len(parts)
    bounds = {part: _part(model, part, allowed, error) for part in parts}
    high = min(bound[1] for bound in bounds.values())
    if len(columns) <= 3:
        return min(bounds[tuple(columns)][0], high), high
    low = 1 - sum(1 - bounds[(column,)][0] for column in columns)
    return min(max(low, 0.0), high), high


def _part(model: SyntheticModel, part: tuple[int, ...], allowed: Sequence[Mask], error: float) -> tuple[float, float]:
    """The best measured interval of one to three columns; where nothing resolves them, from single columns."""
    estimates = [_direct(model, table, allowed) for table in model.tables if table.columns == part]
    if len(part) > 1:
        estimates.append(parity_estimate(model, part, allowed))
    found = [estimate for estimate in estimates if estimate is not None]
    if not found:
        singles = [_part(model, (column,), allowed, error / len(part)) for column in part]
        return max(1 - sum(1 - low for low, _ in singles), 0.0), min(high for _, high in singles)
    mean, deviation = min(found, key=lambda estimate: estimate[1])
    reach = NormalDist().inv_cdf(1 - error / 2) * deviation
    return min(max(mean - reach, 0.0), 1.0), max(min(mean + reach, 1.0), 0.0)


def _direct(model: SyntheticModel, table: NoisyTable, allowed: Sequence[Mask]) -> tuple[float, float] | None:
    """The share and its standard deviation from one table, or None if a bin is cut through."""
    masks = []
    for column, level in zip(table.columns, table.levels, strict=True):
        grouping = np.arange(len(allowed[column])) if level < 0 else model.bins[column].grouping(level)
        held = np.bincount(grouping, weights=allowed[column]) / np.bincount(grouping)
        if np.any((held > 0) & (held < 1)):
            return None
        masks.append(held > 0)
    cells = np.ix_(*masks)
    chosen = table.values[cells]
    return float(chosen.sum()) / model.total, sqrt(chosen.size * table.variance) / model.total
