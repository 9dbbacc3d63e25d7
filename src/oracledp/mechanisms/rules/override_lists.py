"""Override lists: a private constant, then one private selection after another, each put in front of the list."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query
from oracledp.errors import ParameterError
from oracledp.guarantee import Guarantee, Neighbours
from oracledp.literals import Literals
from oracledp.mechanisms.rules.conditions import Conditions, holds
from oracledp.mechanisms.rules.sample import Sample
from oracledp.mechanisms.rules.wording import Step, decision_list
from oracledp.randomness import Randomness
from oracledp.selection import permute_and_flip_choice

MOST_ROUNDS = 8
GAIN = 0.02  # a round should be able to find a rule that corrects this share of the rows


def default_rounds(rows: int, epsilon: Fraction, columns: int, width: int = 2) -> int:
    """How many overrides a budget bears: each must tell a gain of two per cent of the rows from its noise.

    >>> default_rounds(40_000, Fraction(1, 10), 43), default_rounds(400, Fraction(1), 16)
    (4, 1)
    """
    choices = 2 * Conditions(columns, width).size + 1
    return max(1, min(MOST_ROUNDS, int(rows * epsilon * GAIN / (2 * log(choices)))))


@dataclass(frozen=True)
class OverrideLists:
    """T + 1 permute-and-flip selections of ε/(T+1) each (proofs/override-lists.md): ε-DP, robust.

    First a constant label; then T times the conjunction of at most ``width`` tests and the label which,
    put in front of the list, leave the fewest errors, or no change.
    """

    literals: Literals
    rounds: int
    epsilon: Fraction
    neighbours: Neighbours
    width: int = 2
    name: str = "override-list"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ParameterError("a list needs at least one round")

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust: every selection enumerates its candidates."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="override-lists")

    @property
    def conditions(self) -> Conditions:
        """What a rule may test."""
        return Conditions(len(self.literals), self.width)

    def rate(self, unit: int) -> Fraction:
        """The weight of one unit of weighted error in the exponent of a selection."""
        return self.epsilon / (self.rounds + 1) / (self.neighbours.comparison_sensitivity * unit)

    def changes(self, sample: Sample, predicted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How the weighted error changes: by nothing, by each condition with label 0, by each with label 1."""
        to_zero = np.where(predicted, sample.gain, 0)
        to_one = np.where(predicted, 0, -sample.gain)
        sums = [self.conditions.sums(sample.records, weights) for weights in (to_zero, to_one)]
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
        constants = np.array([sample.positive.sum(), sample.negative.sum()], dtype=np.int64)
        default = bool(permute_and_flip_choice(constants, rate, source))
        predicted = np.full(len(sample.records), default)
        steps: list[Step] = []
        for _ in range(self.rounds):
            step = self.step(permute_and_flip_choice(self.changes(sample, predicted), rate, source))
            if step is None:
                continue
            condition, label = step
            predicted = np.where(holds(condition, sample.records), label, predicted)
            if condition:
                steps.append(step)
            else:  # an override that always holds is a new default
                steps, default = [], label
        return decision_list(steps, default, self.literals, length=self.rounds, width=self.width)
