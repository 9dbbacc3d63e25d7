"""The certified (ε, δ) of a design, recomputed from its numbers alone in outward-rounded exact arithmetic.

Nothing here knows how a design was found. Names follow proofs/prsma.md: N is the number of passing parts
besides the one that holds the changed record, g the table of pass probabilities, h_N = g(N+1)/(N+1).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from oracledp.exact.intervals import Interval

if TYPE_CHECKING:
    from oracledp.mechanisms.robust.design import Design, Terms

CERTAIN = Fraction(1)  # a delta of 1: the theorem says nothing
GRID = 10**6  # certified epsilons are multiples of 10^-6


@dataclass(frozen=True)
class Step:
    """What is known when N other parts pass (Lemma 2): all bounds are on the safe side and exact."""

    others: int
    weight: Fraction  # h_N: the share of the output that the changed part can carry
    likeness: Fraction  # κ_N: how many times likelier than the others' average the changed part may be, for free
    deficit: Fraction  # e_N: the excess of an absent changed part over a present one that never answers

    @property
    def worst(self) -> Fraction:
        """The excess when nothing is known about the changed part."""
        return max(self.deficit, self.weight * max(Fraction(1), 1 - self.likeness))


def steps(design: Design, epsilon: Fraction) -> tuple[Step, ...]:
    """One step for each N from 0 to K - 1."""
    growth = Interval.of(epsilon).exp().lower
    table = design.pass_probabilities
    found = []
    for others in range(design.parts):
        absent, present = table[others], table[others + 1]
        weight = present / (others + 1)
        likeness = others * (growth - 1)
        if present > 0:
            likeness = min(likeness, (others + 1) * growth * absent / present - others)
        found.append(Step(others, weight, likeness, max(Fraction(0), absent - growth * weight * others)))
    return tuple(found)


def delta_terms(design: Design, epsilon: Fraction) -> Terms:
    """Every part of the certified delta, by what it pays for. The sum is the delta."""
    return dict(_delta_terms(design, epsilon))


@lru_cache(maxsize=64)
def _delta_terms(design: Design, epsilon: Fraction) -> tuple[tuple[str, Fraction], ...]:
    terms = design.theorem.terms(design, epsilon) if design.theorem.whole else _ladder_terms(design, epsilon)
    if design.tie_delta > 0:
        terms["ties"] = _ties(design, epsilon)
    return tuple((name, min(value, CERTAIN)) for name, value in terms.items())


def _ladder_terms(design: Design, epsilon: Fraction) -> Terms:
    """For theorems on the passing parts: the changed part against the others, step by step."""
    ladder = steps(design, epsilon)
    few, enough = ladder[: design.minimum_passing], ladder[design.minimum_passing :]
    if any(step.deficit > 0 or step.likeness <= 0 for step in enough if step.weight > 0):
        return {"no theorem applies": CERTAIN}
    return {
        "too few parts passed": max(step.worst for step in few),
        "giving up": _giving_up(design, epsilon),
        **design.theorem.terms(design, epsilon),
    }


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
    """The greatest |ln| ratio of the test's two outcomes between N and N + 1 passing parts, rounded up."""
    table = design.pass_probabilities[design.minimum_passing :]
    ratios = [b / a for a, b in pairwise(table) if a > 0]
    ratios += [(1 - a) / (1 - b) for a, b in pairwise(table) if b < 1]
    upper = Interval.of(max(ratios)).log().upper
    return Fraction(-(-upper.numerator * GRID // upper.denominator), GRID)


def _giving_up(design: Design, epsilon: Fraction) -> Fraction:
    """How far the probability of ⊥ may jump beyond a factor of e^ε (Lemma 1)."""
    growth = Interval.of(epsilon).exp().lower
    table = design.pass_probabilities
    jumps = (1 - a - growth * (1 - b) for a, b in pairwise(table))
    return max(Fraction(0), *jumps)


def _ties(design: Design, epsilon: Fraction) -> Fraction:
    """(1 + e^ε) δ_tie times how often a tie shows: only if the output comes from its run (trap P7)."""
    return (1 + Interval.of(epsilon).exp().upper) * design.tie_delta * design.theorem.tie_share(design)
