"""The exact law of PRSMA over parts against an oracle that fails as it likes (README.md).

Outputs are told apart by one event: *inside* it, outside it, or ⊥. All functions take floats, for searches, or
Fractions, for exact answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.prsma_law import Behaviour, Content, Number, Outcome

Array = NDArray[Any]


@dataclass(frozen=True)
class Placed(Behaviour):
    """A part on which the oracle behaves in one way in some places of the order of calls, and else in another.

    ``inside`` is what the released run shows: one chosen by lot, or one in those places, as a mutant would have it.
    """

    passing: Number

    @classmethod
    def mixed(cls, there: Behaviour, elsewhere: Behaviour, *, places: int, runs: int, by_lot: bool = True) -> Placed:
        """So many places of so many runs behave like ``there``."""
        share = Fraction(places, runs) if by_lot else Fraction(1)
        return cls(
            failure=share * there.failure + (1 - share) * elsewhere.failure,
            inside=share * there.inside + (1 - share) * elsewhere.inside,
            passing=there.passes(places) * elsewhere.passes(runs - places),
        )

    def passes(self, runs: int) -> Number:
        """The probability that no run fails."""
        return self.passing


Rule = Callable[[Content], Behaviour]  # what the oracle makes of a part that holds this


@dataclass(frozen=True)
class Prospect:
    """What the others and the test leave open: sums over N, from which any behaviour of the changed part is priced."""

    absent_inside: Number  # sum of g(N) x
    present_inside: Number  # sum of h_N N x
    present_share: Number  # sum of h_N
    absent_answer: Number  # sum of g(N)
    present_answer: Number  # sum of g(N+1)
    total: Number

    def law(self, own: Behaviour, runs: int) -> Outcome:
        """The law of the output when the changed part behaves like this (section 2 of the proof)."""
        passes = own.passes(runs)
        present = self.present_inside + own.inside * self.present_share
        inside = (1 - passes) * self.absent_inside + passes * present
        answered = (1 - passes) * self.absent_answer + passes * self.present_answer
        return Outcome(inside, answered - inside, self.total - answered)


@dataclass(frozen=True, eq=False)
class Others:
    """The parts that hold no changed record: for each N, the mass of "N of them pass" and the mean sum of insides."""

    mass: Array
    insides: Array

    def facing(self, table: Sequence[Number]) -> Prospect:
        """These parts before a test with these pass probabilities."""
        g = np.array(table, dtype=self.mass.dtype)
        count = np.arange(len(self.mass))
        share = g[1:] / (count + 1)
        return Prospect(
            (g[1:-1] * self.insides[1:] / count[1:]).sum(),
            (share * self.insides).sum(),
            (share * self.mass).sum(),
            (g[:-1] * self.mass).sum(),
            (g[1:] * self.mass).sum(),
            self.mass.sum(),
        )


def fixed_split(others: Iterable[Behaviour], runs: int) -> Others:
    """The other parts of one given split: they pass independently of each other."""
    parts = list(others)
    kind = object if any(isinstance(part.failure, Fraction) for part in parts) else float
    mass, insides = np.zeros(len(parts) + 1, dtype=kind), np.zeros(len(parts) + 1, dtype=kind)
    mass[0] = mass[0] + 1
    for part in parts:
        passes = part.passes(runs)
        insides[1:] = (1 - passes) * insides[1:] + passes * (insides[:-1] + part.inside * mass[:-1])
        insides[0] = (1 - passes) * insides[0]
        mass[1:], mass[0] = (1 - passes) * mass[1:] + passes * mass[:-1], (1 - passes) * mass[0]
    return Others(mass, insides)


@dataclass(frozen=True)
class Population:
    """The unchanged records, ones and zeros, split at random; ``part_size`` is None for independent labels."""

    ones: int
    zeros: int
    parts: int
    part_size: int | None = None

    def contents(self, size: int | None) -> list[Content]:
        """What a part may hold."""
        pairs = [(a, b) for a in range(self.ones + 1) for b in range(self.zeros + 1)]
        return pairs if size is None else [pair for pair in pairs if sum(pair) == size]

    def random_split(self, behaviour: Rule, runs: int, kind: type = float) -> dict[Content, Others]:
        """The other parts over all splits, for each content of the changed part (its changed record not counted).

        The masses of all contents add up to one: a split that gives part i the content (a_i, b_i) has weight
        prod 1/(a_i! b_i!), whatever the sizes are.
        """
        shape = (self.parts, self.ones + 1, self.zeros + 1)  # passing parts, ones and zeros given out
        mass: Array = np.zeros(shape, dtype=kind)
        insides: Array = np.zeros(shape, dtype=kind)
        mass[0, 0, 0] = _weight((0, 0), kind)
        for _ in range(self.parts - 1):
            mass, insides = self._one_more(mass, insides, behaviour, runs, kind)
        found = self._changed_part(mass, insides, kind)
        total = sum(others.mass.sum() for others in found.values())
        return {content: Others(o.mass / total, o.insides / total) for content, o in found.items()}

    def _one_more(self, mass: Array, insides: Array, behaviour: Rule, runs: int, kind: type) -> tuple[Array, Array]:
        new_mass, new_insides = np.zeros_like(mass), np.zeros_like(insides)
        for content in self.contents(self.part_size):
            a, b = content
            part, weight = behaviour(content), _weight(content, kind)
            passes = part.passes(runs)
            old_mass = weight * mass[:, : self.ones + 1 - a, : self.zeros + 1 - b]
            old_insides = weight * insides[:, : self.ones + 1 - a, : self.zeros + 1 - b]
            new_mass[:, a:, b:] += (1 - passes) * old_mass
            new_insides[:, a:, b:] += (1 - passes) * old_insides
            new_mass[1:, a:, b:] += passes * old_mass[:-1]
            new_insides[1:, a:, b:] += passes * (old_insides[:-1] + part.inside * old_mass[:-1])
        return new_mass, new_insides

    def _changed_part(self, mass: Array, insides: Array, kind: type) -> dict[Content, Others]:
        """Give the changed part its share of what is left, and leave the rest out (nothing, for independent labels)."""
        size = None if self.part_size is None else self.part_size - 1
        found = {}
        for content in self.contents(size):
            own_mass, own_insides = mass[:, 0, 0] * 0, mass[:, 0, 0] * 0
            for a in range(self.ones - content[0] + 1):
                for b in range(self.zeros - content[1] + 1):
                    left = (self.ones - content[0] - a, self.zeros - content[1] - b)
                    if size is None and left != (0, 0):
                        continue
                    weight = _weight(content, kind) * _weight(left, kind)
                    own_mass, own_insides = own_mass + weight * mass[:, a, b], own_insides + weight * insides[:, a, b]
            found[content] = Others(own_mass, own_insides)
        return found


def _weight(content: Content, kind: type) -> Number:
    exact = Fraction(1, factorial(content[0]) * factorial(content[1]))
    return float(exact) if kind is float else exact
