"""Every bound on one selection: it holds in simulation, and there is data on which it is not vacuous."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray

from experiments import paper_bounds
from oracledp import Conjunctions, Literals, Neighbours, SeededRandomness, bounds
from oracledp.mechanisms.gaussian_bound import calibrate_variance
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.objective import Minimum, Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.oracles.registry import resolve

RUNS = 2000
BETA = 0.05
Floats = NDArray[np.float64]


def errors(losses: Floats, embedding: Floats, noise: Floats) -> Floats:
    """The error of the exact minimiser of losses plus noise on the coordinates, for each row of noise."""
    chosen = np.argmin(losses + noise @ embedding.T, axis=1)
    return np.asarray(losses[chosen] - losses.min())


def cliff(queries: int, height: float, best: int) -> Floats:
    """One query is right and all others are equally wrong: the hardest data for a selection."""
    losses = np.full(queries, height)
    losses[best] = 0
    return losses


def holds_and_bites(sample: Callable[[Floats], Floats], queries: int, bound: float, reach: float) -> None:
    """At most a share β errs above the bound on any data tried; more than β errs above ``reach`` of it somewhere."""
    worst = 0.0
    for height in (*np.arange(0.3, 1.0, 0.1), 1.001):
        found = sample(cliff(queries, height * bound, queries - 1))
        assert np.mean(found > bound) <= BETA + 5 * np.sqrt(BETA / RUNS)
        worst = max(worst, float(np.quantile(found, 1 - BETA)))
    found = sample(np.random.default_rng(0).exponential(bound / 3, queries))
    assert np.mean(found > bound) <= BETA + 5 * np.sqrt(BETA / RUNS)
    assert worst >= reach * bound


def subsets(parts: int, hot: int) -> Floats:
    rows = [[float(p in chosen) for p in range(parts)] for chosen in combinations(range(parts), hot)]
    return np.array(rows)


@pytest.mark.parametrize(("hot", "parts", "reach"), [(1, 40, 0.75), (2, 16, 0.5), (3, 12, 0.5)])
def test_k_hot(hot: int, parts: int, reach: float) -> None:
    embedding, rng = subsets(parts, hot), np.random.default_rng(5)
    epsilon = 0.5

    def sample(losses: Floats) -> Floats:
        noise = -rng.exponential(2 * hot / epsilon, size=(RUNS, parts))
        return errors(losses, embedding, noise)

    bound = bounds.rspm_k_hot(hot, parts, epsilon=epsilon, rows=1, beta=BETA)
    assert bound < bounds.rspm_k_hot_union(hot, parts, epsilon=epsilon, rows=1, beta=BETA)
    assert bounds.rspm_k_hot_tail(hot, parts, epsilon=epsilon, rows=1, error=bound) == pytest.approx(BETA, rel=1e-6)
    holds_and_bites(sample, len(embedding), bound, reach)
    mean = bounds.rspm_k_hot_mean(hot, parts, epsilon=epsilon, rows=1)
    found = max(float(sample(cliff(len(embedding), f * bound, 0)).mean()) for f in (0.2, 0.4, 0.6))
    assert 0.3 * mean < found < mean


def test_the_size_of_a_small_class_helps() -> None:
    full = bounds.rspm_k_hot(10, 200, epsilon=1, rows=1000, beta=BETA)
    assert bounds.rspm_k_hot(10, 200, epsilon=1, rows=1000, beta=BETA, size=5) < 0.5 * full
    assert bounds.rspm_k_hot(10, 200, epsilon=1, rows=1000, beta=BETA, size=10**400) == full


def test_separator_noise() -> None:
    """All patterns of eight elements: the corrected bound is a third of the paper's at the same noise."""
    elements, rng = 8, np.random.default_rng(6)
    embedding = ((np.arange(256)[:, None] >> np.arange(elements)) & 1).astype(float)

    def sample(losses: Floats) -> Floats:
        return errors(losses, embedding, rng.laplace(scale=2 * elements, size=(RUNS, elements)))

    bound = bounds.rspm_separator(elements, epsilon=1, rows=1, beta=BETA)
    same_noise = paper_bounds.rspm(elements, epsilon=0.5, rows=1, beta=BETA)
    assert bound < same_noise / 3
    holds_and_bites(sample, 256, bound, 0.4)
    mean = bounds.rspm_separator_mean(elements, epsilon=1, rows=1)
    found = max(float(sample(cliff(256, f * bound, 0)).mean()) for f in (0.2, 0.4, 0.6))
    assert 0.4 * mean < found < mean < paper_bounds.rspm_mean(elements, epsilon=0.5, rows=1)


