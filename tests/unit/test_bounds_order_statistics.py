"""The exact quantile of the top-k sum (T6) against an exact formula, simulation and the union bound."""

from fractions import Fraction
from math import exp, factorial, prod

import numpy as np
import pytest

from oracledp.bounds import gamma_tail, harmonic, top_sum_mean, top_sum_quantile, top_sum_tail
from oracledp.bounds.order_statistics import union_sum_quantile
from oracledp.errors import ParameterError


@pytest.mark.parametrize(("largest", "count"), [(1, 2), (1, 7), (2, 5), (3, 4), (3, 9), (4, 12)])
@pytest.mark.parametrize("at", [0.5, 2.0, 6.0, 15.0])
def test_the_tail_is_that_of_the_hypoexponential_law(largest: int, count: int, at: float) -> None:
    """sum_{i<=k} E_i + k·sum_{i=k+1}^M E_i/i by partial fractions in exact rationals, for small M."""
    rates = [Fraction(i, largest) for i in range(largest + 1, count + 1)]
    assert top_sum_tail(largest, count, at) == pytest.approx(_partial_fractions(largest, rates, at), abs=1e-9)


def _partial_fractions(multiplicity: int, rates: list[Fraction], at: float) -> float:
    """The tail of Gamma(k) plus exponentials of distinct rates: residues of prod (1+s/r)^-1 (1+s)^-k / s."""
    total = 0.0
    for rate in rates:
        weight = prod((other / (other - rate) for other in rates if other != rate), start=Fraction(1))
        total += float(weight / (1 - rate) ** multiplicity) * exp(-float(rate) * at)
    series = _taylor(rates, multiplicity)
    for power, coefficient in enumerate(series):  # coefficient of (1+s)^power in prod (1+s/r)^-1
        total += float(coefficient) * float(gamma_tail(multiplicity - power, at))
    return total


def _taylor(rates: list[Fraction], terms: int) -> list[Fraction]:
    """The expansion of prod r/(r-1+u) in u = 1+s, up to the term that is asked for."""
    series = [Fraction(1)] + [Fraction(0)] * (terms - 1)
    for rate in rates:
        factor = [rate / (rate - 1) * (Fraction(-1) / (rate - 1)) ** i for i in range(terms)]
        series = [sum((series[j] * factor[i - j] for j in range(i + 1)), Fraction(0)) for i in range(terms)]
    return series


@pytest.mark.parametrize(("largest", "count"), [(1, 50), (3, 74), (5, 200), (4, 4)])
def test_the_quantile_against_simulation(largest: int, count: int) -> None:
    draws = np.random.default_rng(3).exponential(size=(40_000, count))
    sums = np.sort(draws, axis=1)[:, -largest:].sum(axis=1)
    for beta in (0.5, 0.1, 0.01):
        above = float(np.mean(sums > top_sum_quantile(largest, count, beta)))
        assert abs(above - beta) < 5 * np.sqrt(beta / 40_000)  # five standard deviations
    assert sums.mean() == pytest.approx(top_sum_mean(largest, count), rel=0.01)


@pytest.mark.parametrize(
    ("largest", "count", "least", "most"), [(3, 74, 0.2, 0.35), (3, 145, 0.2, 0.35), (8, 60, 0.4, 0.6)]
)
def test_the_exact_quantile_is_far_below_the_union_bound(largest: int, count: int, least: float, most: float) -> None:
    saved = 1 - top_sum_quantile(largest, count, 0.05) / union_sum_quantile(largest, count, 0.05)
    assert least < saved < most


def test_one_exponential_of_very_many() -> None:
    """The largest of M has the tail 1 - (1-e^-a)^M, also for an M that no array could hold."""
    quantile = top_sum_quantile(1, 10**12, 0.05)
    assert -np.expm1(10**12 * np.log1p(-np.exp(-quantile))) == pytest.approx(0.05, rel=1e-6)


def test_harmonic_numbers_meet_where_the_formula_changes() -> None:
    assert harmonic(100) - harmonic(99) == pytest.approx(1 / 100, abs=1e-10)


def test_gamma_tail_of_integers() -> None:
    x = 3.7
    assert float(gamma_tail(4, x)) == pytest.approx(exp(-x) * sum(x**j / factorial(j) for j in range(4)))


@pytest.mark.parametrize(("largest", "count"), [(0, 5), (6, 5)])
def test_impossible_sums_are_refused(largest: int, count: int) -> None:
    with pytest.raises(ParameterError, match="top sum"):
        top_sum_tail(largest, count, 1.0)


@pytest.mark.parametrize("beta", [0.0, 1.0, -1.0])
def test_beta_is_a_probability(beta: float) -> None:
    with pytest.raises(ParameterError, match="beta"):
        top_sum_quantile(2, 5, beta)
