"""Trials over decision lists and sparse halfspaces: a query belongs to the set of columns that it reads.

The compiled forest keeps the frontier of all those sets, with counts and cell bounds for most and almost exact weights
for the heaviest; every random decision is made here, on integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from oracledp._engine import MOST_COLUMNS, SupportForest
from oracledp.classes.base import QueryClass
from oracledp.mechanisms.sampling.trials import MOST_LEAVES, Draw, ForestTrials, keep, powers, roughly
from oracledp.oracles.decision_list_search import Prepared
from oracledp.oracles.halfspace_search import GREATEST_POINTS, sparse_columns
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import Randomness, below

MOST_SETS = 1 << 27  # sets of columns: a pass over them takes some seconds
MOST_READ = 7
FIRST_OPENED = 256  # sets; a pass over all sets costs more than opening so many


class SupportTrials(ForestTrials):
    """The frontier of all sets of columns; each step of a trial pays its part of the exponent."""

    forest: SupportForest

    def __init__(self, problems: Sequence[WeightedProblem], rate: Fraction) -> None:
        self.forest, self.problems = SupportForest(), problems
        self.rate = rate
        for problem in problems:
            _plant(self.forest, problem)
        self.forest.prepare(powers(rate), roughly(rate), FIRST_OPENED)

    @staticmethod
    def serves(query_class: QueryClass) -> bool:
        """Short lists of single literals, and sparse halfspaces, with few enough sets of columns."""
        lists, halfspaces = query_class.as_decision_lists(), query_class.as_halfspaces()
        if lists is not None:
            read = min(lists.positions, lists.dimension)
            fits = lists.width == 1
        elif halfspaces is not None and halfspaces.sparse:
            points, thresholds = halfspaces.scaled
            read = halfspaces.budget
            fits = max(map(abs, points), default=0) * read + max(map(abs, thresholds)) <= GREATEST_POINTS
        else:
            return False
        sets = sum(comb(query_class.dimension, size) for size in range(read + 1))
        small = query_class.dimension <= MOST_COLUMNS and read <= MOST_READ and sets <= MOST_SETS
        return fits and small and query_class.size < MOST_LEAVES

    def trial(self, source: Randomness) -> Draw | None:
        """From a set of columns to a query, step by step; a trial that is rejected opens more sets."""
        problem, (exponent, chosen, inside) = self.forest.enter(below(source, self.total()))
        distance, draw = exponent, None
        while keep(exponent * self.rate, inside, chosen, source):
            if draw is not None:
                return draw
            exponent, chosen, inside = self.forest.step(below(source, inside))
            distance += exponent
            if self.forest.done():
                draw = self.reached(problem, tuple(self.forest.parts()), distance)
        self.forest.refine()
        return None


def _plant(forest: SupportForest, problem: WeightedProblem) -> None:
    lists, halfspaces = problem.query_class.as_decision_lists(), problem.query_class.as_halfspaces()
    if lists is not None:
        prepared = Prepared.of(lists, problem)
        conditions = [tests[0] for tests in prepared.conditions]
        forest.add_lists(prepared.data, lists.positions, conditions, problem.constant)
    elif halfspaces is not None:
        points, thresholds = halfspaces.scaled
        data, flipped = sparse_columns(problem.packed, problem.weights)
        budget, free = halfspaces.budget, halfspaces.free_intercept
        forest.add_halfspaces(data, points, thresholds, budget, free, flipped, problem.constant)
