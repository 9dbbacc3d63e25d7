"""One conjunction or disjunction of at most three tests, chosen among all of them by their exact errors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Conjunctions, Disjunctions, Query
from oracledp.data.literals import Literals
from oracledp.exact.capacity import CONDITIONS, refuse_overflow
from oracledp.learning.conditions import Condition, Conditions
from oracledp.learning.sample import Sample
from oracledp.oracles.values import refuse_large
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.choice import exponential_choice, permute_and_flip_choice, short_rate
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class SingleRules:
    """One selection over the conjunctions (or disjunctions) of tests of different literals: ε-DP, robust.

    The exponential mechanism, or permute-and-flip, on weighted errors (proofs/override-lists.md, section 1).
    """

    literals: Literals
    width: int
    epsilon: Fraction
    neighbours: Neighbours
    disjunctions: bool
    permute_and_flip: bool = False

    @property
    def name(self) -> str:
        """How releases and the ledger name it."""
        return "permute-and-flip" if self.permute_and_flip else "exponential"

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust: the class is enumerated."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="override-lists")

    @property
    def conditions(self) -> Conditions:
        """The conjunctions; a disjunction is the negation of one."""
        return Conditions(len(self.literals), min(self.width, len(self.literals)))

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse what public facts rule out: conditions of more than three tests, sums beyond 64 bits."""
        refuse_overflow(rows_bound=rows_bound, unit=unit, limit=CONDITIONS)
        refuse_large(self.conditions.size)

    def errors(self, sample: Sample) -> NDArray[np.int64]:
        """The weighted error of each rule."""
        covered = self.conditions.sums(sample.packed, sample.gain)
        if self.disjunctions:  # predicted where the condition fails
            return np.asarray(int(sample.negative.sum()) + covered)
        return np.asarray(int(sample.positive.sum()) - covered)

    def run(self, sample: Sample, source: Randomness) -> Query:
        """One private rule."""
        rate = short_rate(self.epsilon / (self.neighbours.comparison_sensitivity * sample.unit))
        choose = permute_and_flip_choice if self.permute_and_flip else exponential_choice
        return self.query(self.conditions[choose(self.errors(sample), rate, source)])

    def query(self, condition: Condition) -> Query:
        """The rule in words: the condition itself, or one of its tests failing."""
        every = self.literals.with_negations()
        place = {literal: number for number, literal in enumerate(every)}
        tests = (
            self.literals[column] if wanted != self.disjunctions else self.literals[column].negated()
            for column, wanted in condition
        )
        owner = (Disjunctions if self.disjunctions else Conjunctions)(every, max_width=self.width)
        return owner.query(*(place[test] for test in tests))
