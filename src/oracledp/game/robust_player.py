"""PRSMA as query player: the game stays private however its oracle fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import OracleFailure
from oracledp.game.query_player import BOTH_SIDES, NEIGHBOURS, each_round, whole_promise
from oracledp.mechanisms.objective import Minimum
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.robust import RobustMechanism, design_prsma
from oracledp.mechanisms.robust.mechanism import robust_answer
from oracledp.mechanisms.robust.parallel import workers_of
from oracledp.mechanisms.robust.rspm_base import RspmBase, RspmRuns
from oracledp.mechanisms.robust.runs import Array, Rows, Run
from oracledp.oracles.registry import resolve
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import Randomness

MOST_CALLS = 20_000  # oracle calls per round


@dataclass(frozen=True)
class PayoffBase(RspmBase):
    """RSPM on one part of the rows, against the proposals with the weight that an average part would have."""

    payoff: Payoff
    public_total: int

    def prepare(self, records: Rows, counts: Array) -> Run[Minimum]:
        """The part's payoff, to which each run adds its noise."""
        resolution = self.mechanism.perturbation.resolution
        objective = self.payoff.part(records, counts, self.public_total << resolution, resolution)
        return RspmRuns(self.mechanism, objective)


@dataclass(frozen=True)
class RobustPlayer:
    """Each round is one run of PRSMA, private whatever the oracle does (proofs/prsma.md, proofs/oracle-query.md)."""

    mechanism: RobustMechanism
    guarantee: Guarantee
    rounds: int
    lists_queries: ClassVar[bool] = False

    @classmethod
    def calibrate(
        cls, queries: QueryClass, rows: int, rounds: int, epsilon: Fraction, delta: Fraction, *, oracle: str
    ) -> RobustPlayer:
        """A round's share by :func:`each_round`; ⊥ in a hundredth of all games."""
        chosen = resolve(oracle, queries)
        each_epsilon, each_delta = each_round(epsilon, delta, rounds)
        design = design_prsma(
            epsilon=each_epsilon,
            delta=each_delta * 999 / 1000,
            rows=rows,
            max_calls=MOST_CALLS,
            beta=Fraction(1, 100 * rounds),
        )
        mechanism = RobustMechanism.calibrate(
            queries,
            replace(design, epsilon=each_epsilon, delta=each_delta),
            neighbours=NEIGHBOURS,
            oracle=chosen,
            unit=BOTH_SIDES,
        )
        return cls(mechanism, whole_promise(epsilon, delta, mechanism.guarantee), rounds)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """The rows and as much weight on the proposals."""
        self.mechanism.check(rows_bound, BOTH_SIDES * unit)

    def respond(self, payoff: Payoff, source: Randomness) -> Parts:
        """One robust choice; ⊥ ends the game."""
        design = self.mechanism.design
        base = PayoffBase(self.mechanism.base, -1, payoff, design.part_size)
        found = robust_answer(self.mechanism, base, payoff.private, payoff.counts, source, workers_of("none"))
        if found is None:
            raise OracleFailure("too many of the oracle's runs failed: nothing is released and the budget is spent")
        return found.parts
