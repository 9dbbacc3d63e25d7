"""What the size of a table decides, by rules that read no data: how a card sees it and how far it descends."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, sqrt

from oracledp.learning.override_lists import default_rounds
from oracledp.mechanisms.gradients import Descent
from oracledp.mechanisms.row_count import sizes
from oracledp.privacy.gaussian_accounting import gaussian_mu

LEAST_CLARITY = 2
THIN = 10  # rows·ε per literal: below it, one threshold of a column is all that a pure card sees


@dataclass(frozen=True)
class Recipe:
    """What the size of a table decides: all that a learner knows of it.

    ``model`` is the automatic learner's kind of rule under pure ε; ``rules`` is the length of a list that was asked
    for. A score is regularised by ``curvature_share`` and sees whole columns, single literals, or a few of them.
    """

    model: str
    curvature_share: Fraction
    rules: int
    by_column: bool
    thin: bool


def recipe(rows: int, epsilon: Fraction, literals: int, codes: int | None = None) -> Recipe:
    """How a pure learner is set on a table of this size. Only public or released numbers are read, so it costs nothing.

    A score of d weights hears noise of about d/ε rows. Below 10 rows·ε per literal it sees one threshold of each
    column; from 100 rows·ε per weight on it sees each column as a whole, where columns are known and have ``codes``
    weights together. The numbers were set on real tables (docs/learners.md).

    >>> recipe(40_000, Fraction(1), 43).thin, recipe(2_500, Fraction(1, 10), 38).thin
    (False, True)
    """
    density = rows * epsilon / literals
    return Recipe(
        model="halfspace",
        curvature_share=Fraction(1, 80) if density < 5 else Fraction(1, 20) if density < 40 else Fraction(1, 10),
        rules=default_rounds(rows, epsilon, literals),
        by_column=codes is not None and rows * epsilon >= 100 * codes,
        thin=density < THIN,
    )


def descent(rows: int, epsilon: Fraction, delta: Fraction, columns: int) -> Descent:
    """How a logistic card is learned from about so many rows: further and faster, the clearer its gradients are.

    Their clarity is rows·μ/√columns: a record's features have a length of about √columns, the noise of a step is
    √steps/μ lengths in every direction. No number jumps, so that a little more ε changes little. The constants were
    set on real tables (docs/learners.md).

    >>> [descent(rows, Fraction(1), Fraction(1, 10**5), 13).steps for rows in (400, 40_000)]
    [30, 100]
    """
    of_a_row = gaussian_mu(epsilon, delta) / sqrt(columns)
    counted = max(rows, ceil(LEAST_CLARITY / of_a_row))  # a count of few rows may be far too low, and steps too long
    clarity = counted * of_a_row
    return Descent(
        steps=round(_within(clarity, 30, 100)),
        rate=_within(clarity / 5, 1, 16),
        clip=Fraction(round(64 * _within(clarity / 600, 0.25, 0.5)), 64),
        rows=counted,
    )


def _within(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))


@lru_cache(maxsize=64)
def recipes(epsilon: Fraction, literals: int, codes: int | None = None) -> tuple[tuple[Recipe, frozenset[int]], ...]:
    """Every recipe that a count of the rows can come to, with the sizes for which it is."""
    found: dict[Recipe, list[int]] = {}
    for size in sizes():
        found.setdefault(recipe(size, epsilon, literals, codes), []).append(size)
    return tuple((plan, frozenset(fitting)) for plan, fitting in found.items())
