"""The private surrogate: its noise law, its certificate, and the exact density ratio of its law for m = 1."""

from fractions import Fraction
from itertools import product
from math import exp, log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.capacity import MOST_ROWS, MOST_UNIT
from oracledp.mechanisms.block_noise import ball_size, block_noise
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.mechanisms.surrogate_digits import MOST_WEIGHT
from oracledp.mechanisms.surrogate_solver import HingeProblem, _gradient_step, solve
from oracledp.mechanisms.surrogate_start import FloatProblem
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness, SystemRandomness


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
    mechanism = ConvexSurrogate((1,), epsilon, neighbours, Fraction(1, 2))
    noise = mechanism.noise_scale / 2**mechanism.noise_bits
    worst = worst_ratio(
        epsilon=epsilon, neighbours=neighbours, noise=noise, regularisation=float(mechanism.regularisation)
    )
    assert 0.5 * float(epsilon) < worst <= float(epsilon)


SQUARES = {
    (1, 1): [(a, b) for a in (-1, 1) for b in (-1, 1)],  # two columns of ±1
    (2,): [(0, 0), (1, 0), (0, 1)],  # one column of three codes, the first without a weight
}


def plane_log_density(points, records, sizes, noise, regularisation):
    """ln of the density of the minimiser at points of the plane (m = 2), by the change of variables of Lemma 2."""
    tilt = -regularisation * points
    hessian = np.zeros((len(points), 2, 2)) + regularisation * np.eye(2)
    for z, s in records:
        z = np.array(z, dtype=float)
        margin = s * points @ z
        tilt = tilt + (s * np.clip(1 - margin, 0, 1))[:, None] * z
        hessian = hessian + ((margin > 0) & (margin < 1))[:, None, None] * np.outer(z, z)
    size = np.abs(tilt).max(axis=1) if sizes == (1, 1) else np.abs(tilt).sum(axis=1)
    return -size / noise + np.log(np.linalg.det(hessian))


def worst_in_the_plane(sizes, neighbours, noise, regularisation):
    axis = np.arange(-30, 31) / 12 + 0.003
    points = np.array(list(product(axis, axis + 0.001)))
    universe = [(z, s) for z in SQUARES[sizes] for s in (-1, 1)]
    worst = 0.0
    for rest in universe:
        alone = plane_log_density(points, [rest], sizes, noise, regularisation)
        both = [plane_log_density(points, [rest, extra], sizes, noise, regularisation) for extra in universe]
        others = [alone] if neighbours is Neighbours.ADD_REMOVE else both
        worst = max(worst, *(float(np.abs(one - other).max()) for one in both for other in others))
    return worst


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize("sizes", SQUARES)
def test_the_ideal_law_keeps_its_epsilon_in_the_plane(sizes, epsilon, neighbours):
    mechanism = ConvexSurrogate(sizes, epsilon, neighbours, Fraction(1, 2))
    noise = mechanism.noise_scale / 2**mechanism.noise_bits
    worst = worst_in_the_plane(sizes, neighbours, noise, float(mechanism.regularisation))
    assert 0.4 * float(epsilon) < worst <= float(epsilon)
    assert worst_in_the_plane(sizes, neighbours, noise / 3, float(mechanism.regularisation)) > float(epsilon)


@pytest.mark.parametrize("broken", ["half the noise", "no price for the curvature"])
def test_the_density_audit_has_teeth(broken):
    epsilon = Fraction(1)
    mechanism = ConvexSurrogate((1,), epsilon, Neighbours.REPLACE_ONE, Fraction(1, 2))
    noise = mechanism.noise_scale / 2**mechanism.noise_bits / 2 if broken == "half the noise" else 2 / float(epsilon)
    worst = worst_ratio(
        epsilon=epsilon, neighbours=Neighbours.REPLACE_ONE, noise=noise, regularisation=float(mechanism.regularisation)
    )
    assert worst > float(epsilon)


def test_the_parts_of_epsilon_add_up():
    blocks = [(1,), (1,) * 44, (1, 7, 3)]
    for epsilon, sizes, neighbours in product(map(Fraction, ("1e-6", "0.01", 1, 30)), blocks, Neighbours):
        mechanism = ConvexSurrogate(sizes, epsilon, neighbours)
        moved = (neighbours.comparison_sensitivity << mechanism.noise_bits) + max(sizes)
        curvature = log1p(len(sizes) / mechanism.regularisation)
        assert curvature <= float(mechanism.curvature_cost) * (1 + 1e-12)
        spent = mechanism.curvature_cost + Fraction(moved, mechanism.noise_scale)
        assert spent + Fraction(2 * (2**12 + 1), mechanism.output_scale) <= epsilon
        assert mechanism.tolerance > 0


