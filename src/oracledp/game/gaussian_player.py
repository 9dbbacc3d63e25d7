"""Gaussian RSPM as query player: Theorem 2's noise, kept for completeness and for small classes with margins."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.game.query_player import BOTH_SIDES, NEIGHBOURS, each_round, perturbed_answer, whole_promise
from oracledp.mechanisms.gaussian_min import GaussianReportSeparatorPerturbedMin
from oracledp.mechanisms.payoff import Payoff
from oracledp.oracles.registry import resolve
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class GaussianPlayer:
    """Each round is (ε0, δ0)-DP by proofs/gaussian-rspm.md; contingent unless its oracle is total."""

    mechanism: GaussianReportSeparatorPerturbedMin
    guarantee: Guarantee
    rounds: int
    lists_queries: ClassVar[bool] = False

    @classmethod
    def calibrate(
        cls, queries: QueryClass, rounds: int, epsilon: Fraction, delta: Fraction, *, oracle: str
    ) -> GaussianPlayer:
        """A round's share by :func:`each_round`."""
        each_epsilon, each_delta = each_round(epsilon, delta, rounds)
        mechanism = GaussianReportSeparatorPerturbedMin.calibrate(
            queries,
            epsilon=each_epsilon,
            delta=each_delta,
            neighbours=NEIGHBOURS,
            oracle=resolve(oracle, queries),
        )
        return cls(mechanism, whole_promise(epsilon, delta, mechanism.guarantee), rounds)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """The rows and as much weight on the proposals."""
        self.mechanism.check(rows_bound, BOTH_SIDES * unit)

    def respond(self, payoff: Payoff, source: Randomness) -> Parts:
        """One run; a failure ends the game with nothing released."""
        return perturbed_answer(self.mechanism, payoff, source)
