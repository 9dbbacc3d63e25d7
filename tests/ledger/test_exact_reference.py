"""Mixed charges against the exact law of mechanisms that cost just this: the accountant is never below it."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, fsum, log, prod, sqrt
from random import Random

import pytest

from oracledp.errors import BudgetExceeded
from oracledp.privacy.ledger import Charge, Spending
from oracledp.privacy.ledger.totals import total


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The exact δ of a Gaussian mechanism (Balle and Wang); with μ = 0 that of no mechanism at all."""
    if mu == 0:
        return max(0.0, 1 - exp(epsilon))

    def cdf(x: float) -> float:
        return erfc(-x / sqrt(2)) / 2

    return cdf(mu / 2 - epsilon / mu) - exp(epsilon) * cdf(-mu / 2 - epsilon / mu)


def exact_delta(pure: list[Charge], rho: float, epsilon: float) -> float:
    """The worst mechanisms with these (ε, δ) (Kairouz, Oh, Viswanath), all outcomes, and a Gaussian one beside them."""
    law = {0.0: 1.0}
    for charge in pure:
        moved: dict[float, float] = {}
        size = float(charge.epsilon)
        truth = 1 / (1 + exp(-size))
        for loss, mass in law.items():
            moved[loss + size] = moved.get(loss + size, 0.0) + mass * truth
            moved[loss - size] = moved.get(loss - size, 0.0) + mass * (1 - truth)
        law = moved
    good = fsum(mass * gaussian_delta(sqrt(2 * rho), epsilon - loss) for loss, mass in law.items())
    return 1 - prod(1 - float(charge.delta) for charge in pure) * (1 - good)


def mixed(draw: Random) -> tuple[list[Charge], list[Charge]]:
    """Up to nine charges by ε and δ, and up to three with a curve, on scales from a thousandth to eight."""
    scale = draw.choice([0.001, 0.01, 0.1, 0.5, 1, 3, 8])
    pure = [
        Charge(
            epsilon=Fraction(1 + round(draw.uniform(0.05, 1) * scale * 10**6), 10**6),
            delta=Fraction(draw.choice([0, 0, 0, 1, 5]), 10 ** draw.choice([4, 6, 9])),
            mechanism="x",
        )
        for _ in range(draw.randrange(1, 10))
    ]
    rhos = [Fraction(draw.randrange(1, 1000), 10 ** draw.choice([3, 4, 5, 6])) for _ in range(draw.randrange(4))]
    curved = [
        Charge(epsilon=Fraction(str(round(float(rho) + 2 * sqrt(float(rho) * log(1e9)) + 1e-4, 4))),
               delta=Fraction(1, 10**9), mechanism="g", rho=rho)
        for rho in rhos
    ]  # fmt: skip
    return pure, curved


@pytest.mark.parametrize("seed", range(40))
def test_no_mixture_of_charges_is_counted_below_its_exact_law(seed: int) -> None:
    draw = Random(seed)
    pure, curved = mixed(draw)
    delta = Fraction(1, 10 ** draw.choice([1, 2, 3, 5, 6, 8]))
    charges = pure + curved
    draw.shuffle(charges)
    try:
        found = total(charges, delta)
    except BudgetExceeded:
        assert Spending.of(charges).delta > delta
        return
    rho = sum(float(charge.rho or 0) for charge in curved)
    assert exact_delta(pure, rho, float(found.epsilon)) <= float(delta) * (1 + 1e-9)
    if Spending.of(charges).delta <= delta:
        assert found.epsilon <= Spending.of(charges).epsilon