def norm(vector, sizes):
    starts = np.cumsum((0, *sizes[:-1]))
    return int(np.add.reduceat(np.abs(vector), starts).max())


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_size_of_a_ball_is_the_number_of_its_points(size):
    for radius in range(5):
        points = product(range(-radius, radius + 1), repeat=size)
        assert ball_size(size, radius) == sum(sum(map(abs, point)) <= radius for point in points)


@pytest.mark.statistical
@pytest.mark.parametrize("sizes", [(1, 1), (2,), (2, 1)])
def test_the_law_of_block_noise_point_by_point(sizes):
    """20,000 draws at scale 2; the frequency of each point with |u_i| <= 2 within 6.5 standard deviations of its
    probability: at most 125 two-sided tests of rate below 1e-10 (binomial tails are checked where they are normal).
    """
    draws = [tuple(block_noise(2, sizes, SystemRandomness()).tolist()) for _ in range(20_000)]
    near = product(range(-2, 3), repeat=sum(sizes))
    weight = {u: exp(-norm(np.array(u), sizes) / 2) for u in near}
    volumes = [np.prod([float(ball_size(size, r)) for size in sizes]) for r in range(200)]
    total = sum((volumes[r] - (volumes[r - 1] if r else 0)) * exp(-r / 2) for r in range(200))
    for point, mass in weight.items():
        share = mass / total
        if share * len(draws) > 50:
            spread = (share * (1 - share) / len(draws)) ** 0.5
            assert abs(draws.count(point) / len(draws) - share) < 6.5 * spread


def test_a_row_that_the_proof_does_not_cover_is_refused():
    mechanism = ConvexSurrogate((2,), Fraction(1), Neighbours.REPLACE_ONE)
    with pytest.raises(ParameterError, match="each block"):
        mechanism.run(np.array([[1, 1]], dtype=np.int8), np.array([1]), np.array([0]), SeededRandomness(1))


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 30), st.sampled_from([1, 3, 20]))
def test_a_returned_point_is_near_the_minimiser(seed, dimension, rows, unit):
    rng = np.random.default_rng(seed)
    problem = HingeProblem(
        rng.choice([-1, 0, 1], size=(rows, dimension)).astype(np.int8),
        rng.integers(0, 50, rows),
        rng.integers(0, 50, rows),
        unit,
        tuple(Fraction(int(v), 16) for v in rng.integers(-200, 200, dimension)),
        Fraction(int(rng.integers(1, 50)), 2),
    )
    place = solve(problem, Fraction(1, 2**20))
    here = np.array([value / 2**place.bits for value in place.point])
    slow = sum(
        count * s * slope(s * z @ here) * z
        for z, up, down in zip(problem.features.astype(float), problem.positive, problem.negative, strict=True)
        for count, s in ((up / unit, 1), (down / unit, -1))
    )
    slow = slow + np.array([float(t) for t in problem.tilt]) + float(problem.regularisation) * here
    exact = np.array([float(g) for g in place.gradient])
    assert np.allclose(slow, exact, atol=1e-6 * rows)
    assert np.linalg.norm(exact) <= 2**-20


def slow_gradient(problem, point, bits):
    """The same gradient row by row in Fractions, sharing no code with the solver."""
    here = [Fraction(value, 2**bits) for value in point]
    total = [tilt + problem.regularisation * w for tilt, w in zip(problem.tilt, here, strict=True)]
    for z, up, down in zip(problem.features.tolist(), problem.positive, problem.negative, strict=True):
        margin = sum(a * w for a, w in zip(z, here, strict=True))
        pull = int(down) * min(max(1 + margin, 0), 1) - int(up) * min(max(1 - margin, 0), 1)
        total = [t + Fraction(a) * pull / problem.unit for t, a in zip(total, z, strict=True)]
    return tuple(total)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 12), st.integers(0, 49), st.integers(50, 130))
