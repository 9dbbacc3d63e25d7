"""A year of mixed charges: what they cost together is at most their sum and never below the exact law."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import product
from math import ceil, erfc, exp, log, sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from oracledp.errors import BudgetExceeded
from oracledp.privacy.accounting import homogeneous_delta
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Charge, Ledger, Spending
from oracledp.privacy.ledger.chain import Link
from oracledp.privacy.ledger.stores import store_at
from oracledp.privacy.ledger.totals import total
from oracledp.privacy.loss_law import LossLaw

MICRO = Fraction(1, 10**6)
ANALYSTS = ("ada", "ben", "cyn", "dov", "eve")
SETS = ("visits", "labs", "claims")


def charge(epsilon: str | Fraction, delta: str = "0", rho: Fraction | None = None, **said: str) -> Charge:
    return Charge(epsilon=Fraction(epsilon), delta=Fraction(delta), mechanism="x", rho=rho, **said)


def gaussian_epsilon(rho: Fraction) -> Fraction:
    """An ε that ρ-zCDP has at δ = 1e-9."""
    return Fraction(ceil(10**4 * (float(rho) + 2 * sqrt(float(rho) * log(1e9)))), 10**4)


def a_year() -> list[Charge]:
    draw = Random(5)
    charges = []
    for number in range(1000):
        said = {"actor": draw.choice(ANALYSTS), "dataset": draw.choice(SETS), "release": f"{number:032x}"}
        said["time"] = f"2026-{1 + number * 12 // 1000:02}-01T10:00:00+00:00"
        rho = Fraction(draw.randrange(1, 100), 10**5)
        kind = draw.randrange(3)
        charges.append(
            charge(Fraction(draw.randrange(5, 30), 1000), **said) if kind == 0
            else charge("0.01", **said) if kind == 1
            else charge(gaussian_epsilon(rho), "1e-9", rho, **said)
        )  # fmt: skip
    return charges


YEAR = a_year()


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The exact δ of Gaussian mechanisms with total μ (Balle and Wang)."""

    def cdf(x: float) -> float:
        return erfc(-x / sqrt(2)) / 2

    return cdf(mu / 2 - epsilon / mu) - exp(epsilon) * cdf(-mu / 2 - epsilon / mu)


def test_a_year_runs_through_a_ledger(tmp_path: Path) -> None:
    """A thousand releases of five analysts from three data sets; the last ten as they are made."""
    ledger = Ledger.create(tmp_path / "year", epsilon=200, delta="1e-5", witness=tmp_path / "witness")
    for name in SETS:
        ledger.register(name)
    ledger.limit(epsilon=16, delta="1e-5", actor="each", period="quarter")
    with store_at(tmp_path / "year").locked() as log:
        for one in YEAR[:990]:
            log.append(Link.after(log.links[-1].digest, one))
    for one in YEAR[990:]:
        assert one.actor is not None
        promise = Guarantee(
            epsilon=one.epsilon, delta=one.delta, neighbours=Neighbours.DEFAULT, proof="noise", rho=one.rho
        )
        ledger.acting(actor=one.actor, dataset=one.dataset, purpose="a year").charge(promise, "x")
    assert len(ledger.charges) == 1000
    assert Counter(one.actor for one in ledger.charges).keys() == set(ANALYSTS)
    assert ledger.spent == (sum(one.epsilon for one in YEAR), sum(one.delta for one in YEAR))
    with pytest.raises(BudgetExceeded, match="limit"):
        ledger.acting(actor="ada", dataset="labs").charge(
            Guarantee(epsilon=Fraction(17), neighbours=Neighbours.DEFAULT, proof="noise"), "x"
        )
    assert ledger.verify() == 1004


def test_the_year_costs_less_than_its_sum_and_no_less_than_the_exact_law() -> None:
    """By groups whose composition is known exactly: equal pure charges (KOV), Gaussian ones (Balle and Wang)."""
    whole = total(YEAR, Fraction(1, 10**5))
    assert whole.epsilon < Spending.of(YEAR).epsilon / 10
    curved = [one for one in YEAR if one.rho is not None]
    mu = sqrt(2 * sum(float(one.rho or 0) for one in curved))
    assert gaussian_delta(mu, float(total(curved, Fraction(1, 10**5)).epsilon)) <= 1e-5
    equal = [one for one in YEAR if one.epsilon == Fraction(1, 100)]
    found = total(equal, MICRO)
    assert found.by == "losses"
    assert homogeneous_delta(Fraction(1, 100), len(equal), found.epsilon) <= MICRO
    assert homogeneous_delta(Fraction(1, 100), len(equal), found.epsilon * Fraction(97, 100)) > MICRO  # and close to it


