"""Scoring cards: the surrogate's released weights as whole points. Post-processing, so it costs nothing."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Halfspaces, Query
from oracledp.data.literals import Literals
from oracledp.learning.blocks import Block

POINTS = 25  # the largest number of points on a card


def scoring_card(
    weights: NDArray[np.int64], blocks: tuple[Block, ...], literals: Literals, *, size: int | None = None
) -> Query:
    """``sum of points >= threshold`` from the weights of blocks and an intercept (the last).

    ``size`` keeps that many literals, those with the most points; each other counts as its average.
    """
    slopes, constant = _by_literal(weights.astype(np.float64), blocks, len(literals), size)
    largest = float(np.abs(slopes).max()) or 1.0
    points = np.rint(slopes / largest * POINTS).astype(int).tolist()
    bound = sum(map(abs, points)) + 1
    threshold = ceil(max(-bound, min(bound, -constant / largest * POINTS)))
    card = Halfspaces(literals, weights=tuple(range(-POINTS, POINTS + 1)), thresholds=(threshold,))
    return card.query(*(column * (2 * POINTS + 1) + point + POINTS for column, point in enumerate(points)))


def _by_literal(
    weights: NDArray[np.float64], blocks: tuple[Block, ...], count: int, size: int | None
) -> tuple[NDArray[np.float64], float]:
    """The score as a number per literal and a constant."""
    slopes, averages = np.zeros(count), np.zeros(count)
    constant, start = float(weights[-1]), 0
    for block in blocks:
        own, offset = block.points(weights[start : start + block.size])
        slopes[list(block.literals)], averages[list(block.literals)] = own, block.average
        constant += offset
        start += block.size
    if size is not None and size < count:
        dropped = np.argsort(-np.abs(slopes), kind="stable")[size:]
        constant += float(slopes[dropped] @ averages[dropped])
        slopes[dropped] = 0
    return slopes, constant
