"""Noisy gradients of logistic loss on an integer lattice: (ε, δ)-DP, robust (proofs/gradient-cards.md).

Each step releases the sum of the records' clipped gradients with discrete Gaussian noise; everything else, momentum,
averages and the weights themselves, is computed from what was released.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.capacity import DOUBLES, INTEGERS, MOST_UNIT, refuse_overflow
from oracledp.mechanisms.feature_rows import DIGIT, ROWS_AT_ONCE, FeatureRows, PlainRows
from oracledp.mechanisms.residuals import Integers, chances, clipped, shortened
from oracledp.privacy.gaussian_accounting import gaussian_variance
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.lattice import Lattice, lattice
from oracledp.randomness.noise import noisy_counts
from oracledp.randomness.source import Randomness

WEIGHT_BITS = 20  # weights are multiples of 2^-20
MOST_WEIGHT = 1 << 8  # and lie between -256 and 256, beyond what any score needs
MOMENTUM = 0.9


@dataclass(frozen=True)
class Descent:
    """How the released gradients are followed: public numbers that touch no guarantee but for steps and clip.

    ``clip`` is the longest gradient of a record, as a share of the longest feature vector; ``rate`` the step for
    features of length one, and ``rows`` about how many records there are.
    """

    steps: int
    rate: float
    clip: Fraction
    rows: int


@dataclass(frozen=True)
class NoisyGradients:
    """Logistic or softmax regression by ``descent.steps`` noisy sums of clipped integer gradients.

    ``features`` is their number, ``longest`` the Euclidean length of the longest vector of them, in the units of the
    integers that they come in, and ``reach`` the largest entry; ``outputs`` is one for two classes, and else one for
    each class. The guarantee leans on none of these: every record is clipped by its own length.
    """

    features: int
    longest: int
    reach: int
    outputs: int
    descent: Descent
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    name: str = "gradients"
    lattice: Lattice = field(default_factory=lattice)

    def __post_init__(self) -> None:
        if min(self.features, self.longest, self.reach, self.outputs, self.descent.steps) < 1:
            raise ParameterError("gradients need at least one feature, one step and one class")
        if not 0 < self.descent.clip <= 1:
            raise ParameterError("clip must lie in (0, 1]")
        scores, sums = MOST_WEIGHT << WEIGHT_BITS, ROWS_AT_ONCE << DIGIT
        if max(self.features * scores, sums) * self.reach >= DOUBLES:
            raise CapacityError("there are too many literals for exact scores: choose fewer columns or thresholds")

    @property
    def bound(self) -> int:
        """C: no record's clipped gradient is longer, in units of a feature times that of a residual."""
        return max(self.longest, ceil(self.descent.clip * (self.longest << self.lattice.residual_bits)))

    @property
    def variance(self) -> int:
        """Of the noise on every number released; a record moves each step by C, or by 2C where it is replaced."""
        moved = self.neighbours.comparison_sensitivity * self.bound
        draws = self.descent.steps * self.features * self.outputs
        return gaussian_variance(
            epsilon=self.epsilon, delta=self.delta, squared_shift=self.descent.steps * moved * moved, draws=draws
        )

    @property
    def guarantee(self) -> Guarantee:
        """Robust: it depends on no solver."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours, proof="gradient-cards")

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse by public numbers sums that 64 bits might not hold."""
        if not 1 <= unit <= MOST_UNIT:
            raise ParameterError(f"one record weighs a whole number of units from 1 to {MOST_UNIT}")
        refuse_overflow(rows_bound=rows_bound, resolution=self.bound.bit_length(), limit=INTEGERS)
        refuse_overflow(rows_bound=rows_bound, resolution=self.lattice.residual_bits, limit=DOUBLES)

    def run(
        self,
        features: Integers | FeatureRows,
        shown: Integers,
        source: Randomness,
        *,
        weights: tuple[int, ...] | None = None,
        shares: tuple[Integers, int] | None = None,
    ) -> NDArray[np.float64]:
        """Weights of each feature (rows) for each output (columns), as numbers.

        ``shown`` holds, for every vector of features, how many records of each class show it; ``weights`` are public
        weights of the classes. ``shares`` are the weights of the vectors' records and the largest that there can be.
        """
        return self._followed(_Problem.of(features, shown, self, weights or (1,) * shown.shape[1], shares), source)

    def run_aimed(
        self,
        features: Integers | FeatureRows,
        shown: Integers,
        aims: Integers,
        source: Randomness,
        *,
        shares: tuple[Integers, int] | None = None,
    ) -> NDArray[np.float64]:
        """The same where each record has an aim between 0 and 2^residual_bits instead of a class.

        The residual of a record is the second class's share minus its aim: logistic regression of a share.
        """
        counted = np.stack([shown, np.zeros_like(shown)], axis=1)
        plain = _Problem.of(features, counted, self, (1, 1), shares)
        if self.outputs != 1:
            raise ParameterError("an aim is the share of one output")
        return self._followed(_Aimed(**vars(plain), aims=np.clip(aims, 0, 1 << plain.fine)), source)

    def _followed(self, problem: _Problem, source: Randomness) -> NDArray[np.float64]:
        variance, path = self.variance, self.path(self.descent.steps - self.descent.steps // 2)
        for _ in range(self.descent.steps):
            total = problem.gradient(path.weights)
            path.follow(noisy_counts(total.ravel(), variance, source).reshape(total.shape))
        return path.average

    def path(self, averaged: int) -> Path:
        """A way that begins at zero, of which so many of the last places are averaged."""
        unit = float(self.longest**2 << self.lattice.residual_bits)
        return Path(np.zeros((self.features, self.outputs)), self.descent, unit, averaged)

    def problem(
        self,
        features: Integers | FeatureRows,
        shown: Integers,
        weights: tuple[int, ...],
        shares: tuple[Integers, int] | None,
    ) -> _Problem:
        """The records as gradients see them."""
        return _Problem.of(features, shown, self, weights, shares)


@dataclass
class Path:
    """Where the released gradients have led: only they, and public numbers, are seen here."""

    place: NDArray[np.float64]
    descent: Descent
    unit: float
    averaged: int  # of the last places

    def __post_init__(self) -> None:
        self.velocity, self.total, self.step = np.zeros_like(self.place), np.zeros_like(self.place), 0

    @property
    def weights(self) -> Integers:
        """The weights on their lattice."""
        held = np.clip(self.place, -MOST_WEIGHT, MOST_WEIGHT)
        return np.rint(held * (1 << WEIGHT_BITS)).astype(np.int64)

    def follow(self, released: Integers) -> None:
        """One step of heavy-ball descent."""
        mean = released / (self.unit * self.descent.rows)
        self.velocity = MOMENTUM * self.velocity + mean
        self.place = self.place - self.descent.rate * self.velocity
        self.step += 1
        if self.step > self.descent.steps - self.averaged:
            self.total = self.total + self.place

    @property
    def average(self) -> NDArray[np.float64]:
        """Over the last places."""
        return np.asarray(self.total / self.averaged)


def _clipped_at(caps: Integers, residuals: Integers) -> Integers:
    return clipped(residuals, caps)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Distinct feature vectors, and how many records of each class show them: **private**."""

    features: FeatureRows
    shown: Integers
    caps: Integers
    weights: tuple[int, ...]
    outputs: int
    fine: int
    shares: tuple[Integers, int] | None

    @classmethod
    def of(
        cls,
        features: Integers | FeatureRows,
        shown: Integers,
        mechanism: NoisyGradients,
        weights: tuple[int, ...],
        shares: tuple[Integers, int] | None,
    ) -> _Problem:
        """The cap of a record's residual is C over the length of its features, rounded down, whatever they are."""
        rows = PlainRows.of(features) if isinstance(features, np.ndarray) else features
        if rows.count != mechanism.features or shown.shape[1] != max(2, mechanism.outputs):
            raise ParameterError("features and their records need the columns that the mechanism was made for")
        fine, caps = mechanism.lattice.residual_bits, mechanism.bound // np.maximum(rows.lengths(), 1)
        return cls(rows, shown, caps, weights, mechanism.outputs, fine, shares)

    def gradient(self, weights: Integers) -> Integers:
        """The sum of all records' clipped gradients, exactly."""
        total = np.zeros(weights.shape, dtype=np.int64)
        for rows in self.features.blocks:
            caps = self.caps[rows]
            pulls = self._pulls(self._chances(rows, weights), rows, partial(_clipped_at, caps))
            total += self.features.sums(rows, pulls)
        return total

    def loads(self, weights: Integers, most: int) -> Integers:
        """Each distinct vector's residuals, added up over its records, of which none adds more than ``most`` in all."""
        found = [np.zeros((0, self.outputs), dtype=np.int64)]
        for rows in self.features.blocks:
            found.append(self._pulls(self._chances(rows, weights), rows, lambda held: shortened(held, most)))
        return np.concatenate(found)

    def _chances(self, rows: slice, weights: Integers) -> Integers:
        return chances(self.features.scores(rows, weights), WEIGHT_BITS, self.fine)

    def _pulls(self, shares: Integers, rows: slice, bounded: Callable[[Integers], Integers]) -> Integers:
        """Each distinct vector's residuals, bounded record by record and added up over its records."""
        largest, pulls = max(self.weights), np.zeros(shares.shape, dtype=np.int64)
        for label, weight in enumerate(self.weights):
            residuals = shares.copy()
            if self.outputs > 1:
                residuals[:, label] -= 1 << self.fine
            elif label == 1:
                residuals -= 1 << self.fine
            pulls += self.shown[rows, label, None] * bounded(self._weighed(residuals, weight, largest, rows))
        return pulls

    def _weighed(self, residuals: Integers, weight: int, largest: int, rows: slice) -> Integers:
        """Residuals shortened by the weights of their class and of their records, towards zero."""
        if self.shares is None:
            if weight == largest:
                return residuals
            return np.asarray(np.sign(residuals) * (np.abs(residuals) * weight // largest))
        own, heaviest = self.shares
        return np.asarray(np.sign(residuals) * (np.abs(residuals) * (weight * own[rows, None]) // (largest * heaviest)))


@dataclass(frozen=True, eq=False)
class _Aimed(_Problem):
    """Records with an aim instead of a class: **private**."""

    aims: Integers

    def _pulls(self, shares: Integers, rows: slice, bounded: Callable[[Integers], Integers]) -> Integers:
        return np.asarray(self.shown[rows, :1] * bounded(self._weighed(shares - self.aims[rows, None], 1, 1, rows)))
