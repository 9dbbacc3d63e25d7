"""A mechanism: report the noisy minimum with two-sided noise, by the library's own sampler and through its door.

Every count hears Laplace noise of scale 2Δ/ε in lattice units (Δ is how far one record moves a difference of counts, so
no count moves by more), which is the textbook report-noisy-max; its proof is in every course.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.exact.capacity import MOST_SCALES, refuse_overflow
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.registry import Wanted
from oracledp.mechanisms.table_selection import Chosen
from oracledp.oracles.base import Certificate, Trust
from oracledp.oracles.values import refuse_large
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.noise import discrete_laplace
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class LaplaceMin:
    """ε-differentially private for any class small enough to be listed."""

    queries: QueryClass
    epsilon: Fraction
    neighbours: Neighbours
    name: str = "laplace-min"
    resolution: int = 0

    @property
    def scale(self) -> int:
        return max(1, ceil(2 * self.neighbours.comparison_sensitivity / self.epsilon))

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="laplace-min of oracledp-example")

    def check(self, rows_bound: int, unit: int = 1) -> None:
        refuse_large(self.queries.size)
        refuse_overflow(rows_bound=rows_bound, unit=unit, noise=MOST_SCALES * self.scale)

    def choose(self, objective: Objective, source: Randomness) -> Chosen:
        noisy = objective.all_values() + discrete_laplace(self.scale, self.queries.size, source)
        return Chosen(objective.parts_at(int(np.argmin(noisy))), Certificate(Trust.PROVED, self.name))


def calibrate(wanted: Wanted) -> LaplaceMin:
    """What the entry point names."""
    return LaplaceMin(wanted.queries, wanted.epsilon / wanted.unit, wanted.neighbours)
