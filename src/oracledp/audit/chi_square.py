"""Goodness of fit at a stated error rate, with a stated power: integers drawn against an exact law."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.extras import optional

ALPHA = 1e-8  # of one test: a hundred of them reject correct samplers with probability below 1e-6
MISSED = 1e-9  # the greatest probability with which a test may miss the wrong law that it was built to see
FEWEST = 100  # expected draws in a cell
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _stats() -> Any:
    return optional("scipy.stats", extra="solvers")


def fits(observed: Floats, probabilities: Floats) -> bool:
    """The chi-square test at ALPHA."""
    expected = probabilities * observed.sum()
    if expected.min() < FEWEST or abs(probabilities.sum() - 1) > 1e-12:
        raise ParameterError("the cells are too small for a chi-square test, or their probabilities do not sum to 1")
    statistic = ((observed - expected) ** 2 / expected).sum()
    return bool(statistic < _stats().chi2.isf(ALPHA, len(observed) - 1))


def sees(probabilities: Floats, wrong: Floats, draws: int) -> bool:
    """Whether that test misses the wrong law with probability at most MISSED (non-central chi-square)."""
    shift = draws * ((wrong - probabilities) ** 2 / probabilities).sum()
    freedom = len(probabilities) - 1
    return bool(_stats().ncx2.cdf(_stats().chi2.isf(ALPHA, freedom), freedom, shift) < MISSED)


def decay(x: Fraction) -> float:
    """e^-x, correctly rounded but for the last place."""
    low, high = exp_enclosure(x, 200)
    return float(Fraction(low + high, 2**201))


@dataclass(frozen=True)
class IntegerLaw:
    """A sampler of the integers with the exact probability ``tail(x)`` that a draw is at least x."""

    name: str
    draw: Callable[[int], Ints]
    tail: Callable[[int], float]
    reach: int  # beyond +-reach nothing is left

    def cells(self) -> tuple[Ints, Floats]:
        """At most forty cells of about equal probability: their inner edges and probabilities."""
        edges = sorted({self._quantile(k / 40) for k in range(1, 40)})
        return np.array(edges), self.masses(edges)

    def masses(self, edges: Iterable[int]) -> Floats:
        """The probabilities of the cells between these edges."""
        return -np.diff([1.0, *(self.tail(int(edge)) for edge in edges), 0.0])

    def _quantile(self, level: float) -> int:
        low, high = -self.reach, self.reach
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.tail(middle) >= 1 - level else (low, middle)
        return high

    def observed(self, values: Ints) -> Floats:
        """How many values fall into each cell."""
        edges, _ = self.cells()
        return np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1).astype(float)
