"""More ε never makes a card worse by rule: settings move without jumps, and so does the error that they are set for."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from oracledp.learning.automatic import MOST_SHARE, descent, recipe
from oracledp.mechanisms.gradients import MOMENTUM, Descent
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.privacy.gaussian_accounting import gaussian_mu
from oracledp.privacy.guarantee import Neighbours

DELTA = Fraction(1, 10**5)
GRID = [Fraction(round(10_000 * 0.01 * 1.03**step), 10_000) for step in range(200)]  # from 0.01 to 3.6
COARSE = [Fraction(round(1000 * 1.1**step), 10_000) for step in range(37)]  # from 0.1 to 3.1
CURVATURES = np.geomspace(0.001, 0.2, 50)  # of logistic loss in features of length one


@pytest.mark.parametrize("rows", [200, 1_500, 10_000, 200_000])
@pytest.mark.parametrize("columns", [4, 20, 100])
@pytest.mark.parametrize("classes", [2, 5])
def test_settings_rise_with_epsilon_and_never_jump(rows: int, columns: int, classes: int) -> None:
    paths = [descent(rows, epsilon, DELTA, columns, classes) for epsilon in GRID]
    for less, more in itertools.pairwise(paths):
        for name in ("steps", "rate", "clip"):
            before, after = getattr(less, name), getattr(more, name)
            assert before <= after <= 1.1 * before, name


def response(path: Descent, curvature: float) -> tuple[float, float]:
    """Of a quadratic loss: what the averaged descent leaves of the way, and the squared weight of each step's noise."""
    half = path.steps // 2
    pushed, left = [], []
    velocity, place = 1.0, -path.rate
    speed, rest = 0.0, -1.0
    for _ in range(path.steps):
        pushed.append(place)
        velocity = MOMENTUM * velocity + curvature * place
        place -= path.rate * velocity
        speed = MOMENTUM * speed + curvature * rest
        rest -= path.rate * speed
        left.append(rest)
    sums = np.concatenate([[0.0], np.cumsum(pushed)])
    heard = [sums[path.steps - step] - sums[max(0, half - step)] for step in range(path.steps)]
    return float(np.mean(left[half:])), float(np.square(np.array(heard) / (path.steps - half)).sum())


def expected_error(rows: int, epsilon: Fraction, columns: int) -> float:
    """Bias and noise of a logistic card whose columns matter alike, averaged over directions from flat to steep."""
    path = descent(rows, epsilon, DELTA, columns)
    noise = (float(path.clip) / (gaussian_mu(epsilon, DELTA) * rows)) ** 2 * path.steps
    parts = [(curvature, *response(path, curvature)) for curvature in CURVATURES]
    return float(np.mean([curvature * (columns * bias**2 + noise * heard) for curvature, bias, heard in parts]))


@pytest.mark.parametrize("rows", [100, 300, 1_000, 3_000, 30_000])
@pytest.mark.parametrize("columns", [4, 30, 100])
def test_more_epsilon_does_not_raise_the_error_that_the_rule_expects(rows: int, columns: int) -> None:
    """Where the clip opens, noise may take back a little of what is gained; three times ε always gains."""
    errors = [expected_error(rows, epsilon, columns) for epsilon in COARSE]
    best = np.minimum.accumulate(errors)
    assert (errors <= 1.1 * best).all()
    tripled = 12  # steps of a tenth
    assert all(more < less for less, more in zip(errors, errors[tripled:], strict=False))


@pytest.mark.parametrize("rows", [100, 2_000, 50_000])
@pytest.mark.parametrize("literals", [5, 40, 200])
def test_a_pure_card_hears_less_noise_and_is_smoothed_less(rows: int, literals: int) -> None:
    plans = [(epsilon, recipe(rows, epsilon, literals)) for epsilon in GRID]
    cards = [
        (plan, ConvexSurrogate((1,) * (literals + 1), epsilon, Neighbours.ADD_REMOVE, plan.curvature_share))
        for epsilon, plan in plans
    ]
    for (less, before), (more, after) in itertools.pairwise(cards):
        assert less.curvature_share <= more.curvature_share <= min(MOST_SHARE, less.curvature_share * Fraction(11, 10))
        assert after.regularisation <= before.regularisation
        assert after.noise_scale << before.noise_bits <= before.noise_scale << after.noise_bits
        assert more.thin <= less.thin
