"""Trees that predict a bounded number: drawn by squared error, then measured leaf by leaf (proofs/regression.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError
from oracledp.mechanisms.block_noise import noisy_blocks
from oracledp.mechanisms.private_trees import PrivateTrees
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.noise import LARGEST_SCALE
from oracledp.randomness.source import Randomness

GRID = 1000  # a value is a whole number from 0 to this
LEVELS = 8  # that a leaf may predict before its mean is measured
STEPS = 125  # the largest squared error; times LEVELS it is the weight of a record in the tree's own terms

Integers = NDArray[np.int64]


def level_values(levels: int = LEVELS) -> Integers:
    """The values of the levels on the grid.

    >>> level_values(3).tolist()
    [0, 500, 1000]
    """
    return np.array([GRID * level // (levels - 1) for level in range(levels)], dtype=np.int64)


def squared_errors(values: Integers, levels: int = LEVELS) -> Integers:
    """Of every value against every level, in whole steps from 0 to STEPS, rounded down.

    >>> squared_errors(np.array([0, 500]), 3).tolist()
    [[0, 31, 125], [31, 0, 31]]
    """
    apart = np.clip(values, 0, GRID)[:, None] - level_values(levels)
    return apart * apart * STEPS // GRID**2


@dataclass(frozen=True)
class ValueTrees:
    """One tree whose leaves predict levels, Pr[T] ∝ prior(T)·e^(-λ·squared errors): ε-DP (proofs/regression.md)."""

    tree: PrivateTrees

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.tree.epsilon, neighbours=self.tree.neighbours, proof="regression")

    def check(self, rows_bound: int) -> None:
        """What the tree refuses for rows that weigh as much as all levels together."""
        self.tree.check(rows_bound, LEVELS * STEPS)

    def run(self, records: NDArray[np.uint8], values: Integers, source: Randomness) -> Parts:
        """One private tree. A record weighs STEPS minus its error for each level: the heavier, the better it fits."""
        packed, errors = PackedRecords.of(records), squared_errors(values, self.tree.trees.labels)
        equal = packed.equal()
        fits = [equal.totals(STEPS - errors[:, level]) for level in range(self.tree.trees.labels)]
        return self.tree.run(packed[equal.first()], np.stack(fits, axis=1), source, unit=STEPS)


@dataclass(frozen=True)
class LeafMeans:
    """How many rows each leaf has and the sum of their values around the middle, with noise: ε-DP together.

    A row is in one leaf: added or removed it moves one count by one and one sum by at most half the grid.
    """

    epsilon: Fraction
    neighbours: Neighbours

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="regression")

    @property
    def scale(self) -> int:
        """Of the noise on a count, at half of ε."""
        return ceil(2 * self.neighbours.comparison_sensitivity / self.epsilon)

    @property
    def sum_scale(self) -> int:
        """Of the noise on a sum, at the other half."""
        return ceil(GRID * self.neighbours.comparison_sensitivity / self.epsilon)

    def check(self) -> None:
        """Refuse more noise than can be drawn."""
        if self.sum_scale > LARGEST_SCALE >> 20:
            raise CapacityError("the noise scale of the leaves exceeds 2^35: use a larger epsilon or leaf_share")

    def run(
        self, places: NDArray[np.intp], values: Integers, levels: Integers, source: Randomness
    ) -> NDArray[np.float64]:
        """The mean of each leaf on the grid, drawn towards its level where there are few rows."""
        leaves = len(levels)
        counts = np.bincount(places, minlength=leaves).astype(np.int64)
        sums = np.zeros(leaves, dtype=np.int64)
        np.add.at(sums, places, np.clip(values, 0, GRID) - GRID // 2)
        noisy = noisy_blocks(counts, self.scale, (leaves,), source)
        total = noisy_blocks(sums, self.sum_scale, (leaves,), source)
        off = total - noisy * (levels - GRID // 2)
        return np.asarray(np.clip(levels + off / np.maximum(noisy, 4 * self.scale), 0, GRID))
