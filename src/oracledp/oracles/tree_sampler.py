"""The exponential mechanism without enumeration: exact draws from a tree with counts and bounds (Theorem 4).

proofs/exponential-mechanism.md has the argument. The compiled forest keeps the frontier; every random decision is
made here, on integers, from the given source.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np

from oracledp._engine import SubsetForest
from oracledp.classes.base import Parts, QueryClass
from oracledp.classes.subsets import Conjunctions, Disjunctions
from oracledp.errors import CapacityError
from oracledp.exponential_function import exp_enclosure
from oracledp.oracles import support_sampler
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness import Randomness, below

BITS = 63
MOST_LEAVES = 1 << 62


def samples(query_class: QueryClass) -> bool:
    """Whether the class has a tree to sample from."""
    if not isinstance(query_class, Conjunctions | Disjunctions):
        return support_sampler.samples(query_class)
    return query_class.size < MOST_LEAVES and query_class.dimension < 1 << 15


def sample_exponential(problems: Sequence[WeightedProblem], rate: Fraction, source: Randomness) -> tuple[int, Parts]:
    """A query with probability exactly proportional to exp(-rate·value), over all problems together.

    Returns which problem it belongs to, and its parts. The problems carry no costs on parts.
    """
    if all(support_sampler.samples(problem.query_class) for problem in problems):
        return support_sampler.sample_exponential(problems, rate, source)
    forest = SubsetForest()
    for problem in problems:
        _plant(forest, problem)
    forest.prepare([exp_enclosure(rate * (1 << j), BITS)[1] for j in range(BITS)], float(rate))
    while True:
        index = forest.pick(*_halves(below(source, _whole(forest.total()))))
        while index >= 0:
            leaf, branch, included, distance, leaves, height = forest.node(index)
            if leaf:
                if _accept(distance * rate, height, source):
                    return branch, tuple(included)
                break
            index = forest.descend(index, *_halves(below(source, leaves * height)))


def _plant(forest: SubsetForest, problem: WeightedProblem) -> None:
    """A tree for one problem; a disjunction is one minus the conjunction of the negated literals."""
    owner = problem.query_class
    known = isinstance(owner, Conjunctions | Disjunctions) and samples(owner)
    if not known or np.any(problem.part_costs) or np.any(problem.size_costs):
        raise CapacityError(f"there is no sampler for this problem over {owner.kind}")
    records, weights, constant = problem.records, problem.weights, problem.constant
    if isinstance(owner, Disjunctions):
        constant += int(weights.sum())
        records, weights = 1 - records, -weights
    width = owner.hot
    table = [[sum(comb(n, w) for w in range(k + 1)) for k in range(width + 1)] for n in range(owner.dimension + 1)]
    forest.add(np.ascontiguousarray(records, dtype=np.uint8), np.ascontiguousarray(weights), width, constant, table)


def _accept(exponent: Fraction, height: int, source: Randomness) -> bool:
    """True with probability exactly 2^63 e^-exponent / height, refining the comparison until it is decided."""
    bits, draw = BITS, below(source, height)
    while True:
        low, high = exp_enclosure(exponent, bits)
        if draw + 1 <= low:
            return True
        if draw >= high:
            return False
        bits, draw = bits + 32, (draw << 32) | below(source, 1 << 32)


def _halves(number: int) -> tuple[int, int]:
    return number >> 64, number & ((1 << 64) - 1)


def _whole(halves: tuple[int, int]) -> int:
    return (halves[0] << 64) | halves[1]
