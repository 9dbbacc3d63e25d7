"""Unseeded goodness-of-fit tests of every sampler, each with the power to see a scale that is 10 % wrong.

Each test rejects a correct sampler with probability ALPHA = 1e-8; there are fewer than 100 of them, so the
whole file fails by chance with probability below 1e-6. Cells have at least 100 expected draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

import numpy as np
import pytest
from scipy import stats

from oracledp.audit.chi_square import ALPHA, Floats, IntegerLaw, Ints, fits, sees
from oracledp.audit.chi_square import decay as exp
from oracledp.audit.sampler_laws import SYSTEM, TENTH, gaussian, laplace, rational_laplace, right_and_wrong
from oracledp.randomness import noise
from oracledp.randomness.choice import _exponential_choice

pytestmark = pytest.mark.statistical
DRAWS = 500_000


@pytest.mark.parametrize(("law", "wrong"), right_and_wrong(), ids=lambda law: law.name)
def test_law_and_power(law: IntegerLaw, wrong: IntegerLaw) -> None:
    edges, probabilities = law.cells()
    assert len(probabilities) >= 3
    assert fits(law.observed(law.draw(DRAWS)), probabilities)
    assert sees(probabilities, wrong.masses(edges), DRAWS)
    assert not fits(law.observed(wrong.draw(DRAWS)), probabilities)


@pytest.mark.parametrize("scale", [3, 1000, 2**40 + 7, 2**55])
def test_low_bits(scale: int) -> None:
    """A geometric modulo m has the law e^(-r/t), r < m: sees a fault in the last places of a large draw."""
    weights = np.array([exp(Fraction(r, scale)) for r in range(16)])
    residues = np.bincount(noise.geometric(scale, DRAWS, SYSTEM) % 16, minlength=16).astype(float)
    assert fits(residues, weights / weights.sum())


def test_neighbouring_draws_are_independent() -> None:
    values = np.minimum(noise.geometric(3, 2 * DRAWS, SYSTEM), 5).reshape(-1, 2)
    single = -np.diff([*(exp(Fraction(x, 3)) for x in range(6)), 0.0])
    observed = np.bincount(6 * values[:, 0] + values[:, 1], minlength=36).astype(float)
    assert fits(observed, np.outer(single, single).ravel())


@pytest.mark.parametrize("bound", [7, 10**6, 3 * 2**61])
def test_uniform(bound: int) -> None:
    cells = min(bound, 30)
    edges = [-(-bound * k // cells) for k in range(cells + 1)]
    values = noise.uniform(bound, DRAWS, SYSTEM)
    observed = np.bincount(np.searchsorted(edges[1:], values, side="right"), minlength=cells).astype(float)
    assert fits(observed, np.diff(np.array(edges, dtype=object)).astype(float) / bound)


def test_gaussian_in_big_integers() -> None:
    """Variances with huge terms take another path; it obeys the same test."""
    draws = 20_000
    variance = Fraction(25 * 10**40 + 1, 10**40)
    law, wrong = gaussian(variance), gaussian(variance * TENTH**2)
    edges, probabilities = law.cells()
    assert fits(law.observed(law.draw(draws)), probabilities)
    assert sees(probabilities, wrong.masses(edges), draws)


def count_true(toss: Callable[[], bool], draws: int) -> Floats:
    heads = sum(toss() for _ in range(draws))
    return np.array([heads, draws - heads], dtype=float)


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_bernoulli_exp(x: Fraction) -> None:
    draws = 80_000
    law, wrong = (np.array([exp(rate), 1 - exp(rate)]) for rate in (x, x * TENTH))
    assert fits(count_true(lambda: noise.bernoulli_exp(x, SYSTEM), draws), law)
    assert sees(law, wrong, draws)


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(999, 1000) - Fraction(1, 2)])
def test_bernoulli(p: Fraction) -> None:
    assert fits(count_true(lambda: noise.bernoulli(p, SYSTEM), 40_000), np.array([float(p), float(1 - p)]))


# ---- selection ---------------------------------------------------------------------------------------

SCORES = np.array([4, -3, 0, -3, 9, 2, 1])
RATE = Fraction(1, 5)
CHOICES = 60_000


def exponential_law(rate: Fraction) -> Floats:
    return np.array([float(low) for low, _ in noise.exponential_law(SCORES, rate)])


def permute_and_flip_law(rate: Fraction) -> Floats:
    """w_i times the integral over [0, 1] of prod_{j != i} (1 - w_j s): i comes at time s, no accepted j before."""
    weights = [exp(rate * int(score - SCORES.min())) for score in SCORES]
    law = []
    for i, weight in enumerate(weights):
        others = np.polynomial.Polynomial([1.0])
        for j, other in enumerate(weights):
            if j != i:
                others = others * np.polynomial.Polynomial([1.0, -other])
        law.append(weight * others.integ()(1.0))
    return np.array(law)


def chosen(choose: Callable[[], int]) -> Floats:
    return np.bincount([choose() for _ in range(CHOICES)], minlength=len(SCORES)).astype(float)


@pytest.mark.parametrize("bits", [1, 3, 62])
def test_exponential_choice(bits: int) -> None:
    """With few bits most draws need refinement, so the rare branches carry the law."""
    law = exponential_law(RATE)
    assert fits(chosen(lambda: _exponential_choice(SCORES, RATE, SYSTEM, bits)), law)
    assert sees(law, exponential_law(RATE * TENTH), CHOICES)


def test_permute_and_flip_choice() -> None:
    law = permute_and_flip_law(RATE)
    assert fits(chosen(lambda: noise.permute_and_flip_choice(SCORES, RATE, SYSTEM)), law)
    assert sees(law, permute_and_flip_law(RATE * TENTH), CHOICES)
    assert sees(law, exponential_law(RATE), CHOICES)


# ---- partitions --------------------------------------------------------------------------------------

Matrix = tuple[tuple[int, ...], ...]


def ways(total: int, boxes: int) -> Iterable[tuple[int, ...]]:
    return (split for split in product(range(total + 1), repeat=boxes) if sum(split) == total)


def hypergeometric_law(counts: list[int], sizes: list[int]) -> dict[Matrix, float]:
    """Matrices parts x records with the given sums; the last size is what is left out."""
    rows, law = sum(counts), {}
    partitions = factorial(rows) // prod(map(factorial, sizes))
    for columns in product(*(ways(count, len(sizes)) for count in counts)):
        matrix = tuple(zip(*columns, strict=True))
        if [sum(row) for row in matrix] == sizes:
            same = prod(factorial(sum(column)) // prod(map(factorial, column)) for column in columns)
            law[matrix[:-1]] = same / partitions
    return law


def careless_split(counts: list[int], sizes: list[int]) -> Matrix:
    """A wrong partition: rows that are too many leave in the order of the records instead of at random."""
    labels = [[] for _ in sizes]
    draws = np.random.default_rng().integers(len(sizes), size=sum(counts))
    for record, label in zip(np.repeat(np.arange(len(counts)), counts).tolist(), draws.tolist(), strict=True):
        labels[label].append(record)
    pool = []
    for rows, size in zip(labels, sizes, strict=True):
        while len(rows) > size:
            pool.append(rows.pop(0))
    for rows, size in zip(labels, sizes, strict=True):
        while len(rows) < size:
            rows.append(pool.pop(0))
    return tuple(tuple(Counter(rows)[i] for i in range(len(counts))) for rows in labels[:-1])


@pytest.mark.parametrize(("counts", "sizes"), [([2, 1, 3], [2, 3, 1]), ([5, 4], [3, 3, 3]), ([1, 1, 1, 1], [1, 3, 0])])
def test_partition(counts: list[int], sizes: list[int]) -> None:
    draws = 20_000
    law = hypergeometric_law(counts, sizes)
    array = np.array(counts)

    def tally(split: Callable[[], Matrix]) -> Floats:
        seen = Counter(split() for _ in range(draws))
        assert set(seen) <= set(law)
        return np.array([seen[matrix] for matrix in law], dtype=float)

    def split() -> Matrix:
        return tuple(map(tuple, noise.hypergeometric_split(array, sizes[:-1], SYSTEM).tolist()))

    probabilities = np.array(list(law.values()))
    assert fits(tally(split), probabilities)
    assert not fits(tally(lambda: careless_split(counts, sizes)), probabilities)


def test_partition_of_many_rows() -> None:
    """One entry of a large split is hypergeometric: the path by tallies, evictions and merges."""
    draws, counts, sizes = 10_000, np.array([300, 200, 500]), [100, 400, 250, 250]
    entries = np.array([noise.hypergeometric_split(counts, sizes, SYSTEM)[2, 1] for _ in range(draws)])
    edges = list(range(40, 62, 2))
    cdf = [
        0.0,
        *(float(sum(comb(200, k) * comb(800, 250 - k) for k in range(edge)) / comb(1000, 250)) for edge in edges),
    ]
    probabilities = np.diff([*cdf, 1.0])
    observed = np.bincount(np.searchsorted(edges, entries, side="right"), minlength=len(edges) + 1).astype(float)
    assert fits(observed, probabilities)
    binomial = np.diff([0.0, *stats.binom.cdf(np.array(edges) - 1, 200, 0.25), 1.0])
    assert sees(probabilities, binomial, draws)


# ---- an independent implementation -------------------------------------------------------------------


def same_law(left: Floats, right: Floats) -> bool:
    """The two-sample chi-square test at ALPHA."""
    return bool(stats.chi2_contingency(np.array([left, right]), correction=False).pvalue >= ALPHA)


def opendp_draws(kind: str, scale: float, draws: int) -> Ints:
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if kind == "laplace":
        release = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale)
    else:
        release = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=scale)
    return np.array(release(np.zeros(draws, dtype=np.int64)), dtype=np.int64)


@pytest.mark.parametrize(
    ("kind", "scale", "law", "wrong"),
    [
        ("laplace", 2.0, laplace(2), rational_laplace(2 * TENTH)),
        ("laplace", 50.0, laplace(50), laplace(55)),
        ("gaussian", 2.5, gaussian(Fraction(25, 4)), gaussian(Fraction(25, 4) * TENTH**2)),
    ],
    ids=["laplace 2", "laplace 50", "gaussian 5/2"],
)
def test_agrees_with_opendp(kind: str, scale: float, law: IntegerLaw, wrong: IntegerLaw) -> None:
    theirs = law.observed(opendp_draws(kind, scale, 100_000))
    assert same_law(law.observed(law.draw(DRAWS)), theirs)
    assert not same_law(law.observed(wrong.draw(DRAWS)), theirs)
