"""Gaussian RSPM: its certified delta bounds the exact one, and the paper's noise does not reach it."""

from fractions import Fraction

import pytest

from oracledp.audit.exact_law import exact
from oracledp.classes import Conjunctions, Parities, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.errors import ParameterError
from oracledp.mechanisms.gaussian_bound import calibrate_variance, gaussian_delta, paper_variance
from oracledp.mechanisms.gaussian_min import GaussianReportSeparatorPerturbedMin
from oracledp.oracles.exhaustive import ExhaustiveOracle
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
