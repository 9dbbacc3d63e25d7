"""Answers to counting queries, with intervals that hold because of the measurements, not because of the model.

The value is the fitted model's. The interval comes from noisy counts alone: the tables whose bins do not cut through
the query, the parities that span it and counts of the query itself give unbiased counts with known Gaussian noise.
Other queries are bounded by their parts: P(A ∧ B) ≤ min(P(A), P(B)) and P(A ∧ B) ≥ P(A) + P(B) − 1
(proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import NormalDist
from typing import Any

from oracledp.data.output.conditions import Conditions, allowed_codes, parse_conditions
from oracledp.exact.numbers import Exact, probability
from oracledp.showing import html_text
from oracledp.synthesis.estimates import Estimate, Mask, inner_estimate, part_estimate, query_estimate
from oracledp.synthesis.model import SyntheticModel

_MOST_CONFIDENCE = 1 - Fraction(1, 10**12)  # doubles hold no more
_OWN_SHARE = 0.8  # of the error probability


@dataclass(frozen=True)
class Answer:
    """A share of records: the model's value and an interval that holds the true share with the stated confidence."""

    value: float
    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        return f"{self.value:.4f}  ({100 * self.confidence:g} % interval {self.low:.4f} to {self.high:.4f})"

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {"value": self.value, "low": self.low, "high": self.high, "confidence": self.confidence}


def answer_conjunction(model: SyntheticModel, query: Conditions, confidence: Exact) -> Answer:
    """The share of records that meet all conditions."""
    sure = float(min(probability(confidence, "confidence"), _MOST_CONFIDENCE))
    literals = parse_conditions(query, model.schema)
    allowed = allowed_codes(literals, model.schema)
    columns = sorted({model.schema.position(literal.column) for literal in literals})
    if not all(mask.any() for mask in allowed):
        return Answer(0.0, 0.0, 0.0, sure)
    value = model.restricted(allowed)[1]
    low, high = _interval(model, columns, allowed, sure)
    return Answer(min(max(value, low), high), low, high, sure)


def _interval(
    model: SyntheticModel, columns: Sequence[int], allowed: Sequence[Mask], confidence: float
) -> tuple[float, float]:
    """Most of the error probability goes to the query's own counts, the rest to bounds from its parts."""
    if not columns:
        return 1.0, 1.0
    error = 1 - confidence
    whole = tuple(columns)
    if len(whole) == 1:
        return _of_column(model, whole[0], allowed, error)
    own = part_estimate(model, whole, allowed) if len(whole) <= 3 else query_estimate(model, whole, allowed)
    if own is None:
        return _from_parts(model, columns, allowed, error)
    first = _around(own, _OWN_SHARE * error)
    second = _from_parts(model, columns, allowed, (1 - _OWN_SHARE) * error)
    low, high = max(first[0], second[0]), min(first[1], second[1])
    return (low, high) if low <= high else first


def _from_parts(
    model: SyntheticModel, columns: Sequence[int], allowed: Sequence[Mask], error: float
) -> tuple[float, float]:
    """Bounds from every one, two and three of the columns, each at its share of the error probability."""
    widest = min(3, len(columns) - 1)
    parts = [part for size in range(1, widest + 1) for part in combinations(columns, size)]
    bounds = {}
    for part in parts:
        estimate = part_estimate(model, part, allowed)
        if estimate is not None:
            bounds[part] = _around(estimate, error / len(parts))
        elif len(part) == 1:
            bounds[part] = _of_column(model, part[0], allowed, error / len(parts))
    high = min(bound[1] for bound in bounds.values())
    low = 1 - sum(1 - bounds[(column,)][0] for column in columns)
    return min(max(low, 0.0), high), high


def _of_column(model: SyntheticModel, column: int, allowed: Sequence[Mask], error: float) -> tuple[float, float]:
    """Of one column; where a condition cuts through a cell, from what is surely inside and surely outside of it."""
    own = part_estimate(model, (column,), allowed)
    if own is not None:
        return _around(own, error)
    inside, outside = (_around(inner_estimate(model, column, m), error) for m in (allowed[column], ~allowed[column]))
    return inside[0], 1 - outside[0]


def _around(estimate: Estimate, error: float) -> tuple[float, float]:
    """The normal interval, cut to shares."""
    mean, deviation = estimate
    reach = NormalDist().inv_cdf(1 - error / 2) * deviation
    return min(max(mean - reach, 0.0), 1.0), max(min(mean + reach, 1.0), 0.0)
