"""A decision tree by the exponential mechanism over all of them (proofs/private-trees.md): total, so always robust."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.decision_trees import DecisionTrees
from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError
from oracledp.exact.capacity import TREES, refuse_overflow
from oracledp.mechanisms.sampling.decision_tree_sampler import MOST_RATE, sample_tree
from oracledp.oracles.work import MOST_TREE_CELLS, tree_cells
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness

SPLITTING = Fraction(4, 5)
"""The prior probability that a node is split. A prior is a base measure: it costs nothing, and stands for a size."""

DEPTH = 4  # of the trees that are learned where none is asked for, if their nodes are not too many


@dataclass(frozen=True)
class PrivateTrees:
    """Pr[T] ∝ prior(T)·e^(-rate·errors(T)), exactly, for trees with any number of labels: ε-DP whatever their number.

    rate = ε/(2u) under replace-one and ε/u under add/remove-one, where u is the largest weight of a record.
    """

    trees: DecisionTrees
    epsilon: Fraction
    neighbours: Neighbours
    splitting: Fraction = SPLITTING
    name: str = "private-tree"

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="private-trees")

    def rate(self, unit: int) -> Fraction:
        """The weight of one unit of error in the exponent."""
        return min(MOST_RATE, self.epsilon / (self.neighbours.comparison_sensitivity * unit))

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse what public facts rule out: too many nodes, numbers too large."""
        refuse_overflow(rows_bound=rows_bound, unit=unit, limit=TREES)
        if tree_cells(self.trees.dimension, self.trees.depth, self.trees.labels) > MOST_TREE_CELLS:
            raise CapacityError(
                f"trees of depth {self.trees.depth} over {self.trees.dimension} literals have too many nodes: "
                "use a smaller depth, fewer cuts or fewer columns"
            )

    def run(self, records: PackedRecords, weights: NDArray[np.int64], source: Randomness, *, unit: int = 1) -> Parts:
        """One private tree. ``weights`` holds each record's weight by label; one record weighs at most ``unit``.

        Splits that change nothing are taken out of it afterwards.
        """
        drawn = sample_tree(self.trees, records, weights, self.rate(unit), self.splitting, source)
        return self.trees.simplified(drawn)


def usual_depth(literals: int, labels: int) -> int:
    """Four tests on a path, or as many as can be borne; decided by public numbers.

    >>> usual_depth(43, 2), usual_depth(400, 2)
    (4, 3)
    """
    return next(
        depth for depth in range(DEPTH, 0, -1) if depth == 1 or tree_cells(literals, depth, labels) <= MOST_TREE_CELLS
    )
