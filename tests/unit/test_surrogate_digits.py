"""Sums of fixed-point numbers as digits are the sums of the numbers themselves, and so are their cuts to [0, 1]."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from oracledp.errors import CapacityError
from oracledp.mechanisms.surrogate_digits import Digits


def numbers(draw: Random, bits: int) -> list[int]:
    """Small and large ones of either sign, and some that add up to whole numbers or miss them by a unit."""
    one = 1 << bits
    return [draw.randrange(-one, one), -one, one // 2, 1, -1, draw.randrange(-3, 4) * one // 3, -(one << 33), one << 33]


@pytest.mark.parametrize("bits", [1, 7, 36, 61, 100])
@pytest.mark.parametrize("total", [1, 1 << 20, (1 << 50) - 1])
def test_products_and_cuts_are_exact(bits: int, total: int) -> None:
    draw = Random(bits * total)
    values = numbers(draw, bits)
    digits = Digits.of(values, bits, total)
    features = np.array([[draw.choice((-1, 0, 1)) for _ in values] for _ in range(60)], dtype=np.float64)
    features[:12, 5:] = 0  # margins near 0 and 1 among them
    margins = digits.products(features)
    cut, inside = digits.clipped(margins)
    for row, margin, held, within in zip(features, margins, cut, inside, strict=True):
        exact = Fraction(sum(int(sign) * value for sign, value in zip(row, values, strict=True)), 1 << bits)
        assert digits.value(margin) == exact
        assert digits.value(held) == min(max(1 + exact, Fraction(0)), Fraction(1))
        assert within == (0 <= 1 + exact < 1)
        assert all(0 <= digit < 1 << digits.size for digit in held[1:].tolist())  # or weighted sums would not be exact


def test_digits_leave_room_for_the_weights() -> None:
    """52 bits hold a digit times all the weight; digits have 36 bits at most."""
    assert [Digits.of([1], 100, total).size for total in (1, (1 << 16) - 1, 1 << 16, (1 << 50) - 1)] == [36, 36, 35, 2]


def test_points_that_are_too_far_are_refused() -> None:
    Digits.of([(1 << 61) - 1], 0, 1)
    with pytest.raises(CapacityError):
        Digits.of([1 << 60, -(1 << 60)], 0, 1)
