"""The certified (ε, δ) of a design, recomputed from its numbers alone in outward-rounded exact arithmetic.

Nothing here knows how a design was found. Names follow proofs/prsma.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from oracledp.exact.intervals import Interval

if TYPE_CHECKING:
    from oracledp.mechanisms.robust.design import Design, Terms

CERTAIN = Fraction(1)  # a delta of 1: the theorem says nothing
GRID = 10**6  # certified epsilons are multiples of 10^-6


def delta_terms(design: Design, epsilon: Fraction) -> Terms:
    """Every part of the certified delta, by what it pays for. The sum is the delta."""
    return dict(_delta_terms(design, epsilon))


@lru_cache(maxsize=64)
def _delta_terms(design: Design, epsilon: Fraction) -> tuple[tuple[str, Fraction], ...]:
    terms = design.theorem.terms(design, epsilon)
    if design.tie_delta > 0:
        terms["ties"] = _ties(design, epsilon)
    return tuple((name, min(value, CERTAIN)) for name, value in terms.items())


def certified_delta(design: Design, epsilon: Fraction | None = None) -> Fraction:
    """An upper bound on δ at ``epsilon`` (the design's own when None), by the design's theorem: proofs/prsma.md."""
    terms = delta_terms(design, design.epsilon if epsilon is None else epsilon)
    return min(CERTAIN, sum(terms.values(), Fraction(0)))


def certified_epsilon(design: Design, delta: Fraction | None = None) -> Fraction:
    """The least multiple of 10^-6 that is certified as ε at ``delta`` (the design's own when None)."""
    allowed = design.delta if delta is None else delta
    low, high = 0, GRID
    while certified_delta(design, Fraction(high, GRID)) > allowed:
        low, high = high, 2 * high
        if high > 1000 * GRID:
            raise ArithmeticError("no epsilon up to 1000 is certified for this design and delta")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if certified_delta(design, Fraction(middle, GRID)) <= allowed else (middle, high)
    return Fraction(high, GRID)


def confirmed(design: Design) -> bool:
    """Whether the design's claim follows from its theorem, and claims anything."""
    return certified_delta(design) <= design.delta < 1


def epsilon_of_test(design: Design) -> Fraction:
    """The greatest |ln| ratio of the test's two outcomes between T and T + 1 passing tests, T > 0, rounded up."""
    table = design.pass_probabilities[1:]
    ratios = [b / a for a, b in pairwise(table) if a > 0]
    ratios += [(1 - a) / (1 - b) for a, b in pairwise(table) if b < 1]
    upper = Interval.of(max(ratios)).log().upper
    return Fraction(-(-upper.numerator * GRID // upper.denominator), GRID)


def _ties(design: Design, epsilon: Fraction) -> Fraction:
    """(1 + e^ε) δ_tie times how often a tie shows: only if the output comes from its run (trap P7)."""
    return (1 + Interval.of(epsilon).exp().upper) * design.tie_delta * design.theorem.tie_share(design)
