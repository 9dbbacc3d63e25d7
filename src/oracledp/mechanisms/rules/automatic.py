"""The automatic learner: a scoring card, a single rule, or the better of the two, by a rule that reads no data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np

from oracledp.classes import Query
from oracledp.guarantee import Guarantee, Neighbours
from oracledp.literals import Literals
from oracledp.mechanisms.rules.cards import scoring_card
from oracledp.mechanisms.rules.conditions import Conditions
from oracledp.mechanisms.rules.sample import Sample
from oracledp.mechanisms.rules.wording import single_rule
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.randomness import Randomness
from oracledp.selection import permute_and_flip_choice

MOST_CONDITIONS = 2_000_000
SHIFTS = (0.0, -0.4, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class Recipe:
    """What the budget is spent on: the share of the score (the rest chooses), and the score's curvature share."""

    score_share: Fraction
    curvature_share: Fraction
    width: int


def recipe(rows: int, epsilon: Fraction, columns: int) -> Recipe:
    """How to spend ε on a table of this size. Only public numbers are read.

    A score over d features hears noise of about d/ε rows, a choice among |Q| rules noise of about 2 ln|Q|/ε. With
    many features for few rows only the rule is worth its noise; with rows enough only the score is; between the
    two, both are tried. The two bounds, 12 and 40 rows·ε per feature, were set on ten tables (docs/learners.md).

    >>> recipe(40_000, Fraction(1), 43).score_share, recipe(2_500, Fraction(1, 10), 38).score_share
    (Fraction(1, 1), Fraction(0, 1))
    """
    width = max(w for w in (1, 2, 3) if w == 1 or Conditions(columns, w).size <= MOST_CONDITIONS)
    density = rows * epsilon / columns
    many = columns >= 3 * log(2 * Conditions(columns, width).size)
    share = Fraction(1)
    if many and density < 40:
        share = Fraction(0) if density < 12 else Fraction(3, 4)
    return Recipe(share, Fraction(1, 20) if density < 40 else Fraction(1, 10), width)


@dataclass(frozen=True)
class AutomaticRules:
    """A private score and a private choice that share ε by a public recipe (proofs/override-lists.md, section 3)."""

    literals: Literals
    recipe: Recipe
    epsilon: Fraction
    neighbours: Neighbours
    name: str = "automatic"

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="override-lists")

    def run(self, sample: Sample, source: Randomness) -> Query:
        """A card, or a rule."""
        share = self.recipe.score_share
        cards = self._cards(sample, share * self.epsilon, source) if share else []
        if share == 1:
            return cards[0]
        return self._choose(cards, sample, (1 - share) * self.epsilon, source)

    def _cards(self, sample: Sample, epsilon: Fraction, source: Randomness) -> list[Query]:
        surrogate = ConvexSurrogate(len(self.literals) + 1, epsilon, self.neighbours, self.recipe.curvature_share)
        weights = surrogate.run(sample.signs, sample.positive, sample.negative, source, unit=sample.unit)
        return [scoring_card(weights, self.literals, shift=shift) for shift in SHIFTS]

    def _choose(self, cards: list[Query], sample: Sample, epsilon: Fraction, source: Randomness) -> Query:
        """One selection over the cards, all rules, and all negated rules."""
        conditions = Conditions(len(self.literals), self.recipe.width)
        none = int(sample.positive.sum())  # the weighted error of never predicting the positive label
        covered = conditions.sums(sample.records, sample.gain)
        total = int(sample.gain.sum())
        of_cards = [none - int(sample.gain[card(sample.records)].sum()) for card in cards]
        errors = np.concatenate([np.array(of_cards, dtype=np.int64), none - covered, none - total + covered])
        rate = epsilon / (self.neighbours.comparison_sensitivity * sample.unit)
        index = permute_and_flip_choice(errors, rate, source)
        if index < len(cards):
            return cards[index]
        negated, place = divmod(index - len(cards), conditions.size)
        return single_rule(conditions[place], not negated, self.literals, self.recipe.width)
