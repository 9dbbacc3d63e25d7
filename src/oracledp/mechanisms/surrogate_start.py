"""Where the search for the surrogate's minimiser starts: damped Newton steps in floating point, believed by nobody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_NEWTON_STEPS = 50
_SETTLED = 1e-6
FURTHEST = 2.0**40  # minimisers are far nearer (proofs/surrogate.md, Lemma 4)
ROWS_AT_ONCE = 1 << 15
Floats = NDArray[np.float64]


def row_blocks(rows: int) -> Iterator[slice]:
    """The rows in blocks: eight bytes per feature are needed for one block only, one byte for the others."""
    return (slice(begin, begin + ROWS_AT_ONCE) for begin in range(0, rows, ROWS_AT_ONCE))


def hessian(features: NDArray[np.int8], curved: Floats, regularisation: float) -> Floats:
    """The second derivative where each row has this curvature."""
    total = np.diag(np.full(features.shape[1], regularisation))
    for rows in row_blocks(len(features)):
        kept = np.flatnonzero(curved[rows] > 0)
        block = features[rows][kept].astype(np.float64)
        total += (block * curved[rows][kept, None]).T @ block
    return total


@dataclass(frozen=True, eq=False)
class FloatProblem:
    """The same convex problem in doubles, its weights divided by the unit."""

    features: NDArray[np.int8]
    positive: Floats
    negative: Floats
    tilt: Floats
    regularisation: float

    def minimiser(self) -> Floats:
        """A point near the minimiser if all goes well, and some finite point in any case."""
        point = np.zeros(self.features.shape[1])
        for _ in range(_NEWTON_STEPS):
            moved = self.newton(point)
            if not np.all(np.abs(moved) < FURTHEST):
                break
            settled = np.max(np.abs(moved - point)) < _SETTLED
            point = moved
            if settled:
                break
        return point

    def margins(self, point: Floats) -> Floats:
        """z·w for each row."""
        blocks = [self.features[rows].astype(np.float64) @ point for rows in row_blocks(len(self.features))]
        return np.concatenate([np.zeros(0), *blocks])

    def value(self, point: Floats) -> float:
        """The objective."""
        margins = self.margins(point)
        loss = self.positive @ _hinge(margins) + self.negative @ _hinge(-margins)
        return float(loss + self.tilt @ point + self.regularisation / 2 * (point @ point))

    def gradient(self, point: Floats) -> Floats:
        """Its gradient, rounded."""
        margins = self.margins(point)
        pulls = self.negative * np.clip(1 + margins, 0, 1) - self.positive * np.clip(1 - margins, 0, 1)
        slope = self.tilt + self.regularisation * point
        for rows in row_blocks(len(self.features)):
            slope += self.features[rows].T.astype(np.float64) @ pulls[rows]
        return np.asarray(slope)

    def newton(self, point: Floats) -> Floats:
        """One damped Newton step; the first sees every row as if it were on the curved piece."""
        margins = self.margins(point)
        curved = self.positive * ((margins >= 0) & (margins < 1)) + self.negative * ((margins > -1) & (margins <= 0))
        if not np.any(point):
            curved = self.positive + self.negative
        slope = self.gradient(point)
        step = np.linalg.solve(hessian(self.features, curved, self.regularisation), slope)
        start, size = self.value(point), 1.0
        while size > 1e-4 and self.value(point - size * step) > start - 1e-4 * size * float(slope @ step):
            size /= 2
        return np.asarray(point - (size if size > 1e-4 else 1.0) * step)


def _hinge(margins: Floats) -> Floats:
    gap = np.maximum(1 - margins, 0)
    return np.where(gap < 1, gap * gap / 2, gap - 0.5)
