"""``plan robust``: which mechanism serves best here of those that are private whatever a solver does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, isnan, nan

from oracledp.data.table import Table
from oracledp.errors import CapacityError, OracleDPError, ParameterError
from oracledp.mechanisms.votes.approval import ApprovalVote
from oracledp.mechanisms.votes.choice import calibrate_vote
from oracledp.mechanisms.votes.mechanism import voters_for
from oracledp.mechanisms.votes.size import FEWEST_ROWS, HOPELESS, ROOM, threshold
from oracledp.oracles.base import Oracle, Trust
from oracledp.oracles.registry import resolve
from oracledp.planning.options import Option
from oracledp.planning.public import error_on
from oracledp.planning.robust import RobustQuestion, robust_option
from oracledp.planning.selection import PURE, Question, selection_options
from oracledp.planning.stand_in import StandIn
from oracledp.planning.trials import Trial, tried_prsma, tried_vote

SILENT, HOPELESS_SILENCE = 0.1, 0.9  # chances of ⊥: another mechanism is looked for, or nothing is run at all
MOST_DOUBLED = 6
ASKS_NO_ORACLE = ("exponential", "private-tree")


@dataclass(frozen=True)
class RobustChoice:
    """The question with an oracle: all that ``plan robust`` knows. Nothing of it is private."""

    question: Question
    oracle: str | Oracle
    max_calls: int
    rows: StandIn | None
    is_public: bool

    @classmethod
    def of(cls, question: Question, oracle: str | Oracle, max_calls: int, public: Table | None) -> RobustChoice:
        """With a stand-in: the public table, or else one with a planted rule."""
        queries = question.queries
        rows = StandIn.with_planted_rule(queries) if public is None else StandIn.public(queries, public)
        return cls(question, oracle, max_calls, rows, public is not None)

    def options(self) -> tuple[Option, ...]:
        """The exponential mechanism, RSPM where its search is total, a vote, PRSMA where its oracle can be believed."""
        return tuple(self._tried(option) for option in self._known()) + tuple(self._sampled())

    def mechanism(self) -> str:
        """The mechanism that ``learn --robust`` takes: as :meth:`recommend`, without trials that decide nothing.

        Where nothing would be released, it says so and how many rows would do.
        """
        on_all_rows = self.on_all_rows()
        if on_all_rows is not None:
            return on_all_rows
        options = [self._vote()]
        if (options[0].silence or 0) > SILENT:
            options += self._prsma_if_believed()
        best = min(options, key=self.loss)
        if not best.available or (best.silence or 0) > HOPELESS_SILENCE:
            raise ParameterError(
                f"{self.question.rows} rows are too few for this oracle at this epsilon and delta: "
                f"{self._enough()}; raise epsilon or delta, or leave the oracle out"
            )
        return best.mechanism

    def on_all_rows(self) -> str | None:
        """The exponential mechanism or a total search, which no split of the rows can match; None where none serves."""
        for option in self._known():
            if option.available and (option.mechanism not in ASKS_NO_ORACLE or self.oracle == "auto"):
                return option.mechanism
        if self.question.delta is None:
            raise ParameterError("a vote or PRSMA needs delta, for instance 1e-6")
        return None

    def _enough(self) -> str:
        """The first of ever more rows at which the vote answers on the stand-in."""
        for grown in range(1, MOST_DOUBLED + 1):
            more = replace(self, question=replace(self.question, rows=self.question.rows << grown))
            option = more._vote()
            if option.available and (option.silence or 0) <= SILENT:
                return f"about {more.question.rows:,} are needed"
        return f"even {self.question.rows << MOST_DOUBLED:,} might not do"

    def recommend(self, options: tuple[Option, ...]) -> tuple[str | None, str]:
        """The least loss, ⊥ counted as the more frequent label; of those that ask the oracle, if one is named."""
        usable = [option for option in options if option.available and (option.silence or 0) <= HOPELESS_SILENCE]
        asking = [option for option in usable if self.oracle == "auto" or option.mechanism not in ASKS_NO_ORACLE]
        if not asking:
            return None, f"nothing that asks this oracle would release anything: {self._enough()}"
        best = min(asking, key=self.loss)
        reason = f"recommended: {best.mechanism}, {_words(best)}"
        ahead = min(usable, key=self.loss)
        if ahead is not best and self.loss(ahead) < self.loss(best):
            reason += f"; {ahead.mechanism} asks no oracle and does better here: leave the oracle out"
        return best.mechanism, reason

    def loss(self, option: Option) -> float:
        """The error to expect of an option, ⊥ included; what is less than a millionth apart counts as equal."""
        trivial = 0.5 if self.rows is None else max(0.0, self.rows.trivial_error() - self.rows.least_error)
        known = (option.public_error, option.planted_error, option.mean_error, option.error)
        error = next((value for value in known if value is not None and not isnan(value)), trivial)
        return round(float((option.silence or 0) * trivial + (1 - (option.silence or 0)) * error), 6)

    def _known(self) -> Iterator[Option]:
        for option in selection_options(self.question):
            total = self.oracle == "auto" or resolve(self.oracle, self.question.queries).total
            if option.mechanism in ASKS_NO_ORACLE or (option.mechanism == "rspm" and total and option.privacy == PURE):
                yield replace(option, silence=0.0)

    def _tried(self, option: Option) -> Option:
        if self.rows is None or not option.available:
            return option
        try:
            return self._with_error(option, error_on(option.mechanism, self.question, self.rows))
        except CapacityError:
            return option

    def _with_error(self, option: Option, error: float | None) -> Option:
        return replace(option, public_error=error) if self.is_public else replace(option, planted_error=error)

    def _sampled(self) -> Iterator[Option]:
        if self.question.delta is None:
            return
        yield self._vote()
        yield from self._prsma_if_believed()

    def _prsma_if_believed(self) -> Iterator[Option]:
        if resolve(self.oracle, self.question.queries).trust is not Trust.GUESSED:
            yield from self._prsma()

    def _vote(self) -> Option:
        question, delta = self.question, self.question.delta
        assert delta is not None
        size = question.queries.size
        vote = calibrate_vote(question.epsilon, delta, size=size, form="approval")
        needed = ceil(HOPELESS * threshold(question.epsilon, delta, vote.most) * FEWEST_ROWS)
        option = Option(
            mechanism="vote", error=nan, privacy="(ε,δ), robust", rows_needed=ceil(needed * ROOM / HOPELESS),
            available=question.rows >= needed,
        )  # fmt: skip
        if not option.available:
            return replace(option, silence=1.0, note=f"{question.rows} rows are too few: about {needed} are needed")
        vote = calibrate_vote(question.epsilon, delta, size=size, rows=question.rows, form="approval")
        assert isinstance(vote, ApprovalVote)
        option = replace(option, oracle_calls=vote.parts, note=f"{vote.parts} parts, lists of {vote.most}")
        if self.rows is None:
            return option
        ballot, isolated = voters_for(question.queries, self.oracle, None, vote.most, 1)
        trial = tried_vote(vote, ballot, isolated, self.rows, question.rows // vote.parts)
        return self._after(option, trial, vote.parts)

    def _after(self, option: Option, trial: Trial, calls: int) -> Option:
        told = replace(option, silence=trial.silence, seconds=trial.seconds * calls)
        return self._with_error(told, trial.error)

    def _prsma(self) -> Iterator[Option]:
        question, delta = self.question, self.question.delta
        assert delta is not None
        asked = RobustQuestion(
            question.rows, question.epsilon, delta, question.beta, self.max_calls, shape=question.shape
        )
        try:
            option, design = robust_option(asked, None)
        except OracleDPError:
            return
        if self.rows is None:
            yield replace(option, silence=float(design.beta))
            return
        try:
            trial = tried_prsma(design, resolve(self.oracle, question.queries), self.rows)
        except (CapacityError, ParameterError):
            return
        yield self._after(option, trial, design.calls)


def _words(option: Option) -> str:
    parts = [] if option.silence is None else [f"releases nothing with probability {option.silence:.2g}"]
    parts += [] if option.oracle_calls in (None, 0) else [f"{option.oracle_calls:,} oracle calls"]
    parts += [] if option.seconds is None else [f"about {option.seconds / 60:.2g} minutes"]
    return ", ".join(parts) or "on all rows"
