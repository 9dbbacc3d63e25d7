"""Noisy class counts in the leaves of a released tree: one share of ε pays for all (proofs/private-trees.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.noise import LARGEST_SCALE, discrete_laplace
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class LeafCounts:
    """Discrete Laplace noise on the number of rows of each class in each leaf (proofs/private-trees.md).

    A row is in one leaf and of one class: it moves one count by one where it comes or goes, two where it is replaced.
    """

    epsilon: Fraction
    neighbours: Neighbours

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="private-trees")

    @property
    def scale(self) -> int:
        """Of the noise, in rows."""
        return ceil(self.neighbours.comparison_sensitivity / self.epsilon)

    def check(self) -> None:
        """Refuse more noise than can be drawn."""
        if self.scale > LARGEST_SCALE:
            raise CapacityError("the noise scale of the leaves exceeds 2^55: use a larger epsilon or leaf_share")

    def run(
        self, places: NDArray[np.intp], labels: NDArray[np.intp], leaves: int, classes: int, source: Randomness
    ) -> NDArray[np.int64]:
        """One row per leaf, one column per class, from the leaf and the class of each row."""
        exact = np.bincount(places * classes + labels, minlength=leaves * classes).astype(np.int64)
        return (exact + discrete_laplace(self.scale, len(exact), source)).reshape(leaves, classes)
