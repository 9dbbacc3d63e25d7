"""Sums of what the records of each class show, with noise in the norm that fits them: pure, robust, one run for all.

A record belongs to one class, so it moves one class's sums only: however many classes there are, they share ε without
dividing it (proofs/class-sums.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.exact.capacity import INTEGERS, refuse_overflow
from oracledp.mechanisms.block_noise import noisy_blocks
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.lattice import Lattice, lattice
from oracledp.randomness.noise import LARGEST_SCALE
from oracledp.randomness.source import Randomness

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class ClassSums:
    """The sums of integer features, class by class; ``sizes`` are those of the blocks that features fall into.

    In each block the absolute values of a record count up to ``reach``: where they add up to more, the record shows
    nothing there.

    >>> ClassSums((1, 1, 3), 3, Fraction(1), Neighbours.ADD_REMOVE).blocks
    (3, 3, 9)
    """

    sizes: tuple[int, ...]
    classes: int
    epsilon: Fraction
    neighbours: Neighbours
    name: str = "class-sums"
    lattice: Lattice = field(default_factory=lattice)

    def __post_init__(self) -> None:
        if not self.sizes or min(*self.sizes, self.classes) < 1:
            raise ParameterError("sums need at least one feature and one class")
        if self.scale * (sum(self.blocks) + 1) > LARGEST_SCALE:
            raise ParameterError("epsilon is too small for so many columns and classes")

    @property
    def reach(self) -> int:
        """What one stands for: the largest sum of absolute values that a record may have in a block."""
        return 1 << self.lattice.sum_bits

    @property
    def blocks(self) -> tuple[int, ...]:
        """The sizes of the blocks of sums: each feature has one sum for every class."""
        return tuple(size * self.classes for size in self.sizes)

    @property
    def scale(self) -> int:
        """Of the noise: a record moves each block by ``reach`` at most, a replaced one by twice that."""
        return ceil(self.neighbours.comparison_sensitivity * self.reach / self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust: it depends on no solver."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="class-sums")

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse by public numbers sums that 64 bits might not hold."""
        refuse_overflow(rows_bound=rows_bound, resolution=self.lattice.sum_bits, limit=INTEGERS)

    def run(
        self, features: Integers, shown: Integers, source: Randomness, *, shares: tuple[Integers, int] | None = None
    ) -> Integers:
        """Noisy sums: features × classes, in units of 1/``reach``.

        ``shown`` holds, for every vector of features, how many records of each class show it; ``shares`` are the
        weights of the vectors' records and the largest that there can be.
        """
        if features.shape[1] != sum(self.sizes) or shown.shape[1] != self.classes:
            raise ParameterError("features and their records need the columns that the sums were made for")
        held = self._within_reach(features)
        if shares is not None:
            own, heaviest = shares
            held = np.sign(held) * (np.abs(held) * own[:, None] // heaviest)
        exact = held.T @ shown
        return noisy_blocks(exact.ravel(), self.scale, self.blocks, source).reshape(exact.shape)

    def _within_reach(self, features: Integers) -> Integers:
        """Each record by itself, so that no record can make another one's sums move."""
        starts = np.cumsum((0, *self.sizes[:-1]))
        lengths = np.add.reduceat(np.abs(features), starts, axis=1)
        return np.where(np.repeat(lengths <= self.reach, self.sizes, axis=1), features, 0)

    @property
    def variance(self) -> tuple[float, ...]:
        """Of the noise on a sum of each block, in units of one record: public, for what is made of the sums."""
        total = sum(self.blocks)
        radius = (total + 1) * (total + 2) * (self.scale / self.reach) ** 2
        return tuple(2 * radius / ((size + 1) * (size + 2)) for size in self.blocks)
