"""The private convex surrogate: a linear score by objective perturbation, pure and robust.

The paper's practical learner replaces the 0/1 loss by a convex one. Here that is a support vector machine with a
smoothed hinge over a table's columns, with noise in the norm that fits them, and with every real number
accounted for: proofs/surrogate.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.exact.capacity import refuse_overflow
from oracledp.mechanisms.block_noise import block_noise, noisy_blocks
from oracledp.mechanisms.surrogate_digits import MOST_WEIGHT
from oracledp.mechanisms.surrogate_solver import HingeProblem, solve
from oracledp.mechanisms.surrogate_start import row_blocks
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.lattice import Lattice, lattice
from oracledp.randomness.noise import LARGEST_SCALE
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class ConvexSurrogate:
    """Objective perturbation for the smoothed hinge over blocks of features (proofs/surrogate.md): ε-DP, robust.

    ``sizes`` are those of the blocks: a block of one is a column of ±1, a larger one the 0/1 indicators of a
    column's codes. ``curvature_share`` is the part of ε that the regularisation may cost: x = share·ε buys
    Λ = blocks/(x + x²/2 + x³/6), but at least a number that keeps the lattice fine enough for it.

    >>> float(ConvexSurrogate((1, 1, 5), Fraction(1), Neighbours.REPLACE_ONE).regularisation)
    58.512...
    """

    sizes: tuple[int, ...]
    epsilon: Fraction
    neighbours: Neighbours
    curvature_share: Fraction = Fraction(1, 20)
    name: str = "surrogate"
    lattice: Lattice = field(default_factory=lattice)

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise ParameterError("the surrogate needs at least one feature")
        if not 0 < self.curvature_share <= Fraction(1, 2):
            raise ParameterError("curvature_share must lie in (0, 1/2]")
        if self.tolerance <= 0 or self.output_scale * (self.dimension + 1) > LARGEST_SCALE:
            raise ParameterError("epsilon is too small or too large for the surrogate's noise lattice")

    @property
    def dimension(self) -> int:
        """How many weights there are."""
        return sum(self.sizes)

    @property
    def regularisation(self) -> Fraction:
        """Λ: as small as the curvature's cost allows, since 1 + x + x²/2 + x³/6 <= e^x (proofs/surrogate.md)."""
        bought = self.curvature_share * self.epsilon
        return max(len(self.sizes) / (bought + bought**2 / 2 + bought**3 / 6), 1 + Fraction(self.dimension, 256))

    @property
    def curvature_cost(self) -> Fraction:
        """The part of ε that the curvature of one record takes, ln(1 + B/Λ) at most."""
        return min(self.curvature_share * self.epsilon, len(self.sizes) / self.regularisation)

    @property
    def noise_bits(self) -> int:
        """s, where the objective's noise lives on multiples of 2^-s: as fine as the sampler's 55 bits allow."""
        fitting = (
            bits
            for bits in range(self.lattice.noise_bits, 0, -1)
            if self._scale(bits) * (self.dimension + 1) <= LARGEST_SCALE
        )
        return next(fitting, 0)

    @property
    def noise_scale(self) -> int:
        """Of the objective's noise, in lattice units: what is left of ε covers a move of Δ·2^s and the rounding."""
        return self._scale(self.noise_bits)

    def _scale(self, bits: int) -> int:
        left = self.epsilon * (1 - self.lattice.output_share) - self.curvature_cost
        return ceil(((self.neighbours.comparison_sensitivity << bits) + max(self.sizes)) / left)

    @property
    def output_scale(self) -> int:
        """Of the output's noise, in grid units: ε/256 covers a move of the grid point, there and back."""
        moved = (1 << (self.lattice.grid_bits - self.lattice.distance_bits)) + 1
        return ceil(2 * moved / (self.epsilon * self.lattice.output_share))

    @property
    def tolerance(self) -> Fraction:
        """How small the gradient must be: Λ·2^-28, less what the lattice of the noise takes."""
        return self.regularisation / (1 << self.lattice.distance_bits) - Fraction(self.dimension, 2 << self.noise_bits)

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust: the solver's answer is checked, not believed."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="surrogate")

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse by public numbers what the exact gradient could not hold."""
        refuse_overflow(rows_bound=rows_bound, unit=unit, limit=MOST_WEIGHT)

    def run(
        self,
        features: NDArray[np.int8],
        positive: NDArray[np.int64],
        negative: NDArray[np.int64],
        source: Randomness,
        *,
        unit: int = 1,
    ) -> NDArray[np.int64]:
        """The released weights, in multiples of 2^-40, one per column of ``features``.

        ``positive`` and ``negative`` are the rows' weights by label; one record weighs at most ``unit``.
        """
        self._refuse_long(features)
        noise = block_noise(self.noise_scale, self.sizes, source)
        tilt = tuple(Fraction(int(value), 1 << self.noise_bits) for value in noise)
        problem = HingeProblem(features, positive, negative, unit, tilt, self.regularisation)
        point = solve(problem, self.tolerance)
        rounded = np.array(point.rounded(self.lattice.grid_bits), dtype=np.int64)
        return noisy_blocks(rounded, self.output_scale, (1,) * self.dimension, source)

    def _refuse_long(self, features: NDArray[np.int8]) -> None:
        """The proof needs every row to have length at most one in every block."""
        if features.shape[1] != self.dimension:
            raise ParameterError("features need one column per weight")
        starts = np.cumsum((0, *self.sizes[:-1]))
        lengths = (
            np.add.reduceat(np.abs(features[rows].astype(np.int64)), starts, axis=1)
            for rows in row_blocks(len(features))
        )
        if any(length.max() > 1 for length in lengths):
            raise ParameterError("a row of features may hold one entry of ±1 in each block, zeros elsewhere")
