"""The exponential mechanism over decision lists and sparse halfspaces, exactly and without enumeration (Theorem 4).

A query belongs to the set of columns that it reads. The compiled forest keeps the frontier of all those sets, with
counts and cell bounds for most and almost exact weights for the heaviest; every random decision is made here, on
integers. The argument is in proofs/exponential-mechanism.md: a trial reaches a query with probability
e^(-rate·value) over the frontier's weight, because each step is kept with the probability that makes up for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np

from oracledp._engine import MOST_COLUMNS, SupportForest
from oracledp.classes.base import Parts, QueryClass
from oracledp.classes.decision_lists import DecisionLists
from oracledp.classes.halfspaces import Halfspaces
from oracledp.errors import CapacityError
from oracledp.exponential_function import exp_enclosure
from oracledp.oracles.decision_list_search import Prepared
from oracledp.oracles.halfspace_search import GREATEST_POINTS, integer_points, sparse_columns
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness import Randomness, below

BITS = 63
MOST_LEAVES = 1 << 62
MOST_SETS = 1 << 27  # sets of columns: a pass over them takes some seconds
MOST_READ = 7


def samples(query_class: QueryClass) -> bool:
    """Whether the class is one of short lists of single literals, or of sparse halfspaces, with few enough sets."""
    if isinstance(query_class, DecisionLists):
        read = min(query_class.positions, query_class.dimension)
        fits = query_class.width == 1
    elif isinstance(query_class, Halfspaces) and query_class.sparse:
        points, thresholds = integer_points(query_class)
        read = query_class.budget
        fits = max(map(abs, points), default=0) * read + max(map(abs, thresholds)) <= GREATEST_POINTS
    else:
        return False
    sets = sum(comb(query_class.dimension, size) for size in range(read + 1))
    small = query_class.dimension <= MOST_COLUMNS and read <= MOST_READ and sets <= MOST_SETS
    return fits and small and query_class.size < MOST_LEAVES


def sample_exponential(problems: Sequence[WeightedProblem], rate: Fraction, source: Randomness) -> tuple[int, Parts]:
    """A query with probability exactly proportional to exp(-rate·value), over all problems together.

    Returns which problem it belongs to, and its parts. The problems carry no costs on parts.
    """
    forest = SupportForest()
    for problem in problems:
        _plant(forest, problem)
    forest.prepare([exp_enclosure(rate * (1 << j), BITS)[1] for j in range(BITS)], float(rate))
    while True:
        tree, (exponent, chosen, inside) = forest.enter(below(source, forest.total()))
        while _keep(exponent * rate, inside, chosen, source):
            if forest.done():
                return tree, tuple(forest.parts())
            exponent, chosen, inside = forest.step(below(source, inside))
        forest.refine()


def _plant(forest: SupportForest, problem: WeightedProblem) -> None:
    owner = problem.query_class
    if not samples(owner) or np.any(problem.part_costs) or np.any(problem.size_costs):
        raise CapacityError(f"there is no sampler for this problem over {owner.kind}")
    if isinstance(owner, DecisionLists):
        prepared = Prepared.of(owner, problem)
        conditions = [tests[0] for tests in prepared.conditions]
        forest.add_lists(prepared.data, owner.positions, conditions, problem.constant)
    elif isinstance(owner, Halfspaces):
        points, thresholds = integer_points(owner)
        data, flipped = sparse_columns(problem.records, problem.weights)
        forest.add_halfspaces(data, points, thresholds, owner.budget, owner.free_intercept, flipped, problem.constant)


def _keep(exponent: Fraction, inside: int, chosen: int, source: Randomness) -> bool:
    """True with probability exactly e^-exponent · inside / chosen (at most 1), refined until it is decided."""
    bits, draw = BITS, below(source, chosen << BITS)
    while True:
        low, high = exp_enclosure(exponent, bits)
        if draw + 1 <= low * inside:
            return True
        if draw >= high * inside:
            return False
        bits, draw = bits + 32, (draw << 32) | below(source, 1 << 32)
