"""The automatic learner: a scoring card, or a rule perhaps with an exception, by a recipe that reads no data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

from oracledp.learning.conditions import Conditions
from oracledp.learning.override_lists import widest


@dataclass(frozen=True)
class Recipe:
    """Which kind of rule is learned, how a score is regularised, and whether it sees columns or single literals."""

    model: str
    curvature_share: Fraction
    rounds: int
    by_column: bool


def recipe(rows: int, epsilon: Fraction, literals: int, codes: int | None = None) -> Recipe:
    """What to learn on a table of this size. Only public numbers are read, so the choice costs nothing.

    A score of d weights hears noise of about d/ε rows, a choice among |Q| rules noise of about 2 ln|Q|/ε. So
    where literals are many (d >= 3 ln|Q|) and rows few (fewer than 40/ε per literal) a rule is learned, with an
    exception if there are 20 ln|Q|/ε rows, and a scoring card otherwise. ``codes`` is the number of weights of a
    score that sees each column as a whole, where columns are known: it does so from 100/ε rows per weight on. The
    numbers were set on real tables (docs/learners.md).

    >>> recipe(40_000, Fraction(1), 43).model, recipe(2_500, Fraction(1, 10), 38).model
    ('halfspace', 'decision-list')
    """
    density = rows * epsilon / literals
    choices = log(2 * Conditions(literals, widest(literals)).size)
    return Recipe(
        model="decision-list" if literals >= 3 * choices and density < 40 else "halfspace",
        curvature_share=Fraction(1, 80) if density < 5 else Fraction(1, 20) if density < 40 else Fraction(1, 10),
        rounds=2 if rows * epsilon >= 20 * choices else 1,
        by_column=codes is not None and rows * epsilon >= 100 * codes,
    )
