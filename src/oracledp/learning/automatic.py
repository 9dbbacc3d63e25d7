"""What the size of a table decides, by rules that read no data: how a card sees it and how far it descends."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt, sqrt

from oracledp.learning.override_lists import default_rounds
from oracledp.mechanisms.gradients import Descent
from oracledp.mechanisms.row_count import sizes
from oracledp.privacy.gaussian_accounting import gaussian_mu

LEAST_CLARITY = 2
THIN = 10  # rows·ε per literal: below it, one threshold of a column is all that a pure card sees
LEAST_SHARE, MOST_SHARE = Fraction(1, 30), Fraction(1, 5)  # of ε, for the curvature of a pure card


@dataclass(frozen=True)
class Recipe:
    """What the size of a table decides: all that a learner knows of it.

    ``model`` is the automatic learner's kind of rule under pure ε; ``rules`` is the length of a list that was asked
    for. A score is regularised by ``curvature_share`` and sees all literals, or one threshold of a column.
    """

    model: str
    curvature_share: Fraction
    rules: int
    thin: bool


def recipe(rows: int, epsilon: Fraction, literals: int, few: int | None = None) -> Recipe:
    """How a pure learner is set on a table of this size. Only public or released numbers are read, so it costs nothing.

    A score of d weights hears noise of about d/ε rows. Below 10 rows·ε per literal it sees one threshold of each
    column, which leaves ``few`` literals. What its curvature may cost grows with the fourth root of rows·ε per weight:
    clear tables bear less regularisation. The numbers were set on real tables (docs/learners.md).

    >>> recipe(40_000, Fraction(1), 43).thin, recipe(2_500, Fraction(1, 10), 38).thin
    (False, True)
    """
    thin = rows * epsilon < THIN * literals
    weights = 1 + (few if thin and few is not None else literals)
    root = Fraction(isqrt(isqrt(int(rows * epsilon / weights * 2**32))), 2**8)
    return Recipe(
        model="halfspace",
        curvature_share=min(MOST_SHARE, max(LEAST_SHARE, root / 20)),
        rules=default_rounds(rows, epsilon, literals),
        thin=thin,
    )


def descent(rows: int, epsilon: Fraction, delta: Fraction, columns: int, classes: int = 2) -> Descent:
    """How a logistic card is learned from about so many rows: further and faster, the clearer its gradients are.

    Their clarity is rows·μ/√columns: a record's features have a length of about √columns, the noise of a step is
    √steps/μ lengths in every direction. Several classes have as many times the noise, and directions that are the
    flatter the more columns there are. No number jumps, so that a little more ε changes little. The constants were set
    on real tables (docs/learners.md).

    >>> [descent(rows, Fraction(1), Fraction(1, 10**5), 13).steps for rows in (400, 40_000)]
    [30, 100]
    """
    of_a_row = gaussian_mu(epsilon, delta) / sqrt(columns)
    counted = max(rows, ceil(LEAST_CLARITY / of_a_row))  # a count of few rows may be far too low, and steps too long
    if classes > 2:
        clarity = counted * of_a_row / sqrt(classes)
        return Descent(
            steps=round(_within(counted * of_a_row * sqrt(columns) / 24, 30, 100)),
            rate=_within(clarity / 1.5, 1, 3 * sqrt(columns)),
            clip=_share(_within(clarity / 400, 0.2, 0.5)),
            rows=counted,
        )
    clarity = counted * of_a_row
    return Descent(
        steps=round(_within(clarity, 30, 100)),
        rate=_within(clarity / 5, 1, 16),
        clip=_share(_within(clarity / 600, 0.25, 0.5)),
        rows=counted,
    )


def _share(value: float) -> Fraction:
    """A share that every machine computes alike."""
    return Fraction(round(64 * value), 64)


def _within(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))


@lru_cache(maxsize=64)
def recipes(epsilon: Fraction, literals: int, few: int | None = None) -> tuple[tuple[Recipe, frozenset[int]], ...]:
    """Every recipe that a count of the rows can come to, with the sizes for which it is."""
    found: dict[Recipe, list[int]] = {}
    for size in sizes():
        found.setdefault(recipe(size, epsilon, literals, few), []).append(size)
    return tuple((plan, frozenset(fitting)) for plan, fitting in found.items())
