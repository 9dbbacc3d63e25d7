"""The private convex surrogate as query player: a linear separator of the rows from the proposals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.tables import Parts
from oracledp.errors import ParameterError
from oracledp.exact.capacity import refuse_overflow
from oracledp.game.query_player import BOTH_SIDES, NEIGHBOURS
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.mechanisms.surrogate_digits import MOST_WEIGHT
from oracledp.privacy.accounting import homogeneous_epsilon
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import Randomness

RESOLUTION = 10


@dataclass(frozen=True)
class SurrogatePlayer:
    """Each round is a private support vector machine that tells private rows (+) from proposed ones (-).

    Pure ε0-DP and robust by proofs/surrogate.md: the proposals are public rows in the same convex objective. The
    released weights are then rounded to a halfspace of the class, which is post-processing; how good that
    halfspace is, is a matter of luck, as with every surrogate.
    """

    mechanism: ConvexSurrogate
    halfspaces: Halfspaces
    guarantee: Guarantee
    rounds: int
    lists_queries: ClassVar[bool] = False

    @classmethod
    def calibrate(cls, queries: QueryClass, rounds: int, epsilon: Fraction, delta: Fraction) -> SurrogatePlayer:
        """The largest ε0 whose T-fold composition is (ε, δ)."""
        plain = queries.unsigned()
        base = plain.as_halfspaces()
        if base is None:
            raise ParameterError(f"query_player='surrogate' finds halfspaces, and cannot choose among {plain.kind}")
        mechanism = ConvexSurrogate(
            (1,) * (base.dimension + 1), homogeneous_epsilon(epsilon, delta, rounds), NEIGHBOURS
        )
        guarantee = Guarantee(epsilon=epsilon, delta=delta, neighbours=NEIGHBOURS, proof="oracle-query")
        return cls(mechanism, base, guarantee, rounds)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """The rows and as much weight on the proposals, in lattice units."""
        refuse_overflow(rows_bound=rows_bound, unit=BOTH_SIDES * unit, resolution=RESOLUTION, limit=MOST_WEIGHT)

    def respond(self, payoff: Payoff, source: Randomness) -> Parts:
        """Train on private rows against proposals of the same weight in all, and round the separator."""
        rows, weights = payoff.weighted_rows(RESOLUTION)
        features = np.concatenate(
            [2 * rows.matrix().astype(np.int8) - 1, np.ones((len(rows), 1), dtype=np.int8)], axis=1
        )
        found = self.mechanism.run(
            features, np.maximum(-weights, 0), np.maximum(weights, 0), source, unit=1 << RESOLUTION
        )
        return (*nearest_halfspace(self.halfspaces, found), self.halfspaces.part_count)


def nearest_halfspace(owner: Halfspaces, found: NDArray[np.int64]) -> Parts:
    """The class's halfspace nearest to sum_j w_j (2x_j - 1) + b >= 0, after scaling its largest weight to fit.

    Post-processing of released numbers: w·(2x - 1) + b >= 0 is 2w·x >= sum(w) - b.
    """
    weights, intercept = [int(w) for w in found[:-1]], int(found[-1])
    largest = max(max(map(abs, weights)), 1)
    scale = Fraction(max(abs(value) for value in owner.values) or 1) / largest
    wanted = [scale * weight for weight in weights]
    kept = sorted(range(len(wanted)), key=lambda j: -abs(wanted[j]))[: owner.budget]
    parts = []
    for j in sorted(kept):
        choice = min(range(len(owner.values)), key=lambda i: abs(owner.values[i] - wanted[j]))
        if owner.sparse and abs(wanted[j]) < abs(owner.values[choice] - wanted[j]):
            continue  # zero is nearer
        parts.append(j * len(owner.values) + choice)
    if owner.free_intercept:
        threshold = (sum(wanted) - scale * intercept) / 2
        nearest = min(range(len(owner.thresholds)), key=lambda i: abs(Fraction(owner.thresholds[i]) - threshold))
        parts.append(owner.first_threshold + nearest)
    return tuple(parts)
