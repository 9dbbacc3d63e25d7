"""Probabilities of rules, lists and pure cards: noisy class counts by band of the score (proofs/band-counts.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.mechanisms.block_noise import noisy_blocks
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.noise import LARGEST_SCALE
from oracledp.randomness.source import Randomness

SHARE = Fraction(1, 10)  # of ε, where probabilities are asked for


@dataclass(frozen=True)
class BandCounts:
    """How many rows of each class fall into each band, with discrete Laplace noise: ε-DP (proofs/band-counts.md)."""

    epsilon: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        if self.scale > LARGEST_SCALE >> 20:
            raise ParameterError("epsilon is too small for probabilities: leave probabilities= out")

    @property
    def scale(self) -> int:
        """A record is in one band and of one class: it moves one count by one, a replaced one two."""
        return ceil(self.neighbours.comparison_sensitivity / self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="band-counts")

    def run(
        self, bands: NDArray[np.intp], labels: NDArray[np.intp], shape: tuple[int, int], source: Randomness
    ) -> NDArray[np.int64]:
        """Bands × classes."""
        exact = np.zeros(shape, dtype=np.int64)
        np.add.at(exact, (bands, labels), 1)
        return noisy_blocks(exact.ravel(), self.scale, (exact.size,), source).reshape(shape)


def shares(counts: NDArray[np.int64], predicted: NDArray[np.intp], *, ordered: bool) -> NDArray[np.float64]:
    """Each class's share of each band from noisy counts; post-processing.

    Counts below zero are zero, and one imaginary row per band is spread over the classes. ``ordered`` bands of two
    classes rise: neighbours that do not are pooled. No band prefers another class than the one ``predicted`` there.

    >>> shares(np.array([[9, 1], [30, 0], [1, 5]]), np.array([0, 0, 1]), ordered=True).round(2)[:, 1].tolist()
    [0.05, 0.05, 0.79]
    """
    held = np.maximum(counts, 0) + 1 / counts.shape[1]
    if ordered and counts.shape[1] == 2:
        held = _pooled(held)
    found = held / held.sum(axis=1, keepdims=True)
    for band, label in enumerate(predicted.tolist()):
        most = float(np.delete(found[band], label).max(initial=0.0))
        if found[band, label] <= most:
            found[band, label] = most * (1 + 1e-9) + 1e-12
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _pooled(held: NDArray[np.float64]) -> NDArray[np.float64]:
    """Neighbouring bands added up until the share of the second class rises."""
    groups: list[tuple[NDArray[np.float64], int]] = []
    for row in held:
        groups.append((row, 1))
        while len(groups) > 1 and groups[-1][0][1] * groups[-2][0].sum() <= groups[-2][0][1] * groups[-1][0].sum():
            (last, many), (before, more) = groups.pop(), groups.pop()
            groups.append((last + before, many + more))
    return np.vstack([np.repeat(row[None], many, axis=0) for row, many in groups])
