"""A vote of parts as query player: robust with any oracle, a heuristic included."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.exact.capacity import refuse_overflow
from oracledp.game.query_player import BOTH_SIDES, NEIGHBOURS, each_round, whole_promise
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.votes.approval import ApprovalVote
from oracledp.mechanisms.votes.ballots import Counts, Graded, Records, best_around, best_listed
from oracledp.mechanisms.votes.isolation import apart
from oracledp.mechanisms.votes.mechanism import LISTED
from oracledp.mechanisms.votes.size import default_ballot, default_parts, refuse_hopeless
from oracledp.oracles.base import Oracle
from oracledp.oracles.guarded import Ending, guarded
from oracledp.oracles.registry import acts_alike, resolve
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.partition import hypergeometric_parts, label_counts
from oracledp.randomness.source import Randomness

RESOLUTION = 10  # bits after the point for the proposals, which weigh as much as a part of the rows


@dataclass(frozen=True, eq=False)
class PayoffBallot:
    """One part's list: the queries on which it differs most from the proposals. It knows no other rows."""

    payoff: Payoff
    oracle: Oracle | None
    most: int
    part_size: int

    def __call__(self, records: Records, counts: Counts) -> Graded:
        """The best queries of the part."""
        objective = self.payoff.part(records, counts, self.part_size << RESOLUTION, RESOLUTION)
        return (
            best_listed(objective, self.most) if self.oracle is None else best_around(objective, self.oracle, self.most)
        )


@dataclass(frozen=True)
class VotingPlayer:
    """Each round is one vote of parts (proofs/vote.md, proofs/oracle-query.md). ``oracle`` is None where all is listed.

    A round without an answer plays the first query of the class: a public choice, which costs nothing.
    """

    vote: ApprovalVote
    oracle: Oracle | None
    queries: QueryClass
    guarantee: Guarantee
    rounds: int
    lists_queries: ClassVar[bool] = False

    @classmethod
    def calibrate(
        cls, queries: QueryClass, rows: int, rounds: int, epsilon: Fraction, delta: Fraction, *, oracle: str
    ) -> VotingPlayer:
        """A round's share by :func:`each_round`."""
        each = each_round(epsilon, delta, rounds)
        most = default_ballot(queries.size, each[0])
        refuse_hopeless(*each, most, rows)
        vote = ApprovalVote.calibrate(epsilon=each[0], delta=each[1], parts=default_parts(*each, most, rows), most=most)
        chosen = None if oracle == "auto" and queries.size <= LISTED else resolve(oracle, queries)
        return cls(vote, chosen, queries, whole_promise(epsilon, delta, vote.guarantee(NEIGHBOURS)), rounds)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """The rows and as much weight on the proposals."""
        refuse_overflow(rows_bound=BOTH_SIDES * unit * rows_bound, resolution=RESOLUTION)

    def respond(self, payoff: Payoff, source: Randomness) -> Parts:
        """One vote."""
        found = self.vote.draw(self._lists(payoff, source), source)
        return next(self.queries.all_parts()) if found is None else found

    def _lists(self, payoff: Payoff, source: Randomness) -> list[list[tuple[Parts, int]]]:
        rows = int(payoff.counts.sum())
        sizes = label_counts(rows, self.vote.parts, source)
        public = replace(payoff, private=payoff.private[:0], counts=payoff.counts[:0], board=None)
        ballot = PayoffBallot(public, self.oracle, self.vote.most, max(1, rows // self.vote.parts))
        parts = hypergeometric_parts(payoff.counts, sizes, source)
        return [self._heard(ballot, payoff.private[kept], held) for kept, held in parts]

    def _heard(self, ballot: PayoffBallot, records: Any, counts: Any) -> list[tuple[Parts, int]]:
        foreign = self.oracle is not None and not acts_alike(self.oracle)
        heard = guarded(lambda: apart(ballot, records, counts) if foreign else ballot(records, counts))
        said: list[tuple[Parts, int]] = [] if isinstance(heard, Ending) else heard
        return [(parts, eighths) for parts, eighths in said if self.queries.contains(parts)]
