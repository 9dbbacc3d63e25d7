"""Override lists: a private rule, then one private selection after another, each put in front of the list."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.errors import ParameterError
from oracledp.exact.capacity import CONDITIONS, refuse_overflow
from oracledp.learning.conditions import Conditions, holds
from oracledp.learning.sample import Sample
from oracledp.learning.wording import Step, decision_list
from oracledp.oracles.values import refuse_large
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.choice import permute_and_flip_choice, short_rate
from oracledp.randomness.source import Randomness

MOST_ROUNDS = 8
MOST_CONDITIONS = 500_000
GAIN = 0.02  # a further round should be able to find an override that corrects this share of the rows


def widest(columns: int) -> int:
    """The greatest width, up to three, at which the conditions can be listed."""
    return max(w for w in (1, 2, 3) if w == 1 or Conditions(columns, w).size <= MOST_CONDITIONS)


def default_rounds(rows: int, epsilon: Fraction, columns: int) -> int:
    """How many rules a budget bears: two, and as many more as could tell a gain of two per cent from noise.

    >>> default_rounds(40_000, Fraction(1, 10), 43), default_rounds(400, Fraction(1), 16)
    (4, 2)
    """
    choices = 2 * Conditions(columns, min(2, widest(columns))).size + 1
    return max(2, min(MOST_ROUNDS, int(rows * epsilon * GAIN / (2 * log(choices)))))


@dataclass(frozen=True)
class OverrideLists:
    """T permute-and-flip selections of ε/T each (proofs/override-lists.md): ε-DP, robust.

    First a rule "label where the condition holds, the other label elsewhere" with a condition of at most
    ``first_width`` tests; then T - 1 times the condition of at most ``width`` tests and the label which, put in
    front of the list, leave the fewest errors, or no change. Widths are lowered until a class can be listed.
    """

    literals: Literals
    rounds: int
    epsilon: Fraction
    neighbours: Neighbours
    width: int = 2
    first_width: int = 3
    name: str = "override-list"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ParameterError("a list needs at least one round")

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust: every selection enumerates its candidates."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="override-lists")

    @property
    def first_conditions(self) -> Conditions:
        """What the first rule may test."""
        return Conditions(len(self.literals), min(self.first_width, widest(len(self.literals))))

    @property
    def conditions(self) -> Conditions:
        """What an override may test."""
        return Conditions(len(self.literals), min(self.width, self.first_conditions.width))

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse what public facts rule out: too many conditions to list, sums beyond 64 bits."""
        refuse_overflow(rows_bound=rows_bound, unit=unit, limit=CONDITIONS)
        refuse_large(2 * self.first_conditions.size)

    def rate(self, unit: int) -> Fraction:
        """The weight of one unit of weighted error in the exponent of a selection."""
        return short_rate(self.epsilon / self.rounds / (self.neighbours.comparison_sensitivity * unit))

    def first_errors(self, sample: Sample) -> NDArray[np.int64]:
        """The weighted error of each first rule: each condition with label 0, then each with label 1."""
        covered = self.first_conditions.sums(sample.packed, sample.gain)
        none, every = int(sample.positive.sum()), int(sample.negative.sum())
        return np.concatenate([every + covered, none - covered])

    def first_step(self, index: int) -> Step:
        """The rule at one place of :meth:`first_errors`."""
        label, place = divmod(index, self.first_conditions.size)
        return self.first_conditions[place], bool(label)

    def changes(self, sample: Sample, predicted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How the weighted error changes: by nothing, by each condition with label 0, by each with label 1."""
        to_zero = np.where(predicted, sample.gain, 0)
        to_one = np.where(predicted, 0, -sample.gain)
        sums = [self.conditions.sums(sample.packed, weights) for weights in (to_zero, to_one)]
        return np.concatenate([np.zeros(1, dtype=np.int64), *sums])

    def step(self, index: int) -> Step | None:
        """The override at one place of :meth:`changes`; None changes nothing."""
        if index == 0:
            return None
        label, place = divmod(index - 1, self.conditions.size)
        return self.conditions[place], bool(label)

    def run(self, sample: Sample, source: Randomness) -> Query:
        """One private list."""
        rate = self.rate(sample.unit)
        first = self.first_step(permute_and_flip_choice(self.first_errors(sample), rate, source))
        predicted = apply(first, np.full(len(sample.packed), not first[1]), sample)
        steps = [first]
        for _ in range(self.rounds - 1):
            step = self.step(permute_and_flip_choice(self.changes(sample, predicted), rate, source))
            if step is not None:
                predicted = apply(step, predicted, sample)
                steps.append(step)
        return self._worded(steps)

    def _worded(self, steps: list[Step]) -> Query:
        """The list as a query; an override that always holds makes what lies behind it void."""
        always = [place for place, (condition, _) in enumerate(steps) if not condition]
        default = steps[always[-1]][1] if always else not steps[0][1]
        kept = steps[always[-1] + 1 :] if always else steps
        width = self.first_conditions.width
        return decision_list(kept, default, self.literals, length=self.rounds, width=width)


def apply(step: Step, predicted: NDArray[np.bool_], sample: Sample) -> NDArray[np.bool_]:
    """The prediction with one more override in front."""
    condition, label = step
    return np.where(holds(condition, sample.packed), label, predicted)
