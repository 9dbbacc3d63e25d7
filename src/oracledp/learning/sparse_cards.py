"""Cards of few lines under pure ε: one card and how often literals hold choose them, another is learned on them alone.

(proofs/sparse-cards.md, Theorem 1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.exact.capacity import refuse_overflow
from oracledp.learning.blocks import Block, single_blocks
from oracledp.learning.sample import ClassSample, Sample
from oracledp.learning.task import Cards, Learned, RuleLearner, Task
from oracledp.mechanisms.class_sums import ClassSums
from oracledp.randomness.source import Randomness

FIRST = Fraction(1, 4)  # of ε learns the card that chooses
OFTEN = Fraction(1, 20)  # counts how often literals hold; the rest learns the card that stays
SPREAD = 0.06  # the variance of literals' frequencies, as one expects it before any are counted

Build = Callable[[Task], RuleLearner]
Floats = NDArray[np.float64]


def sparse_card(task: Task, build: Build, blocks: tuple[Block, ...]) -> RuleLearner:
    """``build`` makes the learner of whole cards; where ``size`` asks for fewer literals, it is used twice."""
    size = task.size
    if size is None or size >= len(task.literals):
        return build(replace(task, size=None))
    first = build(replace(task, size=None, epsilon=FIRST * task.epsilon))
    if first.guarantee.delta:  # two cards would spend it twice
        raise ValueError("cards of few lines are put together from cards under pure epsilon")
    unit = 1 if first.at_once else task.unit  # where classes are kept apart, records are counted without their weights
    often = Frequencies(ClassSums((1,) * (len(task.literals) + 1), 1, OFTEN * task.epsilon / unit, task.neighbours))

    def second(kept: Sequence[int]) -> RuleLearner:
        chosen = Literals(tuple(task.literals[number] for number in kept))
        left = (1 - FIRST - OFTEN) * task.epsilon
        return build(replace(task, literals=chosen, blocks=single_blocks(chosen), size=None, epsilon=left))

    def run(sample: Sample, source: Randomness) -> Learned:
        card = first.run(sample, source).query
        shown = sample.by_class.shown.sum(axis=1) if first.at_once else sample.positive + sample.negative
        held = often.run(sample.records, shown, source)
        kept = heaviest([card], blocks, size, held)
        return second(kept).run(sample.only(kept), source)

    def run_classes(sample: ClassSample, source: Randomness) -> Cards:
        assert first.run_classes is not None
        cards = first.run_classes(sample, source).queries
        held = often.run(sample.records, sample.shown.sum(axis=1), source)
        kept = heaviest(cards, blocks, size, held)
        learner = second(kept)
        assert learner.run_classes is not None
        return learner.run_classes(sample.only(kept), source)

    def check(rows_bound: int, unit: int) -> None:
        refuse_overflow(
            rows_bound=rows_bound, unit=1 if first.at_once else unit, resolution=often.sums.lattice.sum_bits
        )
        first.check(rows_bound, unit)
        second(range(size)).check(rows_bound, unit)

    promise = replace(first.guarantee, epsilon=task.epsilon, proof="sparse-cards")
    return RuleLearner(first.name, promise, run, check, run_classes if first.at_once else None)


@dataclass(frozen=True)
class Often:
    """How often each literal holds, the part of that which is to be believed, and what is too little to be seen."""

    shares: Floats
    believed: float
    unseen: float

    @classmethod
    def unknown(cls, literals: int) -> Often:
        """Nothing was counted."""
        return cls(np.full(literals, 0.5), 0.0, 0.5)

    def of_patterns(self, block: Block) -> Floats:
        """How often a block shows each of its patterns: alike, as far as nothing is known."""
        patterns = np.array(block.patterns, dtype=float)
        system = np.vstack([patterns.T, np.ones(len(patterns))])
        found = np.linalg.lstsq(system, np.append(self.shares[list(block.literals)], 1.0), rcond=None)[0]
        held = np.maximum(found, self.unseen)
        return np.asarray(self.believed * held / held.sum() + (1 - self.believed) / len(patterns))


@dataclass(frozen=True)
class Frequencies:
    """Sums of the literals as ±1, and of ones."""

    sums: ClassSums

    def run(self, records: NDArray[np.uint8], shown: NDArray[np.int64], source: Randomness) -> Often:
        """``shown`` is the weight of each distinct record, for each of its rows at most the unit."""
        one = self.sums.reach
        signs = np.hstack([2 * records.astype(np.int64) - 1, np.ones((len(records), 1), dtype=np.int64)])
        found = self.sums.run(one * signs, shown[:, None], source)[:, 0] / one
        rows = max(float(found[-1]), 1.0)
        noise = self.sums.variance[0] / (2 * rows) ** 2
        return Often(np.clip((found[:-1] / rows + 1) / 2, 0, 1), SPREAD / (SPREAD + noise), max(0.002, sqrt(noise) / 2))


def heaviest(
    cards: Sequence[Query], blocks: tuple[Block, ...], size: int, often: Often | None = None
) -> tuple[int, ...]:
    """The literals that explain most of what released cards say, one at a time.

    Each block's patterns have scores, by the cards' points, and come ``often``; a literal is worth what it takes off
    the scores' variance, summed over cards.
    """
    scores = np.stack([_points(card) for card in cards], axis=1)
    known = Often.unknown(len(scores)) if often is None else often
    kept: list[int] = []
    left = [
        _Left(block, np.array(block.patterns, dtype=float) @ scores[list(block.literals)], known.of_patterns(block))
        for block in blocks
    ]
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

    def __init__(self, block: Block, scores: Floats, often: Floats) -> None:
        self.block = block
        self.roots = np.sqrt(often)[:, None]
        self.scores = self.roots * scores
        self.columns = np.array(block.patterns, dtype=float)
        self.taken: list[int] = []

    def take(self, literal: int) -> None:
        self.taken.append(literal)

    def gains(self) -> Floats:
        """By how much each literal lowers the variance; a taken one is worth less than nothing."""
        before = self._variance(self.taken)
        return np.array(
            [
                -1.0 if place in self.taken else before - self._variance([*self.taken, place])
                for place in range(self.columns.shape[1])
            ]
        )

    def _variance(self, places: list[int]) -> float:
        known = self.roots * np.hstack([self.columns[:, places], np.ones((len(self.columns), 1))])
        rest = self.scores - known @ np.linalg.lstsq(known, self.scores, rcond=None)[0]
        return float((rest * rest).sum())


def _points(card: Query) -> Floats:
    """The points of each literal."""
    found = np.zeros(len(card.owner.literals))
    form = card.owner.points(card.parts)
    for literal, value in form.terms if form is not None else ():
        found[literal] = float(value)
    return found