def test_the_gradient_is_exact_up_to_the_largest_weight(seed, dimension, rows, size, bits):
    """Totals from a few rows to 2^50 units, points on every grid, among them points exactly on a bend."""
    rng = np.random.default_rng(seed)
    counts = [rng.integers(0, max(1, 2**size // rows), rows) for _ in range(2)]
    features = rng.choice([-1, 0, 1], size=(rows, dimension)).astype(np.int8)
    tilt = tuple(Fraction(int(v), 2**36) for v in rng.integers(-(2**40), 2**40, dimension))
    problem = HingeProblem(features, *counts, 1000, tilt, Fraction(7, 3))
    whole = [int(v) << bits for v in rng.integers(-2, 3, dimension)]
    for low in (0, 1, 1 << (bits - 1), int(rng.integers(1, 2**50))):
        point = tuple(value + int(rng.integers(-1, 2)) * low for value in whole)
        assert problem.at(point, bits).gradient == slow_gradient(problem, point, bits)


@pytest.mark.parametrize("draw", range(8))
@pytest.mark.parametrize(("weights", "rows"), [(2, 3 * 10**7), (6, 10**9), (12, 2**39)])
def test_every_noise_draw_on_many_rows_finds_its_certificate(weights, rows, draw):
    """Points on a grid of 2^-50 had no certificate for half of the draws on 3e7 rows, and for none on 1e9."""
    rng = np.random.default_rng(draw)
    features = rng.choice([-1, 1], size=(2 * weights, weights)).astype(np.int8)
    positive = rng.integers(0, rows // len(features), len(features))
    negative = rows // len(features) - positive
    mechanism = ConvexSurrogate((1,) * weights, Fraction(10), Neighbours.REPLACE_ONE)
    tilt = tuple(Fraction(int(v), 2**36) for v in rng.laplace(scale=mechanism.noise_scale, size=weights))
    problem = HingeProblem(features, positive, negative, 1, tilt, mechanism.regularisation)
    place = solve(problem, mechanism.tolerance)
    gradient = slow_gradient(problem, place.point, place.bits)
    assert sum(g * g for g in gradient) <= mechanism.tolerance**2


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 11), st.integers(1, 60), st.integers(0, 9), st.integers(0, 2))
def test_the_search_ends_where_doubles_tell_it_nothing(seed, dimension, rows, digits, kind):
    """From zero, separable rows and minimisers next to bends included; a gradient step is hardly ever needed."""
    rng = np.random.default_rng(seed)
    positive, negative = rng.integers(0, 10**digits + 1, (2, rows))
    if kind == 0:
        negative = np.zeros_like(negative)
    tilt = tuple(Fraction(int(v), 2**20) * (kind > 0) for v in rng.integers(-(2**28), 2**28, dimension))
    features = rng.choice([-1, 0, 1], size=(rows, dimension)).astype(np.int8)
    problem = HingeProblem(features, positive, negative, 1, tilt, Fraction(int(rng.integers(1, 40)), 4))
    tolerance = problem.regularisation / 2**28
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FloatProblem, "minimiser", lambda floats: np.zeros(len(floats.tilt)))
        place = solve(problem, tolerance)
    assert place.steepness <= tolerance**2


def test_a_gradient_step_shortens_the_gradient_as_the_proof_says():
    rng = np.random.default_rng(5)
    features = rng.choice([-1, 0, 1], size=(40, 4)).astype(np.int8)
    counts = rng.integers(0, 50, (2, 40))
    tilt = tuple(Fraction(int(v)) for v in rng.integers(-20, 20, 4))
    problem = HingeProblem(features, *counts, 1, tilt, Fraction(30))
    tolerance = Fraction(1, 2**20)
    here = problem.at((0,) * 4, problem.point_bits(tolerance))
    factor = (1 - problem.regularisation / (2 * problem.smoothness)) ** 2
    for _ in range(200):
        there = _gradient_step(problem, here)
        assert there.steepness <= factor * here.steepness
        here = there


def test_a_gradient_step_is_as_long_as_the_greatest_curvature_allows():
    """One weight and all rows bent: the objective is a parabola of curvature L, whose bottom is one step away."""
    problem = HingeProblem(
        np.ones((1, 1), dtype=np.int8), np.array([7]), np.array([0]), 2, (Fraction(1, 3),), Fraction(5)
    )
    here = problem.at((1 << 59,), 60)
    assert problem.smoothness == Fraction(7, 2) + 5
    there = _gradient_step(problem, here)
    assert here.steepness > 1
    assert there.steepness <= (problem.smoothness / 2**60) ** 2


def test_the_gate_refuses_by_public_numbers_before_anything_is_summed():
    mechanism = ConvexSurrogate((1, 1), Fraction(1), Neighbours.ADD_REMOVE)
    mechanism.check(MOST_ROWS, MOST_UNIT)
    assert MOST_ROWS * MOST_UNIT < MOST_WEIGHT
    with pytest.raises(CapacityError):
        mechanism.check(MOST_ROWS + 1, 1)
    with pytest.raises(ParameterError):
        mechanism.check(10, MOST_UNIT + 1)


def test_weights_beyond_64_bits_are_still_exact():
    problem = HingeProblem(
        np.array([[1, 1]], dtype=np.int8),
        np.array([1]),
        np.array([0]),
        1,
        (Fraction(-(2**20)), Fraction(0)),
        Fraction(1),
    )
    place = solve(problem, Fraction(1, 2**10))
    assert abs(place.point[0] - (2**20 << place.bits)) < 2 << place.bits
    assert place.point[0] > 1 << 63


def test_a_clear_signal_is_found_and_the_seed_repeats_it():
    signs = np.array([[1, 1], [-1, 1]], dtype=np.int8)
    mechanism = ConvexSurrogate((1, 1), Fraction(1), Neighbours.REPLACE_ONE)
    first, again = (
        mechanism.run(signs, np.array([5000, 0]), np.array([0, 5000]), SeededRandomness(3)) for _ in range(2)
    )
    assert first.tolist() == again.tolist()
    assert first[0] > 10 * abs(first[1])
