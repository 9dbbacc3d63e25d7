"""One-run canaries refute what they should and nothing else; each run errs with probability at most 1e-8."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy import stats

from oracledp.audit.canaries import DELTA, chance, findings, one_run, refuted_epsilon
from oracledp.privacy.guarantee import Guarantee, Neighbours

CLAIM = Guarantee(epsilon=Fraction(1), delta=DELTA, neighbours=Neighbours.ADD_REMOVE, proof="none")


def test_the_bound_is_the_binomial_tail_and_grows_with_delta() -> None:
    assert chance(80, 100, 1.0, Fraction(0)) == pytest.approx(stats.binom.sf(79, 100, exp(1) / (1 + exp(1))))
    assert chance(80, 100, 1.0, Fraction(1, 1000)) > chance(80, 100, 1.0, Fraction(0))
    assert chance(0, 100, 1.0, Fraction(0)) == 1


def test_a_refuted_epsilon_is_below_alpha_and_the_next_is_not() -> None:
    for right in (150, 180, 200):
        found = refuted_epsilon(right, 200, DELTA)
        assert chance(right, 200, found, DELTA) < 1e-8 <= chance(right, 200, found + 2e-3, DELTA)
    assert refuted_epsilon(120, 200, DELTA) == 0.0


def responses(epsilon: float):
    """Randomised response on each canary: exactly epsilon."""
    chance_true = exp(epsilon) / (1 + exp(epsilon))
    rng = np.random.default_rng()
    return lambda coins: np.where(rng.random(len(coins)) < chance_true, coins, ~coins).astype(float)


@pytest.mark.statistical
def test_randomised_response_is_refuted_only_where_it_lies() -> None:
    """At ε = 6 about 995 of 1000 guesses are right: the claim of 1 falls by more than 15 standard deviations."""
    assert one_run("honest", responses(1.0), CLAIM, canaries=1000).holds
    assert one_run("liar", responses(6.0), CLAIM, canaries=1000).broken


@pytest.mark.statistical
def test_the_synthesizer_survives() -> None:
    assert all(finding.holds for finding in findings())
