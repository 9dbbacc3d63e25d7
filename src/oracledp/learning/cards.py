"""Scoring cards: the surrogate's released weights as whole points. Post-processing, so it costs nothing."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Halfspaces, Query
from oracledp.data.literals import Literals
from oracledp.learning.blocks import Block

POINTS = 25  # the largest number of points on a card
FAR = 1 << 20  # the furthest threshold of a card that tells probabilities


def cards_of(
    slopes: NDArray[np.float64], constants: NDArray[np.float64], literals: Literals
) -> tuple[tuple[Query, ...], float]:
    """Scores per output (literals × outputs) as cards on one scale, and what a point is worth."""
    worth = (float(np.abs(slopes).max()) or 1.0) / POINTS
    cards = tuple(
        _card(slopes[:, place] / worth, constants[place] / worth, literals, FAR) for place in range(slopes.shape[1])
    )
    return cards, worth


def scoring_card(weights: NDArray[np.int64], blocks: tuple[Block, ...], literals: Literals) -> Query:
    """``sum of points >= threshold`` from the weights of blocks and an intercept (the last)."""
    slopes, constant = _by_literal(weights.astype(np.float64), blocks, len(literals))
    worth = (float(np.abs(slopes).max()) or 1.0) / POINTS
    return _card(slopes / worth, constant / worth, literals)


def _card(slopes: NDArray[np.float64], constant: float, literals: Literals, far: int = 0) -> Query:
    """Slopes of at most POINTS as whole points, and the threshold that goes with them.

    Beyond what the points can reach a threshold only decides; where it also tells a probability it may lie ``far``.
    """
    points = np.rint(slopes).astype(int).tolist()
    bound = max(far, sum(map(abs, points)) + 1)
    threshold = ceil(max(-bound, min(bound, -constant)))
    card = Halfspaces(literals, weights=tuple(range(-POINTS, POINTS + 1)), thresholds=(threshold,))
    return card.query(*(column * (2 * POINTS + 1) + point + POINTS for column, point in enumerate(points)))


def _by_literal(
    weights: NDArray[np.float64], blocks: tuple[Block, ...], count: int
) -> tuple[NDArray[np.float64], float]:
    """The score as a number per literal and a constant."""
    slopes = np.zeros(count)
    constant, start = float(weights[-1]), 0
    for block in blocks:
        own, offset = block.points(weights[start : start + block.size])
        slopes[list(block.literals)] = own
        constant += offset
        start += block.size
    return slopes, constant
