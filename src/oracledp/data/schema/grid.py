"""The values that a number can take at its resolution, and the cells in which they are counted.

A *step* is a multiple of the resolution above ``lo``. Short ranges have a cell for every step. Long ones have cells as
wide as their leading digits ask for: single steps near zero, then ten steps, a hundred, … further out, each beginning
at a round number. Between bounds that are farther from zero than from each other all cells are as wide. They follow
from the bounds, the resolution and the thresholds alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_CELLS = 8192
MOST_STEPS = 1 << 52  # so that every step is an exact 64-bit float

Steps = NDArray[np.int64]


@dataclass(frozen=True)
class Piece:
    """Neighbouring cells of equal width: the first of them has code ``code`` and begins at step ``first``."""

    first: int
    width: int
    code: int


@dataclass(frozen=True)
class Grid:
    """Steps 0 to ``last`` above ``lo``, and the thresholds (as values) at which a cell must begin.

    >>> Grid(Fraction(0), Fraction(1, 100), 250, ()).decoded(np.array([0, 7, 250])).tolist()
    [0.0, 0.07, 2.5]
    """

    lo: Fraction
    resolution: Fraction
    last: int
    thresholds: tuple[Fraction, ...]

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.starts)

    @cached_property
    def starts(self) -> Steps:
        """The first step of each cell."""
        cuts = [step for step in map(self.step_at_least, self.thresholds) if step <= self.last]
        if self.last < MOST_CELLS:
            return np.arange(self.last + 1, dtype=np.int64)
        if self._far:
            return np.unique(np.append(np.arange(0, self.last + 1, -(-self.last // MOST_CELLS)), cuts).astype(np.int64))
        zero = self._zero
        digits = 4
        while True:
            above, below = _leading(self.last - zero, 10**digits), _leading(zero, 10**digits)
            if len(above) + len(below) <= MOST_CELLS or digits == 1:
                break
            digits -= 1
        lower = [zero - end + 1 for end in (*below[1:], zero + 1)][::-1]
        mirrored = [step for step in lower if step <= zero]
        return np.unique(np.array([*mirrored, *(zero + step for step in above), *cuts, 0], dtype=np.int64))

    @cached_property
    def ends(self) -> Steps:
        """The first step of each cell, and the one behind the last."""
        return np.append(self.starts, self.last + 1)

    @cached_property
    def coarse(self) -> Steps:
        """The codes at which wide cells begin, each about half as wide as it is far from zero: for a first look.

        Bounds are often far beyond the values, and the scale of these is not known: so all scales get as many cells.

        >>> Grid(Fraction(-3), Fraction(1), 24, ()).coarse.tolist()
        [0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 21]
        """
        zero = self._zero
        farthest = max(self.last - zero, zero)
        starts = [0]
        while starts[-1] < farthest:
            starts.append(max(starts[-1] + 1, -(-starts[-1] * 3 // 2)))
        sides = np.array(starts, dtype=np.int64)
        steps = np.concatenate([zero - sides + 1, zero + sides, [0]])
        codes = np.searchsorted(self.starts, steps[(steps >= 0) & (steps <= self.last)])
        return np.unique(codes[codes < self.size])

    @property
    def _far(self) -> bool:
        """Whether zero is farther from both bounds than they are from each other: then leading digits say little."""
        hi = self.lo + self.last * self.resolution
        return hi - self.lo <= max(self.lo, -hi)

    @property
    def _zero(self) -> int:
        """The step nearest to zero."""
        return min(max(round(-self.lo / self.resolution), 0), self.last)

    def step_at_least(self, value: Fraction) -> int:
        """The first step whose value is at least this one."""
        return ceil((value - self.lo) / self.resolution)

    @cached_property
    def widths(self) -> Steps:
        """How many steps each cell holds."""
        return np.diff(self.ends)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Runs of cells of equal width."""
        turns = [0, *(np.flatnonzero(np.diff(self.widths)) + 1).tolist()]
        return tuple(Piece(int(self.starts[at]), int(self.widths[at]), at) for at in turns)

    def codes(self, steps: NDArray[Any]) -> NDArray[np.int64]:
        """The cell of each step."""
        return np.searchsorted(self.starts, steps, side="right") - 1

    def inside(self, codes: NDArray[Any], places: NDArray[np.float64]) -> Steps:
        """A step of each cell: ``places`` in [0, 1) say where inside."""
        width = self.widths[codes]
        return np.asarray(self.starts[codes] + np.minimum((places * width).astype(np.int64), width - 1))

    def decoded(self, steps: Steps) -> NDArray[np.float64]:
        """The 64-bit float nearest to the value of each step."""
        common = self.lo.denominator * self.resolution.denominator
        low, step = int(self.lo * common), int(self.resolution * common)
        if max(abs(low), abs(low + step * self.last), common) < 1 << 53:
            return (low + step * steps) / common  # both exact, so the quotient is the nearest
        return np.array([float(self.lo + self.resolution * int(step)) for step in steps], dtype=np.float64)


def _leading(last: int, exact: int) -> list[int]:
    """The starts of the cells of steps 0 to ``last``: single below ``exact``, ten wide up to ten times it, and so on.

    >>> _leading(45, 10)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40]
    """
    starts: list[int] = list(range(min(exact, last + 1)))
    width = 10
    while exact * width // 10 <= last:
        first = exact * width // 10
        starts += range(first, min(10 * first, last + 1), width)
        width *= 10
    return starts
