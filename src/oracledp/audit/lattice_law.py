"""The exact law of an argmin over integer scores with lattice noise, summed with rigorous tails.

All noise coordinates but one are summed over a box; the last one is summed in closed form, since given the
others it decides between two labels by a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.law import Law, Reals
from oracledp.errors import CapacityError

TAIL = 34  # box half-width in scales: the mass left out is below e^-34 per coordinate
MOST_CELLS = 200_000_000
CHUNK = 1 << 20


@dataclass(frozen=True)
class NoiseKind:
    """The law of one noise coordinate: ``geometric`` on (-inf, 0], ``laplace`` or ``gaussian`` on the integers."""

    kind: str
    scale: Fraction  # the scale t, or the variance for a Gaussian

    @property
    def reach(self) -> int:
        """How far the box extends."""
        if self.kind == "gaussian":
            return int(9 * float(self.scale) ** 0.5) + 2  # beyond 9 standard deviations: below e^-40
        return int(TAIL * self.scale) + 1

    @property
    def support(self) -> NDArray[np.int64]:
        """The values inside the box."""
        return np.arange(-self.reach, 1 if self.kind == "geometric" else self.reach + 1, dtype=np.int64)

    @property
    def tail(self) -> float:
        """An upper bound on the mass outside the box."""
        return 2.0 * float(np.exp(-TAIL))

    @cache  # noqa: B019 - kinds are few, frozen and live as long as an audit
    def masses(self) -> Reals:
        """The probability of each value of the support."""
        x = self.support.astype(np.longdouble)
        scale = np.longdouble(self.scale.numerator) / np.longdouble(self.scale.denominator)
        if self.kind == "gaussian":
            raw = np.exp(-(x * x) / (2 * scale))
            return np.asarray(raw / raw.sum())
        ratio = np.exp(-1 / scale)
        norm = (1 - ratio) if self.kind == "geometric" else (1 - ratio) / (1 + ratio)
        return np.asarray(np.exp(-np.abs(x) / scale) * norm)

    @cache  # noqa: B019
    def _cumulative(self) -> Reals:
        return np.concatenate([np.zeros(1, dtype=np.longdouble), np.cumsum(self.masses())])

    def at_most(self, bound: NDArray[np.int64]) -> Reals:
        """Pr[noise <= bound]."""
        if self.kind == "gaussian":
            index = np.clip(bound + self.reach + 1, 0, len(self.support))
            return self._cumulative()[index]
        scale = np.longdouble(self.scale.numerator) / np.longdouble(self.scale.denominator)
        below = np.exp(np.minimum(bound, 0).astype(np.longdouble) / scale)
        if self.kind == "geometric":
            return np.asarray(below)
        ratio = np.exp(-1 / scale)
        left = below / (1 + ratio)  # Pr[x <= b] = r^{-b}/(1+r) for b <= 0
        right = 1 - np.exp(-(np.maximum(bound, 0) + 1).astype(np.longdouble) / scale) / (1 + ratio)
        return np.asarray(np.where(bound <= 0, left, right))

    def more_than(self, bound: NDArray[np.int64]) -> Reals:
        """Pr[noise > bound], without cancellation."""
        if self.kind != "geometric":
            return self.at_most(-bound - 1)  # symmetric
        scale = np.longdouble(self.scale.numerator) / np.longdouble(self.scale.denominator)
        return np.asarray(-np.expm1(np.minimum(bound, 0).astype(np.longdouble) / scale))


@dataclass(frozen=True, eq=False)
class LatticeMinimiser:
    """argmin over labels of values[label] + coefficients[label]·noise; the earlier label wins ties.

    Labels may be finer than outputs (labels with different dummies are one output).
    """

    outputs: tuple[Hashable, ...]  # the output of each label
    coefficients: NDArray[np.int64]  # labels × coordinates
    noise: tuple[NoiseKind, ...]

    @property
    def cells(self) -> int:
        """How many points of the box an exact law has to visit."""
        return int(np.prod([len(kind.support) for kind in self.noise[:-1]], dtype=object)) if self.noise else 1

    def law(self, values: NDArray[np.int64]) -> Law:
        """The exact law of the output for these values of the labels."""
        if not self.noise:
            winner = int(np.argmin(values))
            names = tuple(dict.fromkeys(self.outputs))
            masses = np.array([float(name == self.outputs[winner]) for name in names], dtype=np.longdouble)
            return Law(names, masses, masses)
        *box, last = self.noise
        cells = self.cells
        if cells > MOST_CELLS:
            raise CapacityError(f"the exact law needs {cells} cells; use a coarser lattice or a smaller class")
        sums = np.zeros(len(values), dtype=np.longdouble)
        for start in range(0, cells, CHUNK):
            self._accumulate(sums, values, box, last, np.arange(start, min(cells, start + CHUNK)))
        return self._collect(sums, terms=cells, tail=sum(kind.tail for kind in box))

    def _accumulate(
        self,
        sums: Reals,
        values: NDArray[np.int64],
        box: list[NoiseKind],
        last: NoiseKind,
        index: NDArray[np.int64],
    ) -> None:
        mass = np.ones(len(index), dtype=np.longdouble)
        scores = np.repeat(values[:, None], len(index), axis=1)
        for coordinate, kind in enumerate(box):
            index, digit = np.divmod(index, len(kind.support))
            mass *= kind.masses()[digit]
            scores += np.outer(self.coefficients[:, coordinate], kind.support[digit])
        uses = self.coefficients[:, -1]
        if set(np.unique(uses)) - {0, 1}:
            raise CapacityError("the last coordinate must enter with coefficient 0 or 1")
        with_last, without = np.flatnonzero(uses == 1), np.flatnonzero(uses == 0)
        if not len(with_last) or not len(without):
            winner = np.argmin(scores, axis=0)
            np.add.at(sums, winner, mass)
            return
        a, b = with_last[np.argmin(scores[with_last], axis=0)], without[np.argmin(scores[without], axis=0)]
        columns = np.arange(scores.shape[1])
        gap = scores[b, columns] - scores[a, columns]
        threshold = np.where(a < b, gap, gap - 1)
        np.add.at(sums, a, mass * last.at_most(threshold))
        np.add.at(sums, b, mass * last.more_than(threshold))

    def law_by_box(self, values: NDArray[np.int64], choose: Callable[..., NDArray[np.int64]]) -> Law:
        """The law under another tie rule: ``choose(scores, noise) -> label`` sees everything (for mutants)."""
        supports = [kind.support for kind in self.noise]
        grid = np.array(np.meshgrid(*supports, indexing="ij")).reshape(len(supports), -1)
        mass = np.ones(grid.shape[1], dtype=np.longdouble)
        for kind, row in zip(self.noise, grid, strict=True):
            mass *= kind.masses()[np.searchsorted(kind.support, row)]
        scores = values[:, None] + self.coefficients @ grid
        sums = np.zeros(len(values), dtype=np.longdouble)
        np.add.at(sums, choose(scores, grid), mass)
        return self._collect(sums, terms=grid.shape[1], tail=sum(kind.tail for kind in self.noise))

    def _collect(self, sums: Reals, *, terms: int, tail: float) -> Law:
        names = tuple(dict.fromkeys(self.outputs))
        place: dict[Any, int] = {name: i for i, name in enumerate(names)}
        total = np.zeros(len(names), dtype=np.longdouble)
        for output, mass in zip(self.outputs, sums, strict=True):
            total[place[output]] += mass
        return Law.from_sums(names, total, terms=terms, tail=tail)


def one_hot_law(outputs: tuple[Hashable, ...], values: NDArray[np.int64], kind: NoiseKind) -> Law:
    """The law of argmin values[i] + noise_i with independent noise: one sum per output, whatever the class's size."""
    support, masses = kind.support, kind.masses()
    sums = np.empty(len(values), dtype=np.longdouble)
    for i, value in enumerate(values):
        chance = masses.copy()
        for j, other in enumerate(values):
            if j != i:  # an earlier label must be strictly larger, a later one may be equal
                chance *= kind.more_than(support + value - other - (0 if j < i else 1))
        sums[i] = chance.sum()
    return Law.from_sums(outputs, sums, terms=len(support) * len(values), tail=kind.tail)
