"""Trials: how the exponential mechanism is drawn from a frontier of counted, bounded sets of queries.

Weights are integers in units of 2^-63, rounded up; a trial undoes the rounding, so that it ends at a query with
probability exactly e^(-rate·(value - origin)) / total, and at none otherwise (proofs/exponential-mechanism.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import BrokenSearchTree, CapacityError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import Randomness, below

BITS = 63
ONE = 1 << BITS
MOST_LEAVES = 1 << 62  # of one problem; two of them fill 126 of 128 bits
MOST_VALUE = 1 << 61  # distances between values fit in 63 bits


@dataclass(frozen=True)
class Draw:
    """Where a trial ended: in which problem, at which query, and how far its value is above the origin."""

    problem: int
    parts: Parts
    distance: int


class Trials(Protocol):
    """A frontier over all queries of some problems, from which trials start; it may be refined between them."""

    @property
    def origin(self) -> int:
        """An integer that no value is below."""
        ...

    def total(self) -> int:
        """The weight of the frontier now, in units of 2^-63."""
        ...

    def trial(self, source: Randomness) -> Draw | None:
        """Ends at a query with probability 2^63 e^(-rate·distance) / total, else at none."""
        ...


class Forest(Protocol):
    """What every compiled frontier tells of itself."""

    @property
    def origin(self) -> int:
        """The least bound on the frontier when it was made."""
        ...

    def total(self) -> int:
        """The weight of the frontier now."""
        ...


class ForestTrials:
    """Trials over a compiled frontier of some problems; no leaf is believed before its loss is worked out anew."""

    forest: Forest
    problems: Sequence[WeightedProblem]

    @property
    def origin(self) -> int:
        """The least bound on the frontier when it was made."""
        return self.forest.origin

    def total(self) -> int:
        """The weight of the frontier now."""
        return self.forest.total()

    def reached(self, problem: int, parts: Parts, distance: int) -> Draw:
        """The leaf that a trial stands at, whose distance must be that of the query's own loss, in Python integers.

        A bound that is too large would change the law without a trace, so a wrong one ends the run.
        """
        owner = self.problems[problem]
        if not owner.query_class.contains(parts) or owner.value(parts) != self.origin + distance:
            raise BrokenSearchTree(
                "the search tree is broken: the bound of a leaf is not its loss; nothing is released"
            )
        return Draw(problem, parts, distance)


class TrialsOver(Protocol):
    """A kind of frontier: which classes it serves, and how it is made."""

    @staticmethod
    def serves(query_class: QueryClass) -> bool:
        """Whether queries of this class can be counted and bounded."""
        ...

    def __call__(self, problems: Sequence[WeightedProblem], rate: Fraction) -> Trials:
        """The frontier, refined as far as pays."""
        ...


@lru_cache(maxsize=16)
def powers(rate: Fraction) -> tuple[int, ...]:
    """Upper bounds on 2^63 e^(-rate·2^j), from which compiled code bounds every weight."""
    return tuple(exp_enclosure(rate * (1 << j), BITS)[1] for j in range(BITS))


def roughly(rate: Fraction) -> float:
    """The rate for choosing what to look at first, which the law does not depend on."""
    return float(min(rate, Fraction(MOST_VALUE)))


def check_problems(problems: Sequence[WeightedProblem]) -> None:
    """Refuses costs on parts, which no count knows of, and numbers that could wrap."""
    for problem in problems:
        owner = problem.query_class
        if np.any(problem.part_costs) or np.any(problem.size_costs):
            raise CapacityError(f"there is no sampler for this problem over {owner.kind}: it has costs on parts")
        if abs(problem.constant) + problem.weight_total >= MOST_VALUE:
            raise CapacityError("the weights exceed 2^61; use a coarser lattice or fewer rows")
    check_leaves([problem.query_class for problem in problems])


def check_leaves(classes: Sequence[QueryClass]) -> None:
    """Refuse classes with more queries together than the counts of a frontier hold."""
    if sum(queries.size for queries in classes) >= 2 * MOST_LEAVES:
        raise CapacityError("the problems have too many queries together to sample from them")


def keep(exponent: Fraction, inside: int, chosen: int, source: Randomness) -> bool:
    """True with probability exactly e^-exponent · inside / chosen, refined until it is decided.

    That is at most 1 where ``chosen`` bounds a weight as it should; a wrong bound ends the run.
    """
    bits, draw = BITS, below(source, chosen << BITS)
    while True:
        low, high = exp_enclosure(exponent, bits)
        if low * inside > chosen << bits:
            raise BrokenSearchTree("the search tree is broken: a weight exceeds its bound; nothing is released")
        if draw + 1 <= low * inside:
            return True
        if draw >= high * inside:
            return False
        bits, draw = bits + 32, (draw << 32) | below(source, 1 << 32)
