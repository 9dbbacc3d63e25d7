"""Trials over parities of few literals: one pass counts how many have each value, another finds the one drawn.

No bound is of use for parities (one more literal can turn any sum around), so the frontier is refined to the end; but
it takes only as much memory as there are different values.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from oracledp._engine import ParityForest
from oracledp.classes.base import QueryClass
from oracledp.mechanisms.sampling.trials import ONE, Draw, ForestTrials, keep, powers
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.sparse_parities import SparseParityOracle, parity_sums
from oracledp.randomness.source import Randomness, below


class ParityTrials(ForestTrials):
    """All parities by their value; only the rounding of weights can reject a trial."""

    forest: ParityForest

    def __init__(self, problems: Sequence[WeightedProblem], rate: Fraction) -> None:
        self.forest, self.problems = ParityForest(), problems
        self.rate = rate
        for problem in problems:
            self.forest.add(parity_sums(problem), problem.constant)
        self.forest.prepare(powers(rate))

    @staticmethod
    def serves(query_class: QueryClass) -> bool:
        """Classes of parities that can be gone through."""
        return SparseParityOracle().supports(query_class)

    def trial(self, source: Randomness) -> Draw | None:
        """A value by its weight, and then any of the parities that have it."""
        problem, distance, height = self.forest.enter(below(source, self.total()))
        draw = self.reached(problem, tuple(self.forest.parts()), distance)
        return draw if keep(distance * self.rate, ONE, height, source) else None
