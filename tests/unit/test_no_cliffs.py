"""More ε never makes a logistic card's descent less bold, and never by a jump: no cliff in what the rule sets."""

import itertools
from fractions import Fraction

import pytest

from oracledp.learning.automatic import descent

GRID = [Fraction(round(10_000 * 0.01 * 1.03**step), 10_000) for step in range(200)]  # from 0.01 to 3.6


@pytest.mark.parametrize("rows", [200, 1_500, 10_000, 200_000])
@pytest.mark.parametrize("columns", [4, 20, 100])
def test_settings_rise_with_epsilon_and_never_jump(rows: int, columns: int) -> None:
    paths = [descent(rows, epsilon, Fraction(1, 10**5), columns) for epsilon in GRID]
    for less, more in itertools.pairwise(paths):
        for name in ("steps", "rate", "clip"):
            before, after = getattr(less, name), getattr(more, name)
            assert before <= after <= 1.1 * before, name
