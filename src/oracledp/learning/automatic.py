"""The automatic learner: a scoring card, or a rule perhaps with an exception, by a recipe that reads no data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log

from oracledp.learning.conditions import Conditions
from oracledp.learning.override_lists import default_rounds, widest
from oracledp.mechanisms.row_count import sizes


@dataclass(frozen=True)
class Recipe:
    """What the size of a table decides: all that a learner knows of it.

    ``model`` is the automatic learner's kind of rule, with ``rounds`` where that is a list; ``rules`` is the length of
    a list that was asked for. A score is regularised by ``curvature_share`` and sees columns or single literals.
    """

    model: str
    curvature_share: Fraction
    rounds: int
    rules: int
    by_column: bool


def recipe(rows: int, epsilon: Fraction, literals: int, codes: int | None = None) -> Recipe:
    """What to learn on a table of this size. Only public or released numbers are read, so the choice costs nothing.

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
        rules=default_rounds(rows, epsilon, literals),
        by_column=codes is not None and rows * epsilon >= 100 * codes,
    )


@lru_cache(maxsize=64)
def recipes(epsilon: Fraction, literals: int, codes: int | None = None) -> tuple[tuple[Recipe, frozenset[int]], ...]:
    """Every recipe that a count of the rows can come to, with the sizes for which it is."""
    found: dict[Recipe, list[int]] = {}
    for size in sizes():
        found.setdefault(recipe(size, epsilon, literals, codes), []).append(size)
    return tuple((plan, frozenset(fitting)) for plan, fitting in found.items())
