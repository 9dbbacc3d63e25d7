"""``vote``: a private choice by the lists of parts, robust whatever makes the lists."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import ParameterError
from oracledp.exact.capacity import refuse_overflow
from oracledp.exact.numbers import Exact, positive, probability, whole_or_none
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import NothingReleased
from oracledp.mechanisms.robust.splitting import label_counts
from oracledp.mechanisms.table_selection import refuse_unknown_goal, refuse_unknown_literals
from oracledp.mechanisms.votes.approval import MOST_APPROVED, MOST_VOTERS, ApprovalVote
from oracledp.mechanisms.votes.ballots import Ballot, BestListed, Called, Function, Restarts
from oracledp.mechanisms.votes.isolation import apart
from oracledp.mechanisms.votes.size import default_ballot, default_parts
from oracledp.oracles.base import Certificate, Oracle, Trust
from oracledp.oracles.guarded import Ending, guarded
from oracledp.oracles.registry import owned, resolve
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.partition import Part, hypergeometric_parts
from oracledp.randomness.source import Randomness, below

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger

LISTED = 200_000  # queries that every part goes through; beyond, an oracle is asked
SEEDS = 1 << 20


@dataclass(frozen=True)
class Vote:
    """The calibrated vote on a table: parts by lot, a list from each, one exact draw (proofs/vote.md)."""

    queries: QueryClass
    approval: ApprovalVote
    ballot: Ballot
    neighbours: Neighbours
    goal: str = "min"
    isolated: bool = False
    progress: Callable[[int, int], None] | None = None
    name: str = "vote:approval"

    @property
    def guarantee(self) -> Guarantee:
        """Robust: it assumes nothing about whatever makes the lists."""
        return self.approval.guarantee(self.neighbours)

    def check(self, facts: Facts) -> None:
        """A goal and literals that there are; rows enough for the parts, where their number is public."""
        refuse_unknown_goal(self.goal)
        refuse_overflow(rows_bound=facts.rows_bound, resolution=4)
        if facts.schema is not None:
            refuse_unknown_literals(self.queries, facts.schema)
        if facts.rows is not None and facts.rows < self.approval.parts:
            raise ParameterError(f"{facts.rows} rows are too few for {self.approval.parts} parts: use fewer parts")

    def run(self, table: Table, source: Randomness) -> Parts | None:
        """The answer, or None for ⊥."""
        matrix = table.matrix(self.queries.literals)
        lists = []
        for done, (records, counts) in enumerate(self._split(table, source), start=1):
            lists.append(self._list(matrix[records], counts, below(source, SEEDS) if self.ballot.seeded else 0))
            if self.progress is not None:
                self.progress(done, self.approval.parts)
        return self.approval.draw(lists, source)

    def _split(self, table: Table, source: Randomness) -> Iterator[Part]:
        """Every record chooses its part by itself: sizes first, then any partition into parts of these sizes."""
        sizes = label_counts(int(table.counts.sum()), self.approval.parts, source)
        return iter(hypergeometric_parts(table.counts, sizes, source))

    def _list(self, records: Any, counts: Any, seed: int) -> list[Parts]:
        """A part's list: only queries of the class count, whatever else was said, and however it ended."""
        if self.isolated:
            said: Any = apart(self.ballot, records, counts, seed)
        else:
            said = guarded(lambda: self.ballot(records, counts, seed))
        if isinstance(said, Ending):
            return []
        return [query for query in map(self._query, said) if query is not None]

    def _query(self, answer: Hashable) -> Parts | None:
        if not isinstance(answer, tuple) or not all(isinstance(part, int | np.integer) for part in answer):
            return None
        parts = tuple(sorted(int(part) for part in answer))
        return parts if self.queries.contains(parts) else None


def vote(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    delta: Exact,
    oracle: str | Oracle = "auto",
    answers: Function | None = None,
    parts: int | None = None,
    ballot: int | None = None,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    rows: int | None = None,
    goal: str = "min",
    progress: Callable[[int, int], None] | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release | NothingReleased:
    """Choose a query by a vote of parts: (ε, δ)-differentially private whatever makes the votes (proofs/vote.md).

    The rows are split into ``parts`` by lot, and every part hands in a list of at most ``ballot`` queries: its best
    ones, by going through the class, by asking ``oracle`` several times, or by ``answers``, any function from a part's
    rows to queries (tuples of their parts), which runs in a process of its own. Nothing is assumed about any of them.
    One of the listed queries is drawn by its number of votes; where few parts agree, nothing is released
    (:class:`NothingReleased`).

    >>> import oracledp as odp, numpy as np
    >>> schema = odp.Schema({"columns": {"smoker": {"kind": "boolean"}, "sick": {"kind": "boolean"}}})
    >>> table = odp.Table.from_codes(np.repeat([[0, 0], [1, 1]], 5000, axis=0).astype(np.uint8), schema)
    >>> rules = odp.ZeroOneLoss.of(odp.Conjunctions(schema.literals.without("sick")), schema.literals[1])
    >>> released = odp.vote(table, rules, epsilon=1, delta="1e-6", ballot=1)
    >>> print(released.query, released.guarantee.robust)
    predict sick when smoker True
    """
    relation = Neighbours.parse(neighbours)
    facts = Facts.of(table, relation)
    numbers = positive(epsilon, "epsilon"), probability(delta, "delta")
    calibrated = calibrate_vote(
        queries, *numbers, parts=parts, ballot=ballot, rows=facts.rows if rows is None else rows
    )
    voters, foreign = _voters(queries, oracle, answers, calibrated.most, 1 if goal == "min" else -1)
    mechanism = Vote(queries, calibrated, voters, relation, goal, foreign, progress)
    released = release(mechanism, table, facts, ledger=ledger, source=source)
    if released.result is None:
        return NothingReleased(released.guarantee, mechanism.name)
    certificate = Certificate(Trust.GUESSED, "approved by parts of the rows")
    return Release(queries.query(*released.result), released.guarantee, certificate, mechanism.name)


def calibrate_vote(
    queries: QueryClass, epsilon: Fraction, delta: Fraction, *, parts: int | None, ballot: int | None, rows: int | None
) -> ApprovalVote:
    """The vote with the numbers given, and a public rule for those that are not (docs/prsma.md)."""
    most = whole_or_none(ballot, "ballot", most=MOST_APPROVED) or default_ballot(queries.size)
    voters = whole_or_none(parts, "parts", most=MOST_VOTERS) or default_parts(epsilon, delta, most, rows)
    return ApprovalVote.calibrate(epsilon=epsilon, delta=delta, parts=voters, most=most)


def _voters(
    queries: QueryClass, oracle: str | Oracle, answers: Function | None, most: int, sign: int
) -> tuple[Ballot, bool]:
    """Who makes the lists, and whether that is code that must be kept apart."""
    if answers is not None:
        return Called(answers, most), True
    if oracle == "auto" and queries.size <= LISTED:
        return BestListed(queries, most, sign), False
    chosen = resolve(oracle, queries)
    return Restarts(queries, chosen, most, sign), not owned(chosen)
