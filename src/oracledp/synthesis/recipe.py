"""Every setting of the synthesizer, from the noisy number of records, the budget and the schema alone.

The settings follow from one number, the *relative noise*: the standard deviation, as a fraction of the records, of a
cell of a two-way table when all two-way tables share the budget evenly. No setting depends on a particular table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt

_MOST_ONE_WAY = 0.36  # of the budget
_LEAST_THREE_WAY = 0.13  # of what two- and three-ways share, where three-ways are measured at all
_MOST_THREE_WAY = 1_000_000  # counts: each is a number in every component of the model
_MOST_TWO_WAY = 40_000_000  # cells of all pairs together


@dataclass(frozen=True)
class Settings:
    """What is measured how finely, and how the model is fitted."""

    thresholds: tuple[float, ...]  # least mass of a bin, level by level
    fine_cells: int  # largest two-way table of a dependent pair
    coarse_cells: int  # largest two-way table of any pair
    groups: int  # groups per column of the three-way parities; 1: none are measured
    shares: tuple[float, float, float]  # of the budget, for one-, two- and three-way counts
    coarse_share: float  # of the two-way budget, for the first look at every pair
    evidence: float  # standard errors of dependence before a pair is measured finely
    divergence: float  # weight of the components' divergence, times the root of the counts: evidence scales it
    smoothness: float  # weight of roughness along ordered columns: evidence scales it


def relative_noise(rho: float, total: float, columns: int) -> float:
    """The noise of a two-way cell, as a fraction of the records, if all pairs shared the budget evenly."""
    return sqrt(max(comb(columns, 2), 1) / (2 * rho)) / max(total, 1.0)


def settings(rho: float, total: float, sizes: Sequence[int], order: int = 3) -> Settings:
    """The settings for a table of ``total`` records and these column sizes at zCDP budget ``rho``."""
    noise = relative_noise(rho, total, len(sizes))
    room = _MOST_TWO_WAY // max(comb(len(sizes), 2), 1)
    fine = int(min(max(5 * noise**-0.7, 16), 3000, max(room, 16)))
    groups, shares = _shares(rho, total, sizes, fine, order)
    return Settings(
        thresholds=_thresholds(min(max(0.8 * noise**0.8, 0.0005), 0.125)),
        fine_cells=fine,
        coarse_cells=min(100, max(fine // 3, 16)),
        groups=groups,
        shares=shares,
        coarse_share=0.45,
        evidence=2.0,
        divergence=0.3 * noise**-0.4,
        smoothness=0.005,
    )


def _thresholds(finest: float) -> tuple[float, ...]:
    """Doubling thresholds from the finest up to a quarter of the records."""
    levels = [finest]
    while levels[-1] < 0.25:
        levels.append(min(2 * levels[-1], 0.25))
    return tuple(levels)


def _shares(
    rho: float, total: float, sizes: Sequence[int], fine: int, order: int
) -> tuple[int, tuple[float, float, float]]:
    """The groups of the three-way parities and the budget's split between the orders.

    Each order weighs in with its number of counts times the root of how often the workload uses one of them, to
    the power 2/3; the one-ways, which every answer stands on, count three times, up to a limit. Parities are cut as
    finely as leaves their noise below a tenth of the records, and as there is room for.
    """
    columns = len(sizes)
    one = 3 * sum(size - 1 for size in sizes) * sqrt(max(comb(columns - 1, 2), 1))
    two = sum(min(fine, a * b) for a, b in combinations([s - (s == 2) for s in sizes], 2)) * sqrt(max(columns - 2, 1))
    if columns == 1:
        return 1, (1.0, 0.0, 0.0)
    for groups in (4, 2):
        three = _triples([min(size, groups) - 1 for size in sizes]) if order >= 3 else 0
        shares = _normal(one, two, three)
        if 0 < three <= _MOST_THREE_WAY and sqrt(three / (2 * rho * shares[2])) < 0.1 * total:
            return groups, shares
    return 1, _normal(one, two, 0)


def _normal(one: float, two: float, three: float) -> tuple[float, float, float]:
    """Shares as the counts to the power 2/3, between the limits."""
    weights = [weight ** (2 / 3) for weight in (one, two, three)]
    if three:
        weights[2] = max(weights[2], _LEAST_THREE_WAY / (1 - _LEAST_THREE_WAY) * weights[1])
    weights[0] = min(weights[0], _MOST_ONE_WAY / (1 - _MOST_ONE_WAY) * (weights[1] + weights[2]))
    total = sum(weights)
    return weights[0] / total, weights[1] / total, weights[2] / total


def _triples(features: Sequence[int]) -> int:
    """How many products there are of three features of different columns.

    >>> _triples([1, 2, 3, 0])
    6
    """
    ones, twos, threes = (sum(count**power for count in features) for power in (1, 2, 3))
    return (ones**3 - 3 * ones * twos + 2 * threes) // 6
