"""Cards of few lines: one card chooses the literals, another is learned on these alone (proofs/sparse-cards.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.learning.blocks import Block, single_blocks
from oracledp.learning.sample import ClassSample, Sample
from oracledp.learning.task import Cards, Learned, RuleLearner, Task
from oracledp.randomness.source import Randomness

FIRST = Fraction(3, 10)  # of ε chooses, the rest learns

Build = Callable[[Task], RuleLearner]


def sparse_card(task: Task, build: Build, blocks: tuple[Block, ...]) -> RuleLearner:
    """``build`` makes the learner of whole cards; where ``size`` asks for fewer literals, it is used twice."""
    size = task.size
    if size is None or size >= len(task.literals):
        return build(replace(task, size=None))
    spent = task.delta / 2 if task.delta is not None else None
    first = build(replace(task, size=None, epsilon=FIRST * task.epsilon, delta=spent))

    def second(kept: Sequence[int]) -> RuleLearner:
        chosen = Literals(tuple(task.literals[number] for number in kept))
        own = single_blocks(chosen)
        return build(
            replace(task, literals=chosen, blocks=own, size=None, epsilon=(1 - FIRST) * task.epsilon, delta=spent)
        )

    def run(sample: Sample, source: Randomness) -> Learned:
        kept = heaviest([first.run(sample, source).query], blocks, size)
        return second(kept).run(sample.only(kept), source)

    def run_classes(sample: ClassSample, source: Randomness) -> Cards:
        assert first.run_classes is not None
        kept = heaviest(first.run_classes(sample, source).queries, blocks, size)
        learner = second(kept)
        assert learner.run_classes is not None
        return learner.run_classes(replace(sample, records=sample.records[:, list(kept)]), source)

    def check(rows_bound: int, unit: int) -> None:
        first.check(rows_bound, unit)
        second(range(size)).check(rows_bound, unit)

    promise = replace(first.guarantee, epsilon=task.epsilon, delta=2 * first.guarantee.delta, proof="sparse-cards")
    return RuleLearner(first.name, promise, run, check, run_classes if first.at_once else None)


def heaviest(cards: Sequence[Query], blocks: tuple[Block, ...], size: int) -> tuple[int, ...]:
    """The literals that explain most of what released cards say, one at a time, by their points and public patterns.

    Each block's patterns have scores; a literal is worth what it takes off their squared deviation, summed over cards.
    """
    scores = np.stack([_points(card) for card in cards], axis=1)
    kept: list[int] = []
    left = [_Left(block, np.array(block.patterns, dtype=float) @ scores[list(block.literals)]) for block in blocks]
    gains = [one.gains() for one in left]
    while len(kept) < size:
        place = max(range(len(left)), key=lambda number: gains[number].max(initial=-1.0))
        literal = int(gains[place].argmax())
        kept.append(left[place].block.literals[literal])
        left[place].take(literal)
        gains[place] = left[place].gains()
    return tuple(sorted(kept))


class _Left:
    """What the literals taken so far leave of a block's scores."""

    def __init__(self, block: Block, scores: NDArray[np.float64]) -> None:
        self.block, self.scores = block, scores
        self.columns = np.array(block.patterns, dtype=float)
        self.taken: list[int] = []

    def take(self, literal: int) -> None:
        self.taken.append(literal)

    def gains(self) -> NDArray[np.float64]:
        """By how much each literal lowers the squared deviation; a taken one is worth less than nothing."""
        before = self._deviation(self.taken)
        return np.array(
            [
                -1.0 if place in self.taken else before - self._deviation([*self.taken, place])
                for place in range(self.columns.shape[1])
            ]
        )

    def _deviation(self, places: list[int]) -> float:
        known = np.hstack([self.columns[:, places], np.ones((len(self.columns), 1))])
        rest = self.scores - known @ np.linalg.lstsq(known, self.scores, rcond=None)[0]
        return float((rest * rest).sum() / len(self.columns))


def _points(card: Query) -> NDArray[np.float64]:
    """The points of each literal."""
    found = np.zeros(len(card.owner.literals))
    form = card.owner.points(card.parts)
    for literal, value in form.terms if form is not None else ():
        found[literal] = float(value)
    return found
