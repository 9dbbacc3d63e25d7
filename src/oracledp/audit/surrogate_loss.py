"""The privacy loss of scoring cards on the lattice that ships, from runs of the public entry points alone.

A card is a continuous function w of the noise b that tilts its objective, plus a little noise on top. So the density
of w on one table over that on a neighbour is e^((N(b') - N(b))/scale) times a ratio of determinants, where b' is the
noise with which the neighbour gives the same w. The entry point is run with noise of our choice: b' is found by
Newton's method on what it returns, the determinants by differences. Where the rows are counted first, both tables get
the same released size, and what that costs is added.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.doors import Door
from oracledp.audit.enumeration import Released
from oracledp.audit.exact_law import DataSet, Finding
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource, Question, SeededRandomness

Vector = NDArray[np.float64]
STEP = 2.0**-7  # of the noise scale, for differences
CLOSE = 2.0**-18  # of the noise scale
TRIES = 40
SIZES = (8, 1024)  # that a count may come to: another recipe each


@dataclass
class GivenNoise(DrawSource):
    """Tilts the objective by given noise and ends the run where the output's noise is asked for."""

    noise: NDArray[np.int64] | None = None
    size: int = 8
    asked: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    counted: list[tuple[int, int]] = field(default_factory=list)

    def answer(self, question: Question) -> Any:
        """The noise that was given; the first time, a drawn one. A count comes to the given size."""
        if question.primitive == "noisy_size":
            self.counted.append(question.arguments)
            return self.size
        if question.primitive == "noisy_blocks":
            raise Released(*question.arguments)
        if question.primitive != "block_noise":
            return question.carry_out(SeededRandomness(0))
        self.asked.append(question.arguments)
        return question.carry_out(SeededRandomness(0)) if self.noise is None else self.noise


@dataclass(frozen=True)
class Tilted:
    """The released point as a function of the noise, for one table and, where the rows are counted, one size."""

    door: Door
    data: DataSet
    relation: Neighbours
    size: int

    def calibrated(self) -> tuple[int, tuple[int, ...]]:
        """The scale and the blocks of the noise that a run asks for."""
        (asked,) = self._asked().asked
        return asked

    def counted(self) -> list[tuple[int, int]]:
        """Each number of rows that is counted, and the scale of its noise."""
        return self._asked().counted

    def _asked(self) -> GivenNoise:
        source = GivenNoise(size=self.size)
        self._run(source)
        return source

    def at(self, noise: Vector) -> Vector:
        """What the output's noise is added to."""
        return self._run(GivenNoise(np.rint(noise).astype(np.int64), self.size))

    def slope(self, noise: Vector, step: float) -> NDArray[np.float64]:
        """The matrix of derivatives, by central differences."""
        moves = np.eye(len(noise)) * step
        return np.stack([(self.at(noise + move) - self.at(noise - move)) / (2 * step) for move in moves], axis=1)

    def _run(self, source: GivenNoise) -> Vector:
        try:
            self.door.enter(self.data, self.relation, source)
        except Released as ended:
            values: Any = ended.release[0]
            return np.array([float(value) for value in values])
        raise Uncovered


class Uncovered(Exception):
    """A card left without noise on its output."""


def card_finding(door: Door, relation: Neighbours, points: int = 6) -> Finding:
    """The greatest loss at random points, over all pairs of neighbours, against the claim of the runs."""
    pairs = door.pairs(relation)
    counts = relation is Neighbours.ADD_REMOVE  # else the number of rows is public
    claimed = door.enter(pairs[0][0], relation, _Seeded()).guarantee
    try:
        losses = [
            loss
            for size, pair in product(SIZES if counts else SIZES[:1], pairs)
            for loss in _losses(door, relation, pair, size, points)
        ]
    except Uncovered:
        losses = [float("inf")]
    worst = max(losses)
    low, high = (_delta(loss, float(claimed.epsilon)) for loss in (worst - 1e-3, worst))
    return Finding(door.name, claimed, worst - 1e-3, worst, low, high, len(pairs))


def _delta(loss: float, epsilon: float) -> float:
    """What pure privacy of this loss is worth at ε where a claim has a δ, as one round of a game has."""
    return max(0.0, (1 - exp(epsilon - loss)) / (1 + exp(-loss)))


def _losses(door: Door, relation: Neighbours, pair: tuple[DataSet, DataSet], size: int, points: int) -> list[float]:
    found: list[float] = []
    for one, other in (pair, pair[::-1]):
        first, second = Tilted(door, one, relation, size), Tilted(door, other, relation, size)
        scale, sizes = first.calibrated()
        counting = _counting(first.counted(), second.counted())
        if second.calibrated() != (scale, sizes):
            return [float("inf")]
        generator = np.random.default_rng(len(found))
        for _ in range(points):
            noise = generator.laplace(scale=scale, size=sum(sizes))
            found.append(counting + _loss(first, second, noise, scale, sizes))
    return found


def _counting(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> float:
    """What equal sizes cost: the shift of each count over its scale, at worst."""
    if [scale for _, scale in first] != [scale for _, scale in second]:
        return float("inf")
    return sum(abs(rows - other) / scale for (rows, scale), (other, _) in zip(first, second, strict=True))


def _loss(first: Tilted, second: Tilted, noise: Vector, scale: int, sizes: tuple[int, ...]) -> float:
    """ln of the ratio of the densities at the point that this noise gives on the first table."""
    target, step = first.at(noise), STEP * scale
    other = _matching(second, target, noise, step)
    moved = (_norm(other, sizes) - _norm(noise, sizes)) / scale
    return moved + _volume(second.slope(other, step)) - _volume(first.slope(noise, step))


def _matching(second: Tilted, target: Vector, noise: Vector, step: float) -> Vector:
    """The noise with which the second table gives the target: Newton, halved while it does not help."""
    here, slope = noise, second.slope(noise, step)
    gap = second.at(here) - target
    for _ in range(TRIES):
        move = np.linalg.solve(slope, gap)
        if np.max(np.abs(move)) < CLOSE * step / STEP:
            return here
        size = 1.0
        while size > 1e-3 and np.linalg.norm(second.at(here - size * move) - target) >= np.linalg.norm(gap):
            size /= 2
        here = here - size * move
        gap, slope = second.at(here) - target, second.slope(here, step)
    raise ArithmeticError("no noise was found that gives the same card")


def _norm(noise: Vector, sizes: tuple[int, ...]) -> float:
    return float(max(block.sum() for block in np.split(np.abs(noise), np.cumsum(sizes)[:-1])))


def _volume(slope: NDArray[np.float64]) -> float:
    return log(abs(float(np.linalg.det(slope))))


class _Seeded(DrawSource):
    """Carries every draw out from a seed: for one look at what a run prints."""

    def answer(self, question: Question) -> Any:
        """A draw as shipped."""
        return question.carry_out(SeededRandomness(0))