def exact_delta(epsilons: list[Fraction], at: float) -> float:
    """The exact δ of unlike randomised responses, by all their outcomes."""
    chances = [exp(float(epsilon)) / (1 + exp(float(epsilon))) for epsilon in epsilons]
    excess = 0.0
    for truths in product((True, False), repeat=len(epsilons)):
        p = q = 1.0
        for truth, chance in zip(truths, chances, strict=True):
            p, q = p * (chance if truth else 1 - chance), q * (1 - chance if truth else chance)
        excess += max(0.0, p - exp(at) * q)
    return excess


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 1000), MICRO])
def test_unlike_charges_cost_what_their_exact_law_says(delta: Fraction) -> None:
    draw = Random(int(1 / delta))
    for count in (1, 2, 5, 9):
        epsilons = [Fraction(draw.randrange(1, 2000), 1000) for _ in range(count)]
        found = LossLaw.of(epsilons).epsilon(delta)
        assert found is not None
        assert exact_delta(epsilons, float(found)) <= float(delta) * (1 + 1e-9)
        assert found <= sum(epsilons) * Fraction(102, 100)
        if found > sum(epsilons) / 50:
            assert exact_delta(epsilons, 0.97 * float(found)) > float(delta)
        assert total([charge(epsilon) for epsilon in epsilons], delta).epsilon <= sum(epsilons)


def test_something_concentrated_beside_pure_charges_is_counted() -> None:
    """Against the exact law of randomised responses with a Gaussian beside them, by numerical integration."""
    epsilons, rho = [Fraction(3, 10)] * 6, Fraction(1, 50)
    found = LossLaw.of(epsilons).epsilon(Fraction(1, 1000), rho)
    assert found is not None
    mu = sqrt(2 * float(rho))
    chance = exp(0.3) / (1 + exp(0.3))

    def mixed(at: float) -> float:
        losses = Counter({0: 1.0})
        for _ in range(6):
            moved: Counter[int] = Counter()
            for place, mass in losses.items():
                moved[place + 1] += mass * chance
                moved[place - 1] += mass * (1 - chance)
            losses = moved
        return sum(mass * gaussian_delta(mu, at - 0.3 * place) for place, mass in losses.items())

    assert mixed(float(found)) <= 1e-3
    assert mixed(0.8 * float(found)) > 1e-3


def test_the_accountant_of_others_agrees() -> None:
    """dp_accounting's pessimistic law of losses is an upper bound of its own: ours is no looser, and near it."""
    accounting = pytest.importorskip("dp_accounting")
    from dp_accounting import pld

    from oracledp.privacy.ledger.events import as_event

    pure = [one for one in YEAR if one.rho is None][:60]
    accountant = pld.PLDAccountant(accounting.NeighboringRelation.REPLACE_ONE, value_discretization_interval=1e-3)
    accountant.compose(as_event(pure))
    theirs, ours = accountant.get_epsilon(1e-6), float(total(pure, MICRO).epsilon)
    assert 0.93 * theirs <= ours <= 1.02 * theirs


SHARED = ("pessimistic_estimate", "value_discretization_interval")  # what both kinds of laws are told
PARTS = {
    "the year": YEAR,
    "pure": [one for one in YEAR if one.rho is None],
    "Gaussian": [one for one in YEAR if one.rho is not None],
    **{name: [one for one in YEAR if one.dataset == name] for name in SETS},
    **{name: [one for one in YEAR if one.actor == name] for name in ANALYSTS},
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.filterwarnings("ignore")
def test_every_part_of_the_year_lies_between_the_truth_and_its_sum(part: str) -> None:
    """The truth from below: dp_accounting's *optimistic* law of mechanisms that cost just this.

    They are randomised responses for pure charges, and one Gaussian mechanism for those with a curve.
    """
    laws = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    how: dict[str, Any] = {
        "pessimistic_estimate": False,
        "value_discretization_interval": 1e-4,
        "use_connect_dots": False,
    }
    charges = PARTS[part]
    found = []
    for epsilon, count in Counter(one.epsilon for one in charges if one.rho is None).items():
        response = laws.from_randomized_response(
            2 / (1 + exp(float(epsilon))), 2, **{name: how[name] for name in SHARED}
        )
        found.append(response.self_compose(count))
    rho = sum(float(one.rho) for one in charges if one.rho is not None)
    found += [laws.from_gaussian_mechanism(1 / sqrt(2 * rho), **how)] if rho else []
    truth = reduce(lambda one, other: one.compose(other), found).get_epsilon_for_delta(1e-5)
    ours = float(total(charges, Fraction(1, 10**5)).epsilon)
    assert truth <= ours <= float(Spending.of(charges).epsilon)
    assert ours <= 1.12 * truth


def test_delta_that_the_charges_cost_is_not_given_again() -> None:
    charges = [charge("0.1", "1e-3")]
    with pytest.raises(BudgetExceeded, match="less than the charges cost"):
        total(charges, MICRO)
    assert total(charges, Fraction(1, 1000)).epsilon == Fraction(1, 10)
    assert total([], MICRO).epsilon == 0
