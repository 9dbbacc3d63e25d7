"""The convex problem behind the private surrogate: every step is judged by its gradient in exact integers.

The problem is  sum_i (c_i/unit) φ(s_i z_i·w) + <b, w> + (Λ/2)|w|²  with z_i in {-1,0,1}^m, labels s_i = ±1 and the
smoothed hinge φ: slope -1 below margin 0, rising linearly to 0 at margin 1. It is piecewise quadratic, so its
gradient at a dyadic point is computed exactly; strong convexity turns a small gradient into a bound on the distance to
the minimiser. Why the search ends for every problem: proofs/surrogate.md, Lemmas 3 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, ldexp

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError
from oracledp.exact.merging import exact_sum
from oracledp.mechanisms.surrogate_digits import MOST_WEIGHT, Digits
from oracledp.mechanisms.surrogate_start import FURTHEST, FloatProblem, Floats, hessian, row_blocks

LEAST_BITS = 50  # points are multiples of 2^-50 or of something finer
_NEWTON_STEPS = 100
_TRIALS = 40
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Place:
    """A dyadic point, in multiples of 2^-bits, with the exact gradient and the weight of each row's curvature there."""

    point: tuple[int, ...]
    bits: int
    gradient: tuple[Fraction, ...]
    curved: Integers

    @cached_property
    def steepness(self) -> Fraction:
        """The squared Euclidean norm of the gradient."""
        return sum((g * g for g in self.gradient), Fraction(0))

    def rounded(self, bits: int) -> list[int]:
        """The nearest multiples of 2^-bits, a coarser grid."""
        half = 1 << (self.bits - bits - 1)
        return [(value + half) >> (self.bits - bits) for value in self.point]


@dataclass(frozen=True, eq=False)
class HingeProblem:
    """Features z (rows × m, in {-1, 0, 1}), the weights of both labels per row, and the public terms."""

    features: NDArray[np.int8]
    positive: Integers
    negative: Integers
    unit: int
    tilt: tuple[Fraction, ...]
    regularisation: Fraction

    def __post_init__(self) -> None:
        if self.total >= MOST_WEIGHT:  # never, where the mechanism's own check passed
            raise CapacityError("too many rows, or too large class weights, for an exact gradient")

    @cached_property
    def total(self) -> int:
        """The weight of all rows, in units of 1/unit."""
        return exact_sum(self.positive) + exact_sum(self.negative)

    @cached_property
    def smoothness(self) -> Fraction:
        """L: no second derivative exceeds it."""
        return Fraction(self.total * len(self.tilt), self.unit) + self.regularisation

    @property
    def steepest_at_zero(self) -> Fraction:
        """No gradient at zero is longer."""
        return Fraction(self.total * len(self.tilt), self.unit) + sum(map(abs, self.tilt))

    def point_bits(self, tolerance: Fraction) -> int:
        """A grid on which rounding never undoes half of what a gradient step gains (Lemma 4)."""
        finest = self.smoothness**2 * len(self.tilt) / (self.regularisation * tolerance)
        return max(LEAST_BITS, ceil(finest).bit_length())

    def at(self, point: tuple[int, ...], bits: int) -> Place:
        """The exact gradient at ``point / 2^bits``."""
        digits = Digits.of(point, bits, self.total)
        sums = np.zeros((digits.count, len(self.tilt)))
        curved = np.zeros(len(self.features), dtype=np.int64)
        for rows in row_blocks(len(self.features)):
            features = self.features[rows].astype(np.float64)
            positive, negative = self.positive[rows], self.negative[rows]
            margins = digits.products(features)
            (up, bent_up), (down, bent_down) = digits.clipped(-margins), digits.clipped(margins)
            pulls = negative[:, None] * down - positive[:, None] * up
            sums += pulls.T.astype(np.float64) @ features
            curved[rows] = positive * bent_up + negative * bent_down
        gradient = tuple(
            digits.value(column) / self.unit + tilt + self.regularisation * Fraction(value, 1 << bits)
            for column, tilt, value in zip(sums.T, self.tilt, point, strict=True)
        )
        return Place(point, bits, gradient, curved)


def solve(problem: HingeProblem, tolerance: Fraction) -> Place:
    """A dyadic point whose exact gradient has Euclidean norm at most ``tolerance``.

    Nothing else ever leaves this function, and it ends: every pass shortens the gradient by a factor that the problem
    fixes (Lemma 4 of proofs/surrogate.md).
    """
    here = _start(problem, problem.point_bits(tolerance))
    while here.steepness > tolerance * tolerance:
        here = _newton_steps(problem, here) or _gradient_step(problem, here)
    return here


def _start(problem: HingeProblem, bits: int) -> Place:
    """Near the minimiser if doubles bear the problem, else zero."""
    floats = FloatProblem(
        problem.features,
        problem.positive / problem.unit,
        problem.negative / problem.unit,
        np.array([float(value) for value in problem.tilt]),
        float(problem.regularisation),
    )
    near = problem.at(tuple(round(ldexp(value, bits)) for value in floats.minimiser().tolist()), bits)
    return near if near.steepness <= problem.steepest_at_zero**2 else problem.at((0,) * len(problem.tilt), bits)


def _newton_steps(problem: HingeProblem, start: Place) -> Place | None:
    """Newton steps until the gradient has half its length, or None if a hundred do not get there."""
    here = start
    for _ in range(_NEWTON_STEPS):
        matrix = hessian(problem.features, here.curved / problem.unit, float(problem.regularisation))
        step: Floats = np.linalg.solve(matrix, np.array([float(g) for g in here.gradient]))
        if not np.all(np.abs(step) < FURTHEST):
            return None
        here = _along(problem, here, step)
        if 4 * here.steepness <= start.steepness:
            return here
    return None


def _along(problem: HingeProblem, start: Place, step: Floats) -> Place:
    """The end of a step, or a point before it where the objective has stopped falling fast."""
    falls = _slope(start, step)
    share, low, high = 1.0, 0.0, 1.0
    for _ in range(_TRIALS):
        moved = (round(ldexp(share * part, start.bits)) for part in step.tolist())
        here = problem.at(tuple(value - by for value, by in zip(start.point, moved, strict=True)), start.bits)
        left = _slope(here, step)
        if (share == 1 and left >= -falls / 1000) or 0 <= 2 * left <= falls:
            break
        low, high = (share, high) if left > 0 else (low, share)
        share = (low + high) / 2
    return here


def _slope(place: Place, step: Floats) -> Fraction:
    """How fast the objective falls against this step: exact, as its sign decides."""
    parts = zip(place.gradient, step.tolist(), strict=True)
    return sum((g * Fraction(part) for g, part in parts), Fraction(0))


def _gradient_step(problem: HingeProblem, here: Place) -> Place:
    """One step of length 1/L along the gradient, rounded: it always shortens the gradient."""
    scale = (1 << here.bits) / problem.smoothness
    parts = zip(here.point, here.gradient, strict=True)
    return problem.at(tuple(value - round(g * scale) for value, g in parts), here.bits)
