"""A budget cut into exact parts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_GRAIN = 2**40  # budgets are split into multiples of rho / 2^40, rounded down


def split(rho: Fraction, weights: Sequence[float]) -> list[Fraction]:
    """Exact parts of a budget in proportion to float weights; the meter refuses should their sum ever exceed it.

    >>> sum(split(Fraction(1), [3.0, 0.0, 1.0])) <= 1
    True
    """
    total = sum(weights)
    return [
        rho * Fraction(max(int(_GRAIN * weight / total * (1 - 1e-7)), 1), _GRAIN) if weight > 0 else Fraction(0)
        for weight in weights
    ]
