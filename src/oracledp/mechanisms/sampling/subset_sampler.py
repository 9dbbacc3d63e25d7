"""Trials over conjunctions and disjunctions: a tree that adds literals one by one, with leaf counts and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb

import numpy as np

from oracledp._engine import SubsetForest
from oracledp.classes.base import QueryClass
from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.mechanisms.sampling.trials import MOST_LEAVES, ONE, Draw, ForestTrials, keep, powers, roughly
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import Randomness, below


class SubsetTrials(ForestTrials):
    """The frontier of the trees of conjunctions; its bounds are proved in proofs/engine.md."""

    forest: SubsetForest

    def __init__(self, problems: Sequence[WeightedProblem], rate: Fraction) -> None:
        self.forest, self.problems = SubsetForest(), problems
        self.rate = rate
        for problem in problems:
            _plant(self.forest, problem)
        self.forest.prepare(powers(rate), roughly(rate))

    @staticmethod
    def serves(query_class: QueryClass) -> bool:
        """Conjunctions and disjunctions whose number fits in 62 bits."""
        known = joined_by(query_class, Link.ALL, Link.SUM) is not None
        return known and query_class.size < MOST_LEAVES and query_class.dimension < 1 << 15

    def trial(self, source: Randomness) -> Draw | None:
        """Down from the frontier to a leaf, which pays its whole exponent at once; or rejected on the way."""
        index = self.forest.pick(below(source, self.total()))
        while index >= 0:
            leaf, branch, included, distance, leaves, height = self.forest.node(index)
            if leaf:
                draw = self.reached(branch, tuple(included), distance)
                return draw if keep(distance * self.rate, ONE, height, source) else None
            index = self.forest.descend(index, below(source, leaves * height))
        return None


def _plant(forest: SubsetForest, problem: WeightedProblem) -> None:
    """A tree for one problem, over the data as conjunctions see them."""
    owner = joined_by(problem.query_class, Link.ALL, Link.SUM)
    assert owner is not None
    records, weights, constant = owner.as_conjunctions_see(problem.packed, problem.weights)
    width = owner.hot
    forest.add(
        records,
        np.ascontiguousarray(weights),
        width,
        problem.constant + constant,
        _leaf_counts(owner.dimension, width),
    )


@lru_cache(maxsize=8)
def _leaf_counts(literals: int, width: int) -> tuple[tuple[int, ...], ...]:
    """How many sets of at most k of n literals there are, by n and k. A game asks for the same in every round.

    >>> _leaf_counts(3, 2)
    ((1, 1, 1), (1, 2, 2), (1, 3, 4), (1, 4, 7))
    """
    return tuple(tuple(accumulate(comb(n, size) for size in range(width + 1))) for n in range(literals + 1))
