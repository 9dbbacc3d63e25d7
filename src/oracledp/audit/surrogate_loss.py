"""The privacy loss of scoring cards on the lattice that ships, from runs of the public entry points alone.

A card is a continuous function w of the noise b that tilts its objective, plus a little noise on top. So the density
of w on one table over that on a neighbour is e^((N(b') - N(b))/scale) times a ratio of determinants, where b' is the
noise with which the neighbour gives the same w. The entry point is run with noise of our choice: b' is found by
Newton's method on what it returns, the determinants by differences. Where the rows are counted first, both tables get
the same released size, and what that costs is added.

A card of few lines is learned in several releases: a card, sums, another card. They are taken one after the other, each
on the same released values before it, and their losses at one and the same outcome add up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import product
from math import exp, log
from typing import Any, cast

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
EQUAL = 1 << 38  # a released number, the same everywhere
SIZES = (8, 1024)  # that a count may come to: another recipe each


@dataclass
class GivenNoise(DrawSource):
    """Tilts an objective by given noise and ends the run at the first release that is not given."""

    noise: NDArray[np.int64] | None = None
    size: int = 8
    released: tuple[NDArray[np.int64], ...] = ()
    tilts: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    counted: list[tuple[int, int]] = field(default_factory=list)
    others: bool = False  # whether anything else was drawn
    given: int = 0

    def answer(self, question: Question) -> Any:
        """The noise that was given; the first time, a drawn one. A count comes to the given size."""
        if question.primitive == "noisy_size":
            self.counted.append(question.arguments)
            return self.size
        if question.primitive == "noisy_blocks":
            return self._release(*question.arguments)
        if question.primitive != "block_noise":
            self.others = True
            return question.carry_out(SeededRandomness(0))
        self.tilts.append(question.arguments)
        pending = self.noise is None or self.given < len(self.released)
        return question.carry_out(SeededRandomness(0)) if pending else self.noise

    def _release(self, *arguments: Any) -> NDArray[np.int64]:
        if self.given == len(self.released):
            raise Released(*arguments)
        self.given += 1
        self.tilts.clear()
        return self.released[self.given - 1]


@dataclass
class Ties(DrawSource):
    """Releases equal numbers only, where what is chosen by them hangs on everything else that it reads."""

    size: int
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    others: bool = False

    def answer(self, question: Question) -> Any:
        """The same for everything."""
        if question.primitive == "noisy_size":
            return self.size
        if question.primitive not in ("noisy_blocks", "block_noise"):
            self.others = True
            return question.carry_out(SeededRandomness(0))
        scale, sizes = question.arguments[-2:]
        self.asked.append((scale, sizes))
        return np.full(sum(sizes), EQUAL if question.primitive == "noisy_blocks" else 0, dtype=np.int64)


@dataclass(frozen=True)
class Stage:
    """A release: what noise is added to, the public numbers of that noise, and of the noise that tilted before."""

    values: tuple[int, ...]
    noise: tuple[int, tuple[int, ...]]
    tilts: tuple[tuple[int, tuple[int, ...]], ...]
    counted: tuple[tuple[int, int], ...]

    @property
    def public(self) -> Any:
        """What neighbours have in common."""
        return self.noise, self.tilts, [scale for _, scale in self.counted]


@dataclass(frozen=True)
class Tilted:
    """A released point as a function of the noise, for one table and what was released before."""

    door: Door
    data: DataSet
    relation: Neighbours
    size: int
    released: tuple[NDArray[np.int64], ...] = ()

    def stage(self) -> Stage | str | None:
        """The next release; after the last, what is seen, or nothing where it hangs on draws that are not given."""
        return self._run(GivenNoise(size=self.size, released=self.released))

    def tied(self) -> Any:
        """The noise that is asked for and what is seen, where all that is released are ties."""
        source = Ties(self.size)
        seen = self.door.enter(self.data, self.relation, source)
        return source.asked, None if source.others else seen.text

    def after(self, release: NDArray[np.int64]) -> Tilted:
        """The same after one more release."""
        return replace(self, released=(*self.released, release))

    def at(self, noise: Vector) -> Vector:
        """What the output's noise is added to."""
        stage = self._run(GivenNoise(np.rint(noise).astype(np.int64), self.size, self.released))
        if not isinstance(stage, Stage):
            raise Uncovered
        return np.array(stage.values, dtype=float)

    def slope(self, noise: Vector, step: float) -> NDArray[np.float64]:
        """The matrix of derivatives, by central differences."""
        moves = np.eye(len(noise)) * step
        return np.stack([(self.at(noise + move) - self.at(noise - move)) / (2 * step) for move in moves], axis=1)

    def _run(self, source: GivenNoise) -> Stage | str | None:
        try:
            seen = self.door.enter(self.data, self.relation, source)
        except Released as ended:
            values, scale, sizes = cast(Any, ended.release)
            numbers = tuple(int(value) for value in values)
            return Stage(numbers, (scale, sizes), tuple(source.tilts), tuple(source.counted))
        if source.tilts or not self.released:
            raise Uncovered
        return None if source.others else seen.text


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
            for size, (one, other) in product(SIZES if counts else SIZES[:1], pairs)
            for loss in _losses(Tilted(door, one, relation, size), Tilted(door, other, relation, size), points)
        ]
    except Uncovered:
        losses = [float("inf")]
    worst = max(losses)
    low, high = (_delta(loss, float(claimed.epsilon)) for loss in (worst - 1e-3, worst))
    return Finding(door.name, claimed, worst - 1e-3, worst, low, high, len(pairs))


def _delta(loss: float, epsilon: float) -> float:
    """What pure privacy of this loss is worth at ε where a claim has a δ, as one round of a game has."""
    return max(0.0, (1 - exp(epsilon - loss)) / (1 + exp(-loss)))


def _losses(one: Tilted, other: Tilted, points: int) -> list[float]:
    if one.tied() != other.tied():
        return [float("inf")]
    return [_all_losses(one, other, points, 0), _all_losses(other, one, points, points)]


def _all_losses(first: Tilted, second: Tilted, points: int, seed: int) -> float:
    """The loss of all that is still to be released, each time at the worst of some points."""
    stage, same = first.stage(), second.stage()
    if not (isinstance(stage, Stage) and isinstance(same, Stage)):
        return 0.0 if stage == same else float("inf")
    if stage.public != same.public:
        return float("inf")
    if stage.tilts:
        ((scale, sizes),) = stage.tilts
        generator = np.random.default_rng(seed)
        noises = [generator.laplace(scale=scale, size=sum(sizes)) for _ in range(points)]
        losses = [_loss(first, second, noise, scale, sizes) for noise in noises]
        loss = max(losses)
        release = first.at(noises[losses.index(loss)]).astype(np.int64)
    else:  # the log ratio of a release is greatest where it is what the noise was added to
        scale, sizes = stage.noise
        release = np.array(stage.values, dtype=np.int64)
        loss = _norm(release - np.array(same.values), sizes) / scale
    if not first.released:
        loss += _counting(stage.counted, same.counted)
    return loss + _all_losses(first.after(release), second.after(release), points, seed)


def _counting(first: Iterable[tuple[int, int]], second: Iterable[tuple[int, int]]) -> float:
    """What equal sizes cost: the shift of each count over its scale, at worst."""
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
