"""Gaussian RSPM: its certified delta bounds the exact one, and the paper's noise does not reach it."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest

from oracledp.audit.exact_law import exact
from oracledp.classes import Conjunctions, Parities, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.errors import ParameterError
from oracledp.mechanisms.gaussian_bound import (
    _norm_bound,
    _tail_share_below,
    _union_bound,
    calibrate_variance,
    gaussian_delta,
    paper_variance,
)
from oracledp.mechanisms.gaussian_min import GaussianReportSeparatorPerturbedMin
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.privacy.accounting import zcdp_delta
from oracledp.privacy.guarantee import Neighbours


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_the_exact_delta_is_below_the_certified_one(epsilon: Fraction, neighbours: Neighbours) -> None:
    rules = ZeroOneLoss.of(Conjunctions(Literals.named("a")), Literal.boolean("y"))
    for queries in (rules, Parities(Literals.named("a", "b"), code=((1, 0), (0, 1), (1, 1)))):
        mechanism = GaussianReportSeparatorPerturbedMin.calibrate(
            queries, epsilon=epsilon, delta=Fraction(1, 1000), neighbours=neighbours, oracle=ExhaustiveOracle()
        )
        finding = exact(mechanism)
        assert finding.holds
        assert mechanism.guarantee.delta == Fraction(1, 1000)


def test_variance_grows_like_m_squared_and_the_papers_does_not() -> None:
    small, large = (
        calibrate_variance(epsilon=Fraction(1), delta=Fraction(1, 10**5), shift=2, elements=m, size=2**m)
        for m in (20, 200)
    )
    assert large > 30 * small
    assert large > 5 * paper_variance(epsilon=Fraction(1), delta=Fraction(1, 10**5), elements=200)


def test_more_noise_never_raises_the_bound() -> None:
    deltas = [
        gaussian_delta(epsilon=Fraction(1), variance=v, shift=2, elements=10, size=1024) for v in (400, 900, 1600, 3600)
    ]
    assert deltas == sorted(deltas, reverse=True)


def test_the_bound_against_the_continuous_formula() -> None:
    """(A) is above the exact Gaussian delta |Q|·[Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ)] of the continuous theorem."""
    from math import erf, exp, sqrt

    def phi(x: float) -> float:
        return 0.5 * (1 + erf(x / sqrt(2)))

    mu = sqrt(1) * 1 / 4
    continuous = 2 * (phi(mu / 2 - 1 / mu) - exp(1) * phi(-mu / 2 - 1 / mu))
    certified = gaussian_delta(epsilon=Fraction(1), variance=16, shift=1, elements=1, size=2)
    assert continuous <= float(certified) <= 20 * continuous


def weights(variance: int) -> np.ndarray:
    """e^(-x²/2σ²) for x = 0, 1, ..."""
    return np.exp(-(np.arange(40 * (int(sqrt(variance)) + 1)) ** 2) / (2 * variance))


def share(start: int, variance: int) -> float:
    """Pr[η >= start] with zero counted twice in the sum of all weights, as the certified share has it."""
    return float(weights(variance)[start:].sum() / (2 * weights(variance).sum()))


@pytest.mark.parametrize(
    ("epsilon", "variance", "shift", "elements"),
    [("1", 16, 1, 1), ("1", 30, 2, 2), ("1/2", 200, 1, 3), ("3", 7, 3, 1), ("2", 90, 5, 3), ("1/10", 9000, 1, 4)],
)
def test_the_norm_s_tail_is_bounded_by_the_best_chernoff_bound(
    epsilon: str, variance: int, shift: int, elements: int
) -> None:
    """(B) against the tail itself, summed up over all draws, and against its own formula at every tilt."""
    single = weights(variance) * np.where(np.arange(len(weights(variance))) > 0, 2, 1)  # of |η|
    c = (2 * variance * float(Fraction(epsilon)) - elements * shift**2) / (2 * shift)
    norm = np.ones(1)
    for _ in range(elements):
        norm = np.convolve(norm, single / single.sum())
    tail = float(norm[np.arange(len(norm)) > c].sum())
    best = 0.0
    for s in range(1, int(8 * sqrt(variance)) + 2):
        factor = log(2 * (1 - share(s + 1, variance))) + s * s / (2 * variance)
        best = min(best, elements * factor - s * c / variance)
    found = float(_norm_bound(Fraction(epsilon), variance, shift, elements))
    assert c > 0
    assert tail <= found == pytest.approx(exp(best), rel=1e-3)


@pytest.mark.parametrize("variance", [1, 2, 50, 3000])
def test_shares_of_tails_are_rounded_down_and_hardly(variance: int) -> None:
    true = weights(variance) / (2 * weights(variance).sum() - 1)
    for start in (1, 2, int(sqrt(variance)) + 1, 3 * int(sqrt(variance)) + 3):
        found = float(_tail_share_below(start, variance))
        assert found == pytest.approx(share(start, variance), rel=1e-9, abs=1e-25)
        assert found <= true[start:].sum()


def test_a_variance_too_small_or_too_large_leaves_the_union_bound() -> None:
    assert _norm_bound(Fraction(8), 4, 8, 1) == 1  # c = 0
    assert _norm_bound(Fraction(1), (1 << 22) + 1, 1, 1) == 1
    assert _norm_bound(Fraction(1, 100), 1 << 22, 1, 1) < 1


def test_the_union_is_over_all_queries_and_all_elements() -> None:
    one = zcdp_delta(Fraction(3 * 4, 2 * 100), Fraction(1))
    assert _union_bound(Fraction(1), 100, 2, 3, 7) == 7 * one
    assert gaussian_delta(epsilon=Fraction(1), variance=100, shift=2, elements=3, size=7) <= 7 * one


def test_a_solver_with_its_own_ties_is_refused() -> None:
    class OwnTies(ExhaustiveOracle):
        @property
        def fixed_ties(self) -> bool:
            return False

    with pytest.raises(ParameterError, match="fixed order"):
        GaussianReportSeparatorPerturbedMin.calibrate(
            Conjunctions(Literals.named("a")),
            epsilon=Fraction(1),
            delta=Fraction(1, 100),
            neighbours=Neighbours.REPLACE_ONE,
            oracle=OwnTies(),
        )
