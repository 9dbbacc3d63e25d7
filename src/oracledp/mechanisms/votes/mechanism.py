"""``vote``: a private choice by the lists of parts, robust whatever makes the lists."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import ParameterError
from oracledp.exact.capacity import refuse_overflow
from oracledp.exact.numbers import Exact, positive
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import NothingReleased
from oracledp.mechanisms.table_selection import refuse_unknown_goal, refuse_unknown_literals
from oracledp.mechanisms.travelling import refuse_stuck
from oracledp.mechanisms.votes.answers import AnswerReleased
from oracledp.mechanisms.votes.ballots import Around, Ballot, BestListed, Called, Function
from oracledp.mechanisms.votes.choice import AnyVote, calibrate_vote
from oracledp.mechanisms.votes.isolation import apart, free_answer
from oracledp.oracles.base import Certificate, Oracle, Trust
from oracledp.oracles.guarded import Ending, guarded
from oracledp.oracles.registry import acts_alike, resolve
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_delta, row_epsilon
from oracledp.randomness.partition import Part, hypergeometric_parts, label_counts
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger

LISTED = 400_000  # queries that every part goes through; beyond, an oracle is asked
TIMED = "whether a part runs out of time depends on its own rows alone"


@dataclass(frozen=True)
class Vote:
    """The calibrated vote on a table: parts by lot, a list from each, one exact draw (proofs/vote.md).

    Without ``queries`` any answer counts. ``seconds`` ends a part's process, and is then assumed to be its own affair.
    """

    queries: QueryClass | None
    rule: AnyVote
    ballot: Ballot
    neighbours: Neighbours
    goal: str = "min"
    isolated: bool = False
    seconds: float | None = None
    progress: Callable[[int, int], None] | None = None

    @property
    def name(self) -> str:
        """By the form of the vote."""
        return f"vote:{self.rule.form}"

    @property
    def guarantee(self) -> Guarantee:
        """Robust: it assumes nothing about whatever makes the lists, unless a clock does."""
        return self.rule.guarantee(self.neighbours, () if self.seconds is None else (TIMED,))

    def check(self, facts: Facts) -> None:
        """A goal and literals that there are; rows enough for the parts, where their number is public."""
        refuse_unknown_goal(self.goal)
        refuse_overflow(rows_bound=facts.rows_bound, resolution=4)
        if facts.schema is not None and self.queries is not None:
            refuse_unknown_literals(self.queries, facts.schema)
        if facts.rows is not None and facts.rows < self.rule.parts:
            raise ParameterError(f"{facts.rows} rows are too few for {self.rule.parts} parts: use fewer parts")
        if self.isolated:
            refuse_stuck(self.ballot, "answers" if isinstance(self.ballot, Called) else "the oracle")
        if self.seconds is not None and not self.isolated:
            raise ParameterError("seconds is for answers or an oracle of your own; the library's count their steps")

    def run(self, table: Table, source: Randomness) -> Any:
        """The answer as it is counted, the parts of a query or a text; None for ⊥."""
        return self.rule.draw(self.lists(table, source), source)

    def lists(self, table: Table, source: Randomness) -> list[list[tuple[Any, int]]]:
        """What every part approves of. Private: only their draw is released."""
        packed = table.packed(table.schema.literals if self.queries is None else self.queries.literals)
        found = []
        for done, (records, counts) in enumerate(self._split(table, source), start=1):
            found.append(self._list(packed[records], counts))
            if self.progress is not None:
                self.progress(done, self.rule.parts)
        return found

    def _split(self, table: Table, source: Randomness) -> Iterator[Part]:
        """Every record chooses its part by itself: sizes first, then any partition into parts of these sizes."""
        sizes = label_counts(int(table.counts.sum()), self.rule.parts, source)
        return iter(hypergeometric_parts(table.counts, sizes, source))

    def _list(self, records: Any, counts: Any) -> list[tuple[Any, int]]:
        """A part's list: only what is an answer counts, whatever else was said, and however it ended."""
        heard = guarded(lambda: self._heard(records, counts))
        return [] if isinstance(heard, Ending) else heard

    def _heard(self, records: Any, counts: Any) -> list[tuple[Any, int]]:
        part = self.ballot, records, counts
        said = apart(*part, seconds=self.seconds) if self.isolated else self.ballot(records, counts)
        named = ((self._named(answer), eighths) for answer, eighths in said)
        return [(answer, eighths) for answer, eighths in named if answer is not None]

    def _named(self, answer: Hashable) -> Hashable | None:
        """What is counted: an answer's text, or the parts of a query of the class."""
        if self.queries is None:
            return free_answer(answer)
        if not isinstance(answer, tuple) or not all(isinstance(part, int | np.integer) for part in answer):
            return None
        parts: Parts = tuple(sorted(int(part) for part in answer))
        return parts if self.queries.contains(parts) else None


