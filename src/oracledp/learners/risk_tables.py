"""What the sum of a card's points means: scores beside the probabilities that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.pictures import Card

COLUMNS = 8


def straightened(chances: NDArray[np.float64], clip: float) -> NDArray[np.float64]:
    """The chances of two classes, freed of what clipping did to them (docs/learners.md).

    Where no record pulls by more than ``clip``, descent settles where q·min(1 - p, clip) = (1 - q)·min(p, clip) for the
    share q that came true, so that q follows from p. A fifth of p stays, to keep apart what the clip made equal.

    >>> straightened(np.array([[0.5, 0.5], [0.1, 0.9]]), 0.25).round(2).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    held = np.minimum(chances, clip)
    return np.asarray(0.8 * held / held.sum(axis=1, keepdims=True) + 0.2 * chances)


def risk_table(card: Card, logit: float, clip: float = 1.0) -> list[tuple[int, float]]:
    """Some scores that a row can have, from the least to the largest, each with the probability of the second class.

    >>> from fractions import Fraction
    >>> card = Card((("smoker", Fraction(4)), ("young", Fraction(-2))), Fraction(2))
    >>> [(score, round(chance, 2)) for score, chance in risk_table(card, 0.5)][::3]
    [(-2, 0.15), (1, 0.44), (4, 0.78)]
    """
    points = [int(value) for _, value in card.points]
    low, high = sum(p for p in points if p < 0), sum(p for p in points if p > 0)
    columns = min(COLUMNS, high - low + 1)
    scores = [low + (high - low) * place // max(1, columns - 1) for place in range(columns)]
    odds = [1 / (1 + exp(_held(-logit * (score - float(card.threshold) + 0.5)))) for score in scores]
    found = straightened(np.array([[1 - chance, chance] for chance in odds]), clip)[:, 1]
    return list(zip(scores, found.tolist(), strict=True))


def _held(exponent: float) -> float:
    return max(-700.0, min(700.0, exponent))


def risk_lines(rows: Sequence[tuple[int, float]], label: object) -> list[str]:
    """The table in two lines.

    >>> risk_lines([(-2, 0.1), (10, 0.987)], "sick")
    ['  points             -2     10', '  chance of sick  10.0%  98.7%']
    """
    title = f"  chance of {label}"
    cells = [(str(score), f"{100 * chance:.1f}%") for score, chance in rows]
    wide = max(len(text) for cell in cells for text in cell) + 2
    first, second = ("".join(f"{cell[line]:>{wide}}" for cell in cells) for line in (0, 1))
    return [f"{'  points':<{len(title)}}{first}", f"{title}{second}"]
