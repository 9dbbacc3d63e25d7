"""Composition against known figures, other accountants, and brute force."""

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest

from oracledp.exact.roots import sqrt_below
from oracledp.privacy.accounting import (
    exp_above,
    exp_below,
    homogeneous_delta,
    homogeneous_epsilon,
    zcdp_delta,
    zcdp_rho,
)
from oracledp.privacy.gaussian_accounting import DISCRETE, GaussianBudget, gaussian_budget, gaussian_delta

MILLIONTH = Fraction(1, 10**6)


@pytest.mark.parametrize(("epsilon", "rho"), [("1", 0.0244), ("0.1", 0.00032), ("3", 0.185)])
def test_rho_of_the_literature(epsilon: str, rho: float) -> None:
    found = zcdp_rho(Fraction(epsilon), MILLIONTH)
    assert float(found) == pytest.approx(rho, rel=0.03)
    assert zcdp_delta(found, Fraction(epsilon)) <= MILLIONTH
    assert zcdp_delta(found * Fraction(101, 100), Fraction(epsilon)) > MILLIONTH


@pytest.mark.parametrize(("rounds", "per_round"), [(10, 0.1000), (100, 0.0240), (1000, 0.0075)])
def test_homogeneous_composition_figures(rounds: int, per_round: float) -> None:
    found = homogeneous_epsilon(Fraction(1), MILLIONTH, rounds)
    assert float(found) == pytest.approx(per_round, abs=0.0001)
    assert homogeneous_delta(found, rounds, Fraction(1)) <= MILLIONTH


def test_homogeneous_delta_by_brute_force() -> None:
    """All outcomes of randomised response, one by one."""
    per_round, epsilon = Fraction(1, 2), Fraction(1)
    p = exp(0.5) / (1 + exp(0.5))
    for rounds in (1, 2, 5):
        total = 0.0
        for outcome in product((0, 1), repeat=rounds):
            losses = sum(outcome)
            one = p ** (rounds - losses) * (1 - p) ** losses
            other = (1 - p) ** (rounds - losses) * p**losses
            total += max(0.0, one - exp(1) * other)
        assert float(homogeneous_delta(per_round, rounds, epsilon)) == pytest.approx(total, abs=1e-12)


def test_against_a_privacy_loss_accountant() -> None:
    accounting = pytest.importorskip("dp_accounting")
    from dp_accounting.pld import PLDAccountant

    per_round = homogeneous_epsilon(Fraction(1), MILLIONTH, 50)
    event = accounting.RandomizedResponseDpEvent(2 / (1 + exp(float(per_round))), 2)
    accountant = PLDAccountant(accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(accounting.ComposedDpEvent([event] * 50))
    assert accountant.get_epsilon(1e-6) == pytest.approx(1.0, abs=0.01)


def test_pure_budgets_divide() -> None:
    assert homogeneous_epsilon(Fraction(1), Fraction(0), 7) == Fraction(1, 7)
    assert homogeneous_epsilon(Fraction(1), MILLIONTH, 1) == 1


def test_exponential_enclosures() -> None:
    for x in (Fraction(0), Fraction(1, 3), Fraction(5), Fraction(200)):
        assert exp_below(x) <= exp_above(x)
        assert float(exp_above(x)) == pytest.approx(exp(-float(x)), rel=1e-12)
        assert float(exp_below(x)) == pytest.approx(exp(-float(x)), rel=1e-12)


def test_exponents_too_large_to_work_out_are_bounded_all_the_same() -> None:
    last = exp_above(Fraction(2000))
    assert 0 < last < Fraction(1, 10**868)
    for x in (Fraction(2000), Fraction(2001), Fraction(10**9)):
        assert exp_above(x) == last
        assert exp_below(x) == 0
    assert exp_below(Fraction(1999)) > 0
    assert homogeneous_delta(Fraction(3000), 1, Fraction(1)) > Fraction(99, 100)  # r = 0: all is revealed


def test_no_loss_costs_no_delta_and_a_large_one_all_of_it() -> None:
    assert zcdp_delta(Fraction(0), Fraction(1)) == 0
    assert zcdp_delta(Fraction(2), Fraction(1)) == 1


@pytest.mark.parametrize(("rho", "epsilon"), [("0.02", "1"), ("1e-6", "0.1"), ("0.3", "2"), ("1e-9", "0.2")])
def test_zcdp_is_the_best_of_its_formula_over_all_orders(rho: str, epsilon: str) -> None:
    r, e = float(rho), float(epsilon)
    orders = [round(2 + 1.001**k) for k in range(20_000) if 1.001**k < 10 * (e + r) / r]
    best = min((a - 1) * (a * r - e) + (a - 1) * log(a - 1) - a * log(a) for a in orders)
    found = zcdp_delta(Fraction(rho), Fraction(epsilon))
    slack = 2 if (e + r) / (2 * r) > 2000 else 1.001  # for large orders (1 - 1/a)^(a-1) counts as 1/2
    if best > -1900:
        assert exp(best) * 0.999 <= float(found) <= exp(best) * slack
    assert found < 1


@pytest.mark.parametrize("epsilon", ["1/10", "1", "3", "10"])
def test_gaussian_noise_alone_has_a_larger_budget_than_zcdp_gives_it(epsilon: str) -> None:
    budget = gaussian_budget(Fraction(epsilon), MILLIONTH)
    assert budget.apart is not None
    assert Fraction(11, 10) < budget.rho / zcdp_rho(Fraction(epsilon), MILLIONTH) < Fraction(6, 5)
    mu = sqrt_below(2 * budget.rho) + Fraction(1, 1 << 64)
    price = (1 + 1 / exp_below(Fraction(epsilon))) * budget.apart
    assert gaussian_delta(mu, Fraction(epsilon)) + price <= MILLIONTH


@pytest.mark.parametrize("draws", [1, 3, 1000, 10**7])
def test_the_lattice_is_fine_enough_for_all_measurements_together(draws: int) -> None:
    budget = gaussian_budget(Fraction(1), MILLIONTH)
    assert budget.apart is not None
    for share in (Fraction(1), Fraction(1, 1000)):
        variance = 1 / (2 * share * budget.rho)
        assert DISCRETE * draws / (variance * 4 ** budget.bits(draws)) <= share * budget.apart


def test_where_the_lattice_would_be_too_fine_the_budget_is_that_of_zcdp() -> None:
    for epsilon, delta in ((Fraction(11), MILLIONTH), (Fraction(1), Fraction(1, 10**10))):
        assert gaussian_budget(epsilon, delta) == GaussianBudget(zcdp_rho(epsilon, delta))
        assert gaussian_budget(epsilon, delta).bits(10**6) == 0