def vote(
    table: Table,
    queries: QueryClass | None = None,
    *,
    epsilon: Exact,
    delta: Exact,
    oracle: str | Oracle = "auto",
    answers: Function | None = None,
    form: str = "auto",
    parts: int | None = None,
    ballot: int | None = None,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    rows: int | None = None,
    goal: str = "min",
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release | AnswerReleased | NothingReleased:
    """Choose by a vote of parts: (ε, δ)-differentially private whatever makes the votes (proofs/vote.md).

    The rows are split into ``parts`` by lot, and every part hands in a list of at most ``ballot`` queries: its best
    ones, by going through the class, by asking ``oracle`` once, or by ``answers``, any function from a part's
    rows to a query (a tuple of its parts) or a list of them, which runs in a process of its own
    (:class:`~oracledp.mechanisms.votes.fitted.Fitted` for models of scikit-learn). Nothing is assumed about them.
    Without ``queries`` an answer is any plain value: a word, a number, a tuple or a set of them. One answer is drawn by
    its number of votes; where few parts agree, nothing is released (:class:`NothingReleased`). ``form`` is "approval",
    "hard" (one answer a part, half as many parts, which must agree) or "auto". ``seconds`` ends a part that takes
    longer, and the guarantee then says what that assumes.

    >>> import oracledp as odp, numpy as np
    >>> schema = odp.Schema({"columns": {"smoker": {"kind": "boolean"}, "sick": {"kind": "boolean"}}})
    >>> table = odp.Table.from_codes(np.repeat([[0, 0], [1, 1]], 5000, axis=0).astype(np.uint8), schema)
    >>> rules = odp.ZeroOneLoss.of(odp.Conjunctions(schema.literals.without("sick")), schema.literals[1])
    >>> released = odp.vote(table, rules, epsilon=1, delta="1e-6", ballot=1)
    >>> print(released.query, released.guarantee.robust)
    predict sick when smoker True
    """
    if queries is not None and not isinstance(queries, QueryClass):
        raise ParameterError("queries must be a query class, for instance odp.Conjunctions(schema.literals)")
    relation = Neighbours.parse(neighbours)
    facts = Facts.of(table, relation)
    share = row_epsilon(epsilon, table.unit)
    calibrated = calibrate_vote(
        share,
        row_delta(delta, share, table.unit),
        size=None if queries is None or answers is not None else queries.size,
        parts=parts,
        ballot=ballot,
        rows=facts.rows if rows is None else rows,
        form=form,
    )
    voters, foreign = voters_for(queries, oracle, answers, calibrated.most, 1 if goal == "min" else -1)
    limit = None if seconds is None else float(positive(seconds, "seconds"))
    mechanism = Vote(queries, calibrated, voters, relation, goal, foreign, limit, progress)
    released = release(mechanism, table, facts, ledger=ledger, source=source)
    if released.result is None:
        return NothingReleased(released.guarantee, mechanism.name)
    if queries is None:
        return AnswerReleased(json.loads(released.result), released.guarantee, mechanism.name)
    certificate = Certificate(Trust.GUESSED, "approved by parts of the rows")
    return Release(queries.query(*released.result), released.guarantee, certificate, mechanism.name)


def voters_for(
    queries: QueryClass | None, oracle: str | Oracle, answers: Function | None, most: int, sign: int
) -> tuple[Ballot, bool]:
    """Who makes the lists, and whether that is code that must be kept apart."""
    if answers is not None:
        if not callable(answers):
            raise ParameterError("answers must be a function of a part's rows and their counts")
        return Called(answers, most), True
    if queries is None:
        raise ParameterError("a vote without a query class needs answers, a function of a part's rows")
    if oracle == "auto" and queries.size <= LISTED:
        return BestListed(queries, most, sign), False
    chosen = resolve(oracle, queries)
    if not isinstance(oracle, str) and not callable(getattr(type(oracle), "solve", None)):
        raise ParameterError("oracle must be a name, or an object with a method solve(problem)")
    return Around(queries, chosen, most, sign), not acts_alike(chosen)
