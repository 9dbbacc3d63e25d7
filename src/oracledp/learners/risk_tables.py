"""What the sum of a card's points means: scores beside the probabilities that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from oracledp.classes.pictures import Card

COLUMNS = 8


def risk_table(card: Card, logit: float) -> list[tuple[int, float]]:
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
    return [(score, 1 / (1 + exp(_held(-logit * (score - float(card.threshold) + 0.5))))) for score in scores]


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
