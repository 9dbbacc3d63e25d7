"""What the theorems on parts share: the changed part against the others, step by step (README.md, sections 1 and 2).

N is the number of passing parts besides the one that holds the changed record, g the table of pass probabilities,
h_N = g(N+1)/(N+1).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from oracledp.exact.intervals import Interval
from oracledp.mechanisms.robust.delta import CERTAIN
from oracledp.mechanisms.robust.design import Design, Terms, Theorem


@dataclass(frozen=True)
class PartsTheorem(Theorem):
    """A theorem on the passing parts; ``minimum_passing`` is N_min, below which it asks nothing of them."""

    minimum_passing: int

    @abstractmethod
    def own_terms(self, design: Design, epsilon: Fraction) -> Terms:
        """The parts of delta that are the theorem's own."""

    def terms(self, design: Design, epsilon: Fraction) -> Terms:
        """Too few passing parts, giving up, and the theorem's own."""
        ladder = steps(design, epsilon)
        few, enough = ladder[: self.minimum_passing], ladder[self.minimum_passing :]
        if not few or not enough or any(s.deficit > 0 or s.likeness <= 0 for s in enough if s.weight > 0):
            return {"no theorem applies": CERTAIN}
        return {
            "too few parts passed": max(step.worst for step in few),
            "giving up": giving_up(design, epsilon),
            **self.own_terms(design, epsilon),
        }

    def share(self, parts: int) -> Fraction:
        """One part."""
        return Fraction(1, parts)

    def calls(self, parts: int, runs: int) -> int:
        """All runs on all parts."""
        return parts * runs

    def tie_share(self, design: Design) -> Fraction:
        """A tie shows if it is in the run of its part that the lot names."""
        return design.parts * max(p / t for t, p in enumerate(design.pass_probabilities) if t > 0)


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


def giving_up(design: Design, epsilon: Fraction) -> Fraction:
    """How far the probability of ⊥ may jump beyond a factor of e^ε (Lemma 1)."""
    growth = Interval.of(epsilon).exp().lower
    jumps = (1 - a - growth * (1 - b) for a, b in pairwise(design.pass_probabilities))
    return max(Fraction(0), *jumps)
