"""Report noisy min: independent one-sided noise on every query of an enumerable class."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError
from oracledp.exact.capacity import MOST_SCALES, refuse_overflow
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.table_selection import Chosen, select
from oracledp.oracles.base import Certificate, Trust
from oracledp.oracles.values import refuse_large
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_epsilon
from oracledp.randomness.lattice import lattice
from oracledp.randomness.noise import LARGEST_SCALE, geometric
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger


@dataclass(frozen=True)
class ReportNoisyMin:
    """The k-hot mechanism of Theorem 1 with one part per query: k = 1, m = |Q| (proofs/perturbed-minimisation.md).

    One-sided noise of scale Δ/ε: half the variance of the textbook's Laplace noise at the same ε.
    """

    queries: QueryClass
    epsilon: Fraction
    neighbours: Neighbours
    resolution: int = field(default_factory=lambda: lattice().fixed_ties)
    name: str = "report-noisy-min"

    @property
    def scale(self) -> int:
        """The noise scale in lattice units."""
        return max(1, ceil((self.neighbours.comparison_sensitivity << self.resolution) / self.epsilon))

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust: the class is enumerated here."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="perturbed-minimisation")

    def choose(self, objective: Objective, source: Randomness) -> Chosen:
        """One run, which needs no oracle's word."""
        return Chosen(self.run(objective, source), Certificate(Trust.PROVED, self.name))

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse what public facts rule out: a class too large to list, numbers too large."""
        refuse_large(self.queries.size)
        if self.scale > LARGEST_SCALE:
            raise CapacityError("the noise scale exceeds 2^55 lattice units: use a larger epsilon")
        noise = MOST_SCALES * self.scale
        refuse_overflow(rows_bound=rows_bound, unit=unit, resolution=self.resolution, noise=noise)

    def run(self, objective: Objective, source: Randomness) -> Parts:
        """One run with fresh noise."""
        return self.run_with(objective, -geometric(self.scale, self.queries.size, source))

    def run_with(self, objective: Objective, noise: NDArray[np.int64]) -> Parts:
        """The first query with the least noisy count."""
        return objective.parts_at(int(np.argmin(objective.all_values() + noise)))


def report_noisy_min(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    goal: str = "min",
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Choose a query by report-noisy-min: exact ε-differential privacy, robust (proofs/perturbed-minimisation.md).

    Under add/remove-one unless ``neighbours="replace-one"`` is asked for.
    """
    mechanism = ReportNoisyMin(queries, row_epsilon(epsilon, table.unit), Neighbours.parse(neighbours))
    return select(table, mechanism, goal=goal, ledger=ledger, source=source)
