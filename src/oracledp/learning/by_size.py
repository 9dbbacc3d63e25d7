"""A learner whose recipe follows the number of rows, where that is private: a share of ε measures it first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from oracledp.learning.task import RuleLearner
from oracledp.mechanisms.row_count import SHARE, RowCount
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import Randomness

Sized = tuple[RuleLearner, frozenset[int]]


@dataclass(frozen=True)
class LearnerBySize:
    """A noisy count, then the learner for that size: one after the other they cost ε (proofs/row-count.md).

    Every size that a count can come to has its learner, so that all of them are calibrated and checked before
    anything is paid.
    """

    epsilon: Fraction
    count: RowCount
    learners: tuple[Sized, ...]

    @classmethod
    def measuring(cls, epsilon: Fraction, learners: Callable[[Fraction], tuple[Sized, ...]]) -> LearnerBySize:
        """A share of ε for the count; ``learners`` of the rest promise the rest, for all their problems together."""
        count = RowCount(epsilon * SHARE)
        return cls(epsilon, count, learners(epsilon - count.epsilon))

    @property
    def name(self) -> str:
        """Of the learners that it may come to."""
        return " or ".join(dict.fromkeys(learner.name for learner, _ in self.learners))

    @property
    def guarantee(self) -> Guarantee:
        """Count and learner together; it stands on what any of the learners stands on."""
        promises = [learner.guarantee for learner, _ in self.learners]
        claims = dict.fromkeys(claim for promise in promises for claim in promise.assumes)
        delta = max(promise.delta for promise in promises)
        return replace(self.count.guarantee, epsilon=self.epsilon, delta=delta).assuming(*claims)

    @property
    def at_once(self) -> bool:
        """Whether every learner that it may come to settles all classes in one run."""
        return all(learner.at_once for learner, _ in self.learners)

    def check(self, rows_bound: int, unit: int, /) -> None:
        """Refuse what one of the learners would refuse: the count is not known yet."""
        for learner, _ in self.learners:
            learner.check(rows_bound, unit)

    def settled(self, rows: int, source: Randomness, /) -> RuleLearner:
        """The learner for about so many rows."""
        size = self.count.run(rows, source)
        return next(learner for learner, fitting in self.learners if size in fitting)
