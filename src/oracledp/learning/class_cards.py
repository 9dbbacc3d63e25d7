"""Scoring cards for several classes under pure ε: noisy sums by class, turned into one card each.

All that follows the sums is post-processing: means that are drawn together as far as their noise asks for, and the
linear discriminant of classes that are spread alike.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from oracledp.learning.cards import cards_of
from oracledp.learning.feature_maps import position_map
from oracledp.learning.sample import ClassSample, Sample
from oracledp.learning.task import Cards, Learned, RuleLearner, Task
from oracledp.mechanisms.class_sums import ClassSums
from oracledp.oracles.base import Certificate, Trust
from oracledp.randomness.source import Randomness

SHARPNESS = 2.0  # the inverse of a position's variance within a class
LEAST_SPREAD = 0.03  # of the means of the classes, squared: where noise hides it, some is still believed
DOUBT = 0.2  # π/8 times a position's mean square: how much a variance left in the means flattens probabilities
LEAST_RATE = 0.1  # of a class, in even shares

Floats = NDArray[np.float64]


def class_learner(task: Task) -> RuleLearner:
    """All classes in one run, so that they do not divide ε (proofs/class-sums.md)."""
    classes = max(2, task.classes)
    encoding, sizes = position_map(task.blocks, len(task.literals))
    mechanism = ClassSums(sizes, classes, task.epsilon, task.neighbours)
    certificate = Certificate(Trust.PROVED, mechanism.name)

    def run_classes(sample: ClassSample, source: Randomness) -> Cards:
        shares = None if sample.row_weights is None else (sample.row_weights, sample.heaviest)
        features = encoding.features(sample.records)
        released = mechanism.run(features, sample.shown, source, shares=shares)
        noise = np.repeat(mechanism.variance, sizes)
        slopes, constants = discriminants(released / mechanism.reach, noise, np.array(sample.weights, dtype=float))
        slopes = np.vstack([slopes, constants])
        if classes == 2:
            slopes = slopes[:, 1:] - slopes[:, :1]
        per_literal, offsets = encoding.by_literal(slopes / mechanism.reach)
        queries, logit = cards_of(per_literal, offsets, task.literals)
        return Cards(queries, certificate, float(f"{logit:.1e}"))  # two digits: more are noise

    def run(sample: Sample, source: Randomness) -> Learned:
        return Learned(run_classes(sample.by_class, source).queries[0], certificate, mechanism.name)

    return RuleLearner(mechanism.name, mechanism.guarantee, run, mechanism.check, run_classes)


def discriminants(sums: Floats, noise: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Slopes (features × classes) and constants of each class's score, from noisy sums of which the last are counts.

    ``noise`` is the variance of each feature's sums. A mean keeps the part of its distance from that of all classes
    which its noise does not explain.

    >>> slopes, constants = discriminants(np.array([[50.0, -50.0], [100, 100]]), np.array([1.0, 1]), np.ones(2))
    >>> bool(slopes[0, 0] > 0 > slopes[0, 1]), bool(abs(constants[0] - constants[1]) < 1e-9)
    (True, True)
    """
    classes = len(weights)
    rows = max(float(sums[-1].sum()), sqrt(classes * float(noise[-1])), float(classes))  # no fewer than noise can hide
    rates = _rates(sums[-1], rows, float(noise[-1]))
    middle = np.clip(sums[:-1].sum(axis=1, keepdims=True) / rows, -1, 1)
    middle = middle / (1 + 3 * classes * noise[:-1, None] / rows**2)
    apart = sums[:-1] / (rates * rows) - middle
    blurred = noise[:-1, None] / (rates * rows) ** 2
    clear = np.maximum(apart**2 - blurred, -blurred)
    spread = (np.maximum(clear.mean(axis=1, keepdims=True), 0) + max(LEAST_SPREAD, float(clear.mean()))) / 2
    kept = spread / (spread + blurred)
    apart = apart * kept
    sharpness = SHARPNESS / sqrt(1 + DOUBT * SHARPNESS**2 * float((kept * blurred).sum()) / classes)
    wanted = rates * weights
    constants = np.log(wanted / wanted.sum()) - sharpness * (middle * apart + apart**2 / 2).sum(axis=0)
    return sharpness * apart, constants


def _rates(counts: Floats, rows: float, noise: float) -> Floats:
    """The share of each class, drawn towards even shares as far as the noise asks for."""
    classes = len(counts)
    apart, blurred = counts / rows - 1 / classes, noise / rows**2
    spread = max(0.01 / classes, float((apart**2).mean()) - blurred)
    rates = np.maximum(1 / classes + apart * spread / (spread + blurred), LEAST_RATE / classes)
    return np.asarray(rates / rates.sum())
