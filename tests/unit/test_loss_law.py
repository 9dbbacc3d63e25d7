"""Every rounding of the law of many losses is upwards, and no mass is lost where it is moved."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import mpmath
import pytest

from oracledp.privacy.loss_law import _CELL, _FACTOR, _SCALE, LossLaw, _Grid, cells_of

UNIT = 1 << _FACTOR


def exact(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator


def test_the_chances_of_a_move_are_those_of_two_randomised_responses_and_rounded_up() -> None:
    """One release is a mixture of the two multiples of the step around its ε, with no less of the upper one."""
    draw = Random(1)
    with mpmath.workdps(80):
        for _ in range(60):
            step, epsilon = Fraction(draw.randrange(1, 1 << 20), 1 << 22), Fraction(draw.randrange(1, 3000), 1000)
            (least, up), (_, down), (more, above), (_, below) = _Grid(step, 4)._moves(epsilon)
            assert more == least + 1 == epsilon // step + 1
            low, here, high = (mpmath.exp(-exact(e)) for e in (least * step, epsilon, more * step))
            share = (low - here) * (1 + high) / ((1 + here) * (low - high)) * UNIT
            wanted = (share / (1 + high), share * high / (1 + high))
            for chance, found in zip(wanted, (above, below), strict=True):
                assert chance <= found < chance + 3
            rest = UNIT - share
            for chance, found in zip((rest / (1 + low), rest * low / (1 + low)), (up, down), strict=True):
                assert chance - 1 <= found < chance + 2
            assert up + down + above + below >= UNIT


@pytest.mark.parametrize("cells", range(-6, 7))
def test_moving_the_law_loses_nothing(cells: int) -> None:
    """What leaves the top is told, what leaves the bottom stays in the lowest cell; the rest is where it belongs."""
    grid, draw = _Grid(Fraction(1, 4), 4), Random(cells)
    held = [draw.randrange(1, 1 << 60) for _ in range(9)]
    grid.law = sum(mass << (_CELL * place) for place, mass in enumerate(held))
    moved, beyond = grid._moved(cells)
    wanted = [0] * 9
    for place, mass in enumerate(held):
        if place + cells < 9:
            wanted[max(place + cells, 0)] += mass
    found = cells_of(moved)
    assert found[:9] + [0] * (9 - len(found)) == wanted
    assert beyond == sum(held) - sum(wanted)


def test_room_is_rounded_down() -> None:
    """A law whose mass is half a unit above δ is beyond it."""
    mass, step = 1000, Fraction(60)  # so far up that e^-step takes nothing off
    law = LossLaw((0, 0, mass + 1), 0, step)
    assert law.epsilon(Fraction(2 * mass + 1, 2 << _SCALE)) == step
    assert law.epsilon(Fraction(mass + 1, 1 << _SCALE)) == 0
    beyond = LossLaw((0, 0, mass), 1, step)
    assert beyond.epsilon(Fraction(mass, 1 << _SCALE)) == step  # what was lost takes of the room as well
    assert beyond.epsilon(Fraction(1, 1 << _SCALE)) is None
