"""The automatic learner: a scoring card, or a rule perhaps with an exception, by a recipe that reads no data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

from oracledp.mechanisms.rules.conditions import Conditions
from oracledp.mechanisms.rules.override_lists import widest


@dataclass(frozen=True)
class Recipe:
    """Which kind of rule is learned, and how the score, if it is one, is regularised."""

    model: str
    curvature_share: Fraction
    rounds: int


def recipe(rows: int, epsilon: Fraction, columns: int, weights: int | None = None) -> Recipe:
    """What to learn on a table of this size. Only public numbers are read, so the choice costs nothing.

    A score of d weights hears noise of about d/ε rows, a choice among |Q| rules noise of about 2 ln|Q|/ε. So
    where weights are many (d >= 3 ln|Q|) and rows few (fewer than 40/ε per weight) a rule is learned, with an
    exception if there are 20 ln|Q|/ε rows, and a scoring card otherwise. The three numbers were set on ten tables
    (docs/learners.md). ``weights`` is d, the number of literals unless they hang together.

    >>> recipe(40_000, Fraction(1), 43).model, recipe(2_500, Fraction(1, 10), 38).model
    ('halfspace', 'decision-list')
    """
    dimension = weights or columns
    density = rows * epsilon / dimension
    choices = log(2 * Conditions(columns, widest(columns)).size)
    model = "decision-list" if dimension >= 3 * choices and density < 40 else "halfspace"
    rounds = 2 if rows * epsilon >= 20 * choices else 1
    return Recipe(model, Fraction(1, 20) if density < 40 else Fraction(1, 10), rounds)
