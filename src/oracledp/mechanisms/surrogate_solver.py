"""The convex problem behind the private surrogate: solved in floating point, believed only after an integer proof.

The problem is  sum_i (c_i/unit) φ(s_i z_i·w) + <b, w> + (Λ/2)|w|²  with z_i in {-1,0,1}^m, labels s_i = ±1 and the
smoothed hinge φ: slope -1 below margin 0, rising linearly to 0 at margin 1. It is piecewise quadratic, so its
gradient at a dyadic point is computed exactly in integers; strong convexity turns a small gradient into a bound on
the distance to the minimiser (proofs/surrogate.md, Lemma 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError

POINT_BITS = 50  # candidate minimisers are multiples of 2^-50
MOST_WEIGHT = 1 << 38  # of all rows together, in units
_LOW_BITS = 26  # gradients are summed in two halves, so that no int64 sum can wrap
_NEWTON_STEPS = 100
_ROWS_AT_ONCE = 1 << 15
Floats = NDArray[np.float64]
Integers = NDArray[Any]  # int64, or Python's own integers where those could wrap


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
        total = int(self.positive.sum()) + int(self.negative.sum())
        if total << (POINT_BITS - _LOW_BITS) >= 1 << 62:
            raise CapacityError("too many rows, or too large class weights, for an exact gradient")

    def gradient(self, point: Integers) -> list[Fraction]:
        """The exact gradient at ``point / 2^POINT_BITS``."""
        one = 1 << POINT_BITS
        high, low = np.zeros((2, self.features.shape[1]), dtype=np.int64)
        for rows in row_blocks(len(self.features)):
            features = self.features[rows]
            margins = features.astype(point.dtype) @ point
            up, down = (np.clip(side, 0, one).astype(np.int64) for side in (one - margins, one + margins))
            for total, pull in zip((high, low), self._pulls(rows, up, down), strict=True):
                total += features.T.astype(np.int64) @ pull
        sums = [(int(h) << _LOW_BITS) + int(part) for h, part in zip(high, low, strict=True)]
        return [
            Fraction(total, one * self.unit) + tilt + self.regularisation * Fraction(int(coordinate), one)
            for total, tilt, coordinate in zip(sums, self.tilt, point, strict=True)
        ]

    def _pulls(self, rows: slice, up: Integers, down: Integers) -> Iterator[Integers]:
        """Each row's coefficient in the gradient, split into a high and a low half."""
        positive, negative, mask = self.positive[rows], self.negative[rows], (1 << _LOW_BITS) - 1
        yield negative * (down >> _LOW_BITS) - positive * (up >> _LOW_BITS)
        yield negative * (down & mask) - positive * (up & mask)


def row_blocks(rows: int) -> Iterator[slice]:
    """The rows in blocks: eight bytes per feature are needed for one block only, one byte for the others."""
    return (slice(begin, begin + _ROWS_AT_ONCE) for begin in range(0, rows, _ROWS_AT_ONCE))


def solve(problem: HingeProblem, tolerance: Fraction) -> Integers:
    """A point, in multiples of 2^-POINT_BITS, whose exact gradient has Euclidean norm at most ``tolerance``.

    Nothing else ever leaves this function: candidates come until one passes, and they converge, since the
    problem is strongly convex and smooth.
    """
    for candidate in _candidates(problem):
        point = _on_grid(candidate)
        if sum(g * g for g in problem.gradient(point)) <= tolerance * tolerance:
            return point
    raise AssertionError("unreachable: candidates never end")


def _on_grid(candidate: Floats) -> Integers:
    """The nearest multiples of 2^-POINT_BITS; margins are sums of them, so large ones leave int64."""
    scaled = np.rint(candidate * float(1 << POINT_BITS))
    if np.abs(scaled).sum() < 1 << 61:
        return scaled.astype(np.int64)
    return np.array([int(value) for value in scaled], dtype=object)


def _candidates(problem: HingeProblem) -> Iterator[Floats]:
    """Newton's iterates, each worth a check once it moves little; then plain gradient descent without end."""
    state = _FloatProblem.of(problem)
    point = np.zeros(problem.features.shape[1])
    for _ in range(_NEWTON_STEPS):
        moved = state.newton(point)
        settled = np.max(np.abs(moved - point)) < 1e-6
        point = moved
        if settled:
            yield point
    for step in count():
        point = point - state.gradient(point) / state.smoothness
        if step % 1000 == 0:
            yield point


@dataclass(frozen=True, eq=False)
class _FloatProblem:
    features: NDArray[np.int8]
    positive: Floats
    negative: Floats
    tilt: Floats
    regularisation: float

    @classmethod
    def of(cls, problem: HingeProblem) -> _FloatProblem:
        return cls(
            problem.features,
            problem.positive / problem.unit,
            problem.negative / problem.unit,
            np.array([float(value) for value in problem.tilt]),
            float(problem.regularisation),
        )

    @property
    def smoothness(self) -> float:
        return float((self.positive + self.negative).sum() * self.features.shape[1] + self.regularisation)

    def margins(self, point: Floats) -> Floats:
        blocks = [self.features[rows].astype(np.float64) @ point for rows in row_blocks(len(self.features))]
        return np.concatenate([np.zeros(0), *blocks])

    def value(self, point: Floats) -> float:
        margins = self.margins(point)
        loss = self.positive @ _hinge(margins) + self.negative @ _hinge(-margins)
        return float(loss + self.tilt @ point + self.regularisation / 2 * (point @ point))

    def gradient(self, point: Floats) -> Floats:
        margins = self.margins(point)
        pulls = self.negative * np.clip(1 + margins, 0, 1) - self.positive * np.clip(1 - margins, 0, 1)
        slope = self.tilt + self.regularisation * point
        for rows in row_blocks(len(self.features)):
            slope += self.features[rows].T.astype(np.float64) @ pulls[rows]
        return np.asarray(slope)

    def hessian(self, curved: Floats) -> Floats:
        """The second derivative where each row has this curvature."""
        total = np.diag(np.full(self.features.shape[1], self.regularisation))
        for rows in row_blocks(len(self.features)):
            kept = np.flatnonzero(curved[rows] > 0)
            features = self.features[rows][kept].astype(np.float64)
            total += (features * curved[rows][kept, None]).T @ features
        return total

    def newton(self, point: Floats) -> Floats:
        """One damped Newton step; the first sees every row as if it were on the curved piece."""
        margins = self.margins(point)
        curved = self.positive * ((margins >= 0) & (margins < 1)) + self.negative * ((margins > -1) & (margins <= 0))
        if not np.any(point):
            curved = self.positive + self.negative
        slope = self.gradient(point)
        step = np.linalg.solve(self.hessian(curved), slope)
        start, size = self.value(point), 1.0
        while size > 1e-4 and self.value(point - size * step) > start - 1e-4 * size * float(slope @ step):
            size /= 2
        return np.asarray(point - (size if size > 1e-4 else 1.0) * step)


def _hinge(margins: Floats) -> Floats:
    gap = np.maximum(1 - margins, 0)
    return np.where(gap < 1, gap * gap / 2, gap - 0.5)