def test_gaussian_noise() -> None:
    elements, sigma, rng = 8, 30.0, np.random.default_rng(7)
    embedding = ((np.arange(256)[:, None] >> np.arange(elements)) & 1).astype(float)

    def sample(losses: Floats) -> Floats:
        return errors(losses, embedding, rng.normal(scale=sigma, size=(RUNS, elements)))

    holds_and_bites(sample, 256, bounds.gaussian_rspm(elements, sigma=sigma, rows=1, beta=BETA), 0.35)
    mean = bounds.gaussian_rspm_mean(elements, sigma=sigma, rows=1)
    found = max(float(sample(cliff(256, f * mean, 0)).mean()) for f in (0.5, 1.0, 1.5))
    assert 0.4 * mean < found < mean


def test_the_papers_gaussian_bound_rests_on_noise_that_is_too_small() -> None:
    """E2: the noise that privacy needs grows with m, the paper's with sqrt(m)."""
    ratios = []
    for elements in (20, 160):
        variance = calibrate_variance(
            epsilon=Fraction(1), delta=Fraction(1, 10**5), shift=2, elements=elements, size=2**elements
        )
        ratios.append(variance**0.5 / paper_bounds.gaussian_sigma(elements, epsilon=1, delta=1e-5))
    assert ratios[1] > 2 * ratios[0] > 2


@pytest.mark.parametrize("size", [2, 30, 3000])
def test_the_exponential_mechanism_is_exactly_as_bad_as_its_bound_on_the_worst_data(size: int) -> None:
    bound = bounds.exponential(log(size), epsilon=1, rows=1, beta=BETA)
    others = (size - 1) * exp(-bound / 2)
    assert others / (1 + others) == pytest.approx(BETA)
    assert bound < paper_bounds.exponential(log(size), epsilon=1, rows=1, beta=BETA)
    rng = np.random.default_rng(size)
    for losses in (rng.exponential(10, size), rng.integers(0, 50, size).astype(float)):
        gaps = losses - losses.min()
        law = np.exp(-gaps / 2) / np.exp(-gaps / 2).sum()
        assert law[gaps > bound].sum() <= BETA
        assert law @ gaps <= bounds.exponential_mean(log(size), epsilon=1, rows=1)


def test_very_large_classes_do_not_overflow() -> None:
    assert bounds.exponential(5000.0, epsilon=1, rows=1e6, beta=BETA) == pytest.approx(0.01, rel=0.01)


def test_report_noisy_min() -> None:
    size, rng = 60, np.random.default_rng(8)

    def sample(losses: Floats) -> Floats:
        return errors(losses, np.eye(size), -rng.exponential(2.0, size=(RUNS, size)))

    holds_and_bites(sample, size, bounds.report_noisy_min(size, epsilon=1, rows=1, beta=BETA), 0.8)
    assert bounds.report_noisy_min(1, epsilon=1, rows=1, beta=BETA) == 0


def test_the_bounds_are_those_of_the_mechanisms() -> None:
    """The released query of the real lattice mechanisms stays within the bound that the planner prints for them."""
    queries = Conjunctions(Literals.named(*"abcdef"), max_width=2)
    rng = np.random.default_rng(9)
    records, weights = rng.integers(0, 2, (40, 6)).astype(np.uint8), rng.integers(-30, 30, 40).astype(np.int64)
    shape, source = bounds.Shape.of(queries), SeededRandomness(11)
    assert shape.elements is not None
    k_hot = bounds.rspm_k_hot(shape.hot, shape.parts, epsilon=1, rows=1, beta=BETA)
    separator = bounds.rspm_separator(shape.elements, epsilon=1, rows=1, beta=BETA, sensitivity=1)
    for embedding, bound in (("k-hot", k_hot), ("separator", separator)):
        mechanism = ReportSeparatorPerturbedMin.calibrate(
            queries,
            epsilon=Fraction(1),
            neighbours=Neighbours.REPLACE_ONE,
            oracle=resolve("exhaustive", queries),
            embedding=embedding,
        )
        objective = Objective.of(queries, records, weights, resolution=mechanism.perturbation.resolution)
        found = [mechanism.run(objective, source) for _ in range(300)]
        values = np.array([objective.value(m.parts) for m in found if isinstance(m, Minimum)])
        excess = (values - objective.all_values().min()) / 2**objective.resolution
        assert len(values) == 300
        assert np.mean(excess > bound) <= BETA + 5 * np.sqrt(BETA / 300)
    noisy = ReportNoisyMin(queries, Fraction(1), Neighbours.REPLACE_ONE)
    objective = Objective.of(queries, records, weights, resolution=noisy.resolution)
    values = np.array([objective.value(noisy.run(objective, source)) for _ in range(300)])
    excess = (values - objective.all_values().min()) / 2**objective.resolution
    bound = bounds.report_noisy_min(queries.size, epsilon=1, rows=1, beta=BETA)
    assert np.mean(excess > bound) <= BETA + 5 * np.sqrt(BETA / 300)
