"""Scoring cards: the surrogate's released weights as whole points. Post-processing, so it costs nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Halfspaces, Query
from oracledp.literals import Literals

POINTS = 25  # the largest number of points on a card


def scoring_card(weights: NDArray[np.int64], literals: Literals, *, size: int | None = None) -> Query:
    """``sum of points >= threshold`` from weights over ±1 features and an intercept (the last).

    ``size`` keeps that many features, those with the largest weights.
    """
    values = [int(value) for value in weights]
    slopes, intercept = values[:-1], values[-1]
    if size is not None and size < len(slopes):
        least = sorted(map(abs, slopes))[-size]
        slopes = [value if abs(value) >= least else 0 for value in slopes]
    largest = max([abs(value) for value in slopes] + [1])
    points = [_nearest(value * POINTS, largest) for value in slopes]
    # w·z + w0 >= 0 with z = 2x - 1 is sum 2 w_j x_j >= sum w_j - w0; on the card's scale, one point is largest/POINTS.
    needed = sum(slopes) - intercept
    threshold = -((-needed * POINTS) // (2 * largest))
    bound = sum(map(abs, points)) + 1
    card = Halfspaces(
        literals,
        weights=tuple(range(-POINTS, POINTS + 1)),
        thresholds=(max(-bound, min(bound, threshold)),),
    )
    return card.query(*(column * (2 * POINTS + 1) + point + POINTS for column, point in enumerate(points)))


def _nearest(top: int, bottom: int) -> int:
    return (2 * top + bottom) // (2 * bottom)
