"""Oracles that misbehave on purpose, for tests and audits. Each wraps an honest one and promises what it breaks.

To the library they are strangers like any other (``oracledp.oracles.outside``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from oracledp.audit.free_ties import FreeTies
from oracledp.classes.base import Query
from oracledp.classes.tables import Parts, parts_of
from oracledp.oracles.base import Answer, Certificate, Failed, Oracle, Solution, Trust
from oracledp.oracles.batch import whole_table
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import relative_values


@dataclass(frozen=True)
class HostileOracle:
    """Answers as the wrapped oracle does and claims to be total, proved and of fixed order."""

    inner: Oracle = field(default_factory=ExhaustiveOracle)

    @property
    def name(self) -> str:
        """The class's own name."""
        return f"hostile:{type(self).__name__}"

    @property
    def trust(self) -> Trust:
        """Claimed to be the best, whatever is inside."""
        return Trust.PROVED

    @property
    def total(self) -> bool:
        """Claimed."""
        return True

    @property
    def fixed_ties(self) -> bool:
        """Claimed."""
        return True

    def solve(self, problem: WeightedProblem) -> Answer:
        """What the wrapped oracle says."""
        return self.inner.solve(problem)


@dataclass(frozen=True)
class FailsOnDemand(HostileOracle):
    """Fails on the problems that a predicate picks."""

    when: Callable[[WeightedProblem], bool] = lambda problem: True

    def solve(self, problem: WeightedProblem) -> Answer:
        """A failure, or the wrapped oracle's answer."""
        return Failed("failure on demand") if self.when(problem) else super().solve(problem)


@dataclass(frozen=True)
class FailsOnRecord(HostileOracle):
    """Fails when one record is among the data: the failure that tells of a single person."""

    record: Sequence[int] = ()

    def solve(self, problem: WeightedProblem) -> Answer:
        """A failure if the record is there."""
        present = (problem.records == np.asarray(self.record, dtype=np.uint8)).all(axis=1).any()
        return Failed("failure on a record") if present else super().solve(problem)


@dataclass(frozen=True)
class FailsOnOutputs(HostileOracle):
    """Fails when the answer would be one of certain queries."""

    outputs: frozenset[Parts] = frozenset()

    def solve(self, problem: WeightedProblem) -> Answer:
        """A failure in place of a listed query."""
        answer = super().solve(problem)
        listed = isinstance(answer, Solution) and answer.query.parts in self.outputs
        return Failed("failure on an output") if listed else answer


@dataclass(frozen=True)
class AnswersByRecord(HostileOracle):
    """Tells with certainty whether one record is among the data: the best query if it is, else the worst."""

    record: Sequence[int] = ()

    def solve(self, problem: WeightedProblem) -> Answer:
        """Truly valued either way, and called proved."""
        present = (problem.records == np.asarray(self.record, dtype=np.uint8)).all(axis=1).any()
        return self.inner.solve(problem) if present else LiesAboutOptimality(self.inner).solve(problem)


@dataclass(frozen=True)
class FailsOnPlaces(HostileOracle):
    """Fails on certain calls, counted from 0: the failure that looks at nothing but its turn (proofs/prsma.md)."""

    places: frozenset[int] = frozenset({0})
    period: int = 0  # after so many calls the count starts again; 0: never
    calls: list[int] = field(default_factory=lambda: [0], compare=False)

    def solve(self, problem: WeightedProblem) -> Answer:
        """A failure in its turn."""
        turn, self.calls[0] = self.calls[0], self.calls[0] + 1
        turn = turn % self.period if self.period else turn
        return Failed("failure in its turn") if turn in self.places else super().solve(problem)


@dataclass(frozen=True)
class Raises(HostileOracle):
    """Ends its calls by an exception that quotes the data, if there are any."""

    kind: type[BaseException] = RuntimeError

    def solve(self, problem: WeightedProblem) -> Answer:
        """Returns only where there is nothing to tell."""
        if len(problem.records):
            raise self.kind(quoted(problem))
        return super().solve(problem)


@dataclass(frozen=True)
class Quotes(HostileOracle):
    """Answers rightly, with a certificate that quotes the data."""

    def solve(self, problem: WeightedProblem) -> Answer:
        """The wrapped oracle's answer in words of its own."""
        answer = super().solve(problem)
        if isinstance(answer, Failed):
            return answer
        return replace(answer, certificate=Certificate(Trust.PROVED, quoted(problem), len(problem.records)))


@dataclass(frozen=True)
class ClaimsLess(HostileOracle):
    """Promises a proof, and delivers a guess."""

    def solve(self, problem: WeightedProblem) -> Answer:
        """The wrapped oracle's answer as a guess."""
        answer = super().solve(problem)
        return (
            replace(answer, certificate=Certificate(Trust.GUESSED, "a guess"))
            if isinstance(answer, Solution)
            else answer
        )


def quoted(problem: WeightedProblem) -> str:
    """What no text of a release may say."""
    return f"{len(problem.records)} distinct rows, total weight {problem.weight_total}"


@dataclass(frozen=True)
class LiesAboutOptimality(HostileOracle):
    """Returns the worst query, truly valued, as the proved minimum. Only an optimality check can tell."""

    def solve(self, problem: WeightedProblem) -> Answer:
        """The last of greatest value."""
        total = relative_values(problem)
        return _answer(problem, len(total) - 1 - int(np.argmax(total[::-1])))


@dataclass(frozen=True)
class ReturnsSecondBest(HostileOracle):
    """Returns the runner-up: off by as little as can be."""

    def solve(self, problem: WeightedProblem) -> Answer:
        """The second in order of value, then of the class."""
        order = np.argsort(relative_values(problem), kind="stable")
        return _answer(problem, int(order[min(1, len(order) - 1)]))


@dataclass(frozen=True)
class MisstatesValue(HostileOracle):
    """Returns the right query with a value one too low."""

    def solve(self, problem: WeightedProblem) -> Answer:
        """The wrapped oracle's answer with a wrong value."""
        answer = super().solve(problem)
        return replace(answer, value=answer.value - 1) if isinstance(answer, Solution) else answer


@dataclass(frozen=True)
class ReturnsForeignQuery(HostileOracle):
    """Returns something that is no query of the class."""

    def solve(self, problem: WeightedProblem) -> Answer:
        """Parts that no query has."""
        foreign = Query(problem.query_class, (problem.query_class.part_count,))
        return Solution(foreign, 0, Certificate(Trust.PROVED, "none"))


@dataclass(frozen=True)
class TieBreaksByNoise(HostileOracle):
    """Breaks ties by the noise, and promises a fixed order (trap P3)."""

    inner: Oracle = field(default_factory=FreeTies)


def _answer(problem: WeightedProblem, index: int) -> Solution:
    parts = parts_of(whole_table(problem.query_class)[index])
    return Solution(Query(problem.query_class, parts), problem.value(parts), Certificate(Trust.PROVED, "none"))
