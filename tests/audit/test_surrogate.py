"""The private surrogate: its noise law, its certificate, and the exact density ratio of its law for m = 1."""

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.guarantee import Neighbours
from oracledp.mechanisms.cube_noise import cube_noise
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.mechanisms.surrogate_solver import POINT_BITS, HingeProblem, solve
from oracledp.randomness import SeededRandomness, SystemRandomness


def slope(margin):
    return -min(max(1 - margin, 0), 1)


def bend(margin):
    return 1 if 0 < margin < 1 else 0


def log_density(w, records, scale_per_unit, regularisation):
    """ln of the density of the minimiser at w (m = 1), by the change of variables of Lemma 2."""
    tilt = -sum(c * s * slope(s * z * w) * z for z, s, c in records) - regularisation * w
    return -abs(tilt) / scale_per_unit + log(sum(c * bend(s * z * w) for z, s, c in records) + regularisation)


RECORDS = [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, 1)]


def worst_ratio(*, epsilon, neighbours, noise, regularisation):
    grid = [k / 64 + 1 / 1000 for k in range(-200, 200)]
    worst = 0.0
    for rest in product(RECORDS, repeat=2):
        others = [list(rest)] if neighbours is Neighbours.ADD_REMOVE else [[*rest, extra] for extra in RECORDS]
        for first in ([*rest, extra] for extra in RECORDS):
            for second in others:
                gaps = [
                    abs(log_density(w, first, noise, regularisation) - log_density(w, second, noise, regularisation))
                    for w in grid
                ]
                worst = max(worst, *gaps)
    return worst


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_the_ideal_law_keeps_its_epsilon_in_one_dimension(epsilon, neighbours):
    mechanism = ConvexSurrogate(1, epsilon, neighbours, Fraction(1, 2))
    noise = mechanism.noise_scale / 2**36
    worst = worst_ratio(
        epsilon=epsilon, neighbours=neighbours, noise=noise, regularisation=float(mechanism.regularisation)
    )
    assert 0.5 * float(epsilon) < worst <= float(epsilon)


@pytest.mark.parametrize("broken", ["half the noise", "no price for the curvature"])
def test_the_density_audit_has_teeth(broken):
    epsilon = Fraction(1)
    mechanism = ConvexSurrogate(1, epsilon, Neighbours.REPLACE_ONE, Fraction(1, 2))
    noise = mechanism.noise_scale / 2**36 / 2 if broken == "half the noise" else 2 / float(epsilon)
    worst = worst_ratio(
        epsilon=epsilon, neighbours=Neighbours.REPLACE_ONE, noise=noise, regularisation=float(mechanism.regularisation)
    )
    assert worst > float(epsilon)


def test_the_parts_of_epsilon_add_up():
    for epsilon, dimension, neighbours in product([Fraction(1, 100), Fraction(1), Fraction(30)], [1, 44], Neighbours):
        mechanism = ConvexSurrogate(dimension, epsilon, neighbours)
        moved = (neighbours.comparison_sensitivity << 36) + 1
        spent = Fraction(dimension) / mechanism.regularisation + Fraction(moved, mechanism.noise_scale)
        assert spent + Fraction(2 * (2**12 + 1), mechanism.output_scale) <= epsilon


@pytest.mark.statistical
def test_the_cube_law_by_its_radius_and_its_faces():
    """20,000 draws at scale 3, m = 2; each frequency within 6 standard deviations: error rate < 1e-7 over 12 tests."""
    draws = np.array([cube_noise(3, 2, SystemRandomness()) for _ in range(20_000)])
    radii = np.abs(draws).max(axis=1)
    masses = [((2 * r + 1) ** 2 - max(2 * r - 1, 0) ** 2 if r else 1) * exp(-r / 3) for r in range(400)]
    for radius in range(12):
        share = masses[radius] / sum(masses)
        spread = (share * (1 - share) / len(radii)) ** 0.5
        assert abs(np.mean(radii == radius) - share) < 6 * spread


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 30), st.sampled_from([1, 3, 20]))
def test_a_returned_point_is_near_the_minimiser(seed, dimension, rows, unit):
    rng = np.random.default_rng(seed)
    problem = HingeProblem(
        rng.choice([-1, 1], size=(rows, dimension)).astype(np.int8),
        rng.integers(0, 50, rows),
        rng.integers(0, 50, rows),
        unit,
        tuple(Fraction(int(v), 16) for v in rng.integers(-200, 200, dimension)),
        Fraction(int(rng.integers(1, 50)), 2),
    )
    point = solve(problem, Fraction(1, 2**20))
    here = point.astype(float) / 2**POINT_BITS
    slow = sum(
        count * s * slope(s * z @ here) * z
        for z, up, down in zip(problem.signs.astype(float), problem.positive, problem.negative, strict=True)
        for count, s in ((up / unit, 1), (down / unit, -1))
    )
    slow = slow + np.array([float(t) for t in problem.tilt]) + float(problem.regularisation) * here
    exact = np.array([float(g) for g in problem.gradient(point)])
    assert np.allclose(slow, exact, atol=1e-6 * rows)
    assert np.linalg.norm(exact) <= 2**-20


def test_weights_beyond_64_bits_are_still_exact():
    problem = HingeProblem(
        np.array([[1, 1]], dtype=np.int8),
        np.array([1]),
        np.array([0]),
        1,
        (Fraction(-(2**20)), Fraction(0)),
        Fraction(1),
    )
    point = solve(problem, Fraction(1, 2**10))
    assert point.dtype == object
    assert abs(int(point[0]) - (2**20 << POINT_BITS)) < 1 << (POINT_BITS + 1)


def test_a_clear_signal_is_found_and_the_seed_repeats_it():
    signs = np.array([[1, 1], [-1, 1]], dtype=np.int8)
    mechanism = ConvexSurrogate(2, Fraction(1), Neighbours.REPLACE_ONE)
    first, again = (
        mechanism.run(signs, np.array([5000, 0]), np.array([0, 5000]), SeededRandomness(3)) for _ in range(2)
    )
    assert first.tolist() == again.tolist()
    assert first[0] > 10 * abs(first[1])
