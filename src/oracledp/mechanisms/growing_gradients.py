"""Logistic cards on few of many literals: lines are chosen one by one by how they pull, and fitted as they come.

A choice costs pure ε and hears the noise of one literal, not of all of them; the noisy gradients in between are those
of the chosen lines alone (proofs/sparse-cards.md, Theorem 2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.mechanisms.feature_rows import BitRows, FeatureRows, PlainRows
from oracledp.mechanisms.gradients import Descent, NoisyGradients
from oracledp.mechanisms.residuals import Integers
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.choice import permute_and_flip_choice, short_rate
from oracledp.randomness.lattice import Lattice, lattice
from oracledp.randomness.noise import noisy_counts
from oracledp.randomness.source import Randomness

CHOOSING = Fraction(2, 5)  # of ε chooses lines, the rest fits them
ALONE = 2  # steps that fit the constant before the first line is chosen


@dataclass(frozen=True)
class Few:
    """A released score on some literals, by number: slopes (literals × outputs) and a constant for each output."""

    literals: tuple[int, ...]
    slopes: NDArray[np.float64]
    constants: NDArray[np.float64]


@dataclass(frozen=True)
class GrowingGradients:
    """``lines`` of ``literals``, chosen in the first half of a descent and fitted by all of it; (ε, δ)-DP, robust.

    A literal counts as ±1. ``outputs`` is one for two classes, and else one for each class.

    >>> descent = Descent(steps=30, rate=1.0, clip=Fraction(1, 4), rows=9)
    >>> growing = GrowingGradients(40, 5, 1, descent, Fraction(1), Fraction(1, 10**6), Neighbours.ADD_REMOVE)
    >>> [growing.wanted(step) for step in (0, 2, 8, 15)]
    [0, 1, 3, 5]
    """

    literals: int
    lines: int
    outputs: int
    descent: Descent
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    name: str = "gradients"
    lattice: Lattice = field(default_factory=lattice)

    def __post_init__(self) -> None:
        if not 1 <= self.lines <= self.literals:
            raise ParameterError("a card needs at least one line, and no more lines than literals")

    @property
    def unit(self) -> int:
        """What ±1 is on the lattice: all lines and a constant have about its length together."""
        return max(1, round(self.lattice.feature_length / sqrt(self.lines + 1)))

    @property
    def gradients(self) -> NoisyGradients:
        """The noise of every step, as if all lines were there from the first."""
        return NoisyGradients(
            features=self.lines + 1,
            longest=max(1, isqrt(self.unit**2 * (self.lines + 1))),
            reach=self.unit,
            outputs=self.outputs,
            descent=self.descent,
            epsilon=(1 - CHOOSING) * self.epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
            lattice=self.lattice,
        )

    @property
    def most(self) -> int:
        """M: no record moves what a literal pulls by more; half of what its residuals can come to."""
        return 1 << (self.lattice.residual_bits - (self.outputs == 1))

    @property
    def rate(self) -> Fraction:
        """Of a choice: a record moves every pull by M, some up and some down, or by 2M where it is replaced."""
        moved = 2 * self.neighbours.comparison_sensitivity * self.most
        return short_rate(CHOOSING * self.epsilon / (self.lines * moved))

    @property
    def guarantee(self) -> Guarantee:
        """Robust: it depends on no solver."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours, proof="sparse-cards")

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse by public numbers sums that 64 bits might not hold."""
        self.gradients.check(rows_bound, unit)

    def wanted(self, step: int) -> int:
        """How many lines there are at a step: none, then more by and by, all from the middle on."""
        middle = self.descent.steps // 2
        if step >= middle:
            return self.lines
        return 0 if step < ALONE else min(self.lines, 1 + (step - ALONE) * self.lines // (middle - ALONE))

    def run(
        self,
        records: NDArray[np.uint8],
        shown: Integers,
        source: Randomness,
        *,
        weights: tuple[int, ...] | None = None,
        shares: tuple[Integers, int] | None = None,
    ) -> Few:
        """``records`` are distinct rows of 0 and 1; the rest is as for :class:`NoisyGradients`."""
        own, chosen = weights or (1,) * shown.shape[1], list[int]()
        signs, path = self._signs(records), self.gradients.path(max(1, self.descent.steps // 4))
        variance, step = self.gradients.variance, 0
        while step < self.descent.steps:
            noisy = NoisyGradients(**{**vars(self.gradients), "features": len(chosen) + 1})
            problem = noisy.problem(self._features(records, chosen), shown, own, shares)
            while step < self.descent.steps and len(chosen) >= self.wanted(step):
                total = problem.gradient(path.weights[: noisy.features])
                released = np.zeros(path.place.shape, dtype=np.int64)
                released[: noisy.features] = noisy_counts(total.ravel(), variance, source).reshape(total.shape)
                path.follow(released)
                step += 1
            if len(chosen) < self.lines:
                pulls = self._pulls(signs, problem.loads(path.weights[: noisy.features], self.most))
                left = [number for number in range(self.literals) if number not in chosen]
                chosen.append(left[permute_and_flip_choice(-pulls[left], self.rate, source)])
        return self._worded(chosen, path.average)

    def _signs(self, records: NDArray[np.uint8]) -> FeatureRows:
        """All literals as ±1."""
        if self.outputs > 1:
            return PlainRows.of(2 * records.astype(np.int64) - 1)
        return BitRows.of(records, 2 * np.eye(self.literals, dtype=np.int64), np.full(self.literals, -1))

    def _features(self, records: NDArray[np.uint8], chosen: list[int]) -> FeatureRows:
        """A constant and the chosen lines."""
        slopes = np.vstack([np.zeros((1, len(chosen)), dtype=np.int64), 2 * np.eye(len(chosen), dtype=np.int64)])
        constants = np.array([1] + [-1] * len(chosen))
        bits = records[:, chosen]
        if self.outputs > 1 or not chosen:
            return PlainRows.of(self.unit * (bits.astype(np.int64) @ slopes.T + constants))
        return BitRows.of(bits, self.unit * slopes, self.unit * constants)

    def _pulls(self, signs: FeatureRows, loads: Integers) -> Integers:
        """How much each literal would change a score by: the absolute values of its sums over the records."""
        total = np.zeros((self.literals, self.outputs), dtype=np.int64)
        for rows in signs.blocks:
            total += signs.sums(rows, loads[rows])
        return np.asarray(np.abs(total).sum(axis=1))

    def _worded(self, chosen: list[int], weights: NDArray[np.float64]) -> Few:
        """The lines in the order of the literals; only released numbers are seen here."""
        order = np.argsort(chosen)
        constants = self.unit * (weights[0] - weights[1:].sum(axis=0))
        return Few(tuple(sorted(chosen)), 2 * self.unit * weights[1:][order], constants)
