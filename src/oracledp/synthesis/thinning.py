"""Released counts cut in two, so that what is fitted to one half can be judged by the other.

If y = c + σZ with Gaussian Z, and W is fresh standard noise, then y + σ√(f/(1-f)) W and y - σ√((1-f)/f) W have
independent noise of variances σ²/(1-f) and σ²/f around the same c. So a model that was fitted to the first can be
tested by the second as if by counts of its own, for nothing: both are functions of what was released.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import TypeVar

import numpy as np

from oracledp.synthesis.measurements import NoisyParities, NoisyQueries, NoisyTable
from oracledp.synthesis.measuring import Measured

Counts = TypeVar("Counts", NoisyTable, NoisyParities, NoisyQueries)


def thinned(measured: Measured, share: Fraction, generator: np.random.Generator) -> tuple[Measured, Measured]:
    """What a fit may see, and what tests it: the second has this share of the information."""
    tables = _halves(measured.tables, share, generator)
    parities = _halves(measured.parities, share, generator)
    queries = _halves(measured.queries, share, generator)
    seen, kept = (
        replace(measured, tables=tables[half], parities=parities[half], queries=queries[half]) for half in (0, 1)
    )
    return seen, kept


def _halves(
    counts: tuple[Counts, ...], share: Fraction, generator: np.random.Generator
) -> tuple[tuple[Counts, ...], tuple[Counts, ...]]:
    pairs = [_cut(one, share, generator) for one in counts]
    return tuple(first for first, _ in pairs), tuple(second for _, second in pairs)


def _cut(counts: Counts, share: Fraction, generator: np.random.Generator) -> tuple[Counts, Counts]:
    """Whole numbers again: rounding moves a count by far less than its noise."""
    noise = counts.deviation * generator.standard_normal(counts.values.shape)
    odds = sqrt(share / (1 - share))
    seen = np.rint(counts.values + odds * noise).astype(np.int64)
    kept = np.rint(counts.values - noise / odds).astype(np.int64)
    return (
        replace(counts, values=seen, variance=counts.variance / (1 - share)),
        replace(counts, values=kept, variance=counts.variance / share),
    )
