"""Logistic scoring cards under (ε, δ), for two classes or for several at once, by noisy gradients."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.learning.blocks import Block
from oracledp.learning.cards import cards_of
from oracledp.learning.feature_maps import FeatureMap, feature_map
from oracledp.learning.sample import ClassSample, Sample
from oracledp.learning.task import Cards, Learned, RuleLearner, Task
from oracledp.mechanisms.gradients import Descent, NoisyGradients
from oracledp.mechanisms.growing_gradients import GrowingGradients
from oracledp.oracles.base import Certificate, Trust
from oracledp.randomness.lattice import lattice
from oracledp.randomness.source import Randomness


def gradient_learner(task: Task, descent: Descent) -> RuleLearner:
    """All classes in one run, so that they share neither ε nor δ (proofs/gradient-cards.md)."""
    assert task.delta is not None
    encoding = _encoding(task.blocks, len(task.literals), lattice().feature_length)
    mechanism = NoisyGradients(
        features=encoding.count,
        longest=encoding.longest,
        reach=encoding.reach,
        outputs=1 if task.classes <= 2 else task.classes,
        descent=descent,
        epsilon=task.epsilon,
        delta=task.delta,
        neighbours=task.neighbours,
    )
    certificate = Certificate(Trust.PROVED, mechanism.name)

    def run_classes(sample: ClassSample, source: Randomness) -> Cards:
        features = encoding.rows(sample.packed) if task.classes <= 2 else encoding.features(sample.records)
        shares = _shares(sample)
        weights = mechanism.run(features, sample.shown, source, weights=sample.weights, shares=shares)
        queries, logit = cards_of(*encoding.by_literal(weights), task.literals)
        return Cards(queries, certificate, logit, _bent(queries, sample, descent))

    def run(sample: Sample, source: Randomness) -> Learned:
        return Learned(run_classes(sample.by_class, source).queries[0], certificate, mechanism.name)

    return RuleLearner(mechanism.name, mechanism.guarantee, run, mechanism.check, run_classes)


def growing_learner(task: Task, descent: Descent) -> RuleLearner:
    """Cards of ``size`` lines, chosen while they are fitted (proofs/sparse-cards.md)."""
    assert task.delta is not None
    assert task.size is not None
    mechanism = GrowingGradients(
        literals=len(task.literals),
        lines=task.size,
        outputs=1 if task.classes <= 2 else task.classes,
        descent=descent,
        epsilon=task.epsilon,
        delta=task.delta,
        neighbours=task.neighbours,
    )
    certificate = Certificate(Trust.PROVED, mechanism.name)

    def run_classes(sample: ClassSample, source: Randomness) -> Cards:
        few = mechanism.run(sample.records, sample.shown, source, weights=sample.weights, shares=_shares(sample))
        kept = Literals(tuple(task.literals[number] for number in few.literals))
        queries, logit = cards_of(few.slopes, few.constants, kept)
        return Cards(queries, certificate, logit, _bent(queries, sample, descent))

    def run(sample: Sample, source: Randomness) -> Learned:
        return Learned(run_classes(sample.by_class, source).queries[0], certificate, mechanism.name)

    return RuleLearner(mechanism.name, mechanism.guarantee, run, mechanism.check, run_classes)


def _bent(queries: tuple[Query, ...], sample: ClassSample, descent: Descent) -> float:
    """The largest residual that a record pulled with, where that can be undone: two classes of one weight."""
    return float(descent.clip) if len(queries) == 1 and len(set(sample.weights)) == 1 else 1.0


def _shares(sample: ClassSample) -> tuple[NDArray[np.int64], int] | None:
    return None if sample.row_weights is None else (sample.row_weights, sample.heaviest)


@lru_cache(maxsize=16)
def _encoding(blocks: tuple[Block, ...], literals: int, length: int) -> FeatureMap:
    return feature_map(blocks, literals, length)
