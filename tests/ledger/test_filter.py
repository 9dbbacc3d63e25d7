"""What the budget lets through, against exact laws (proofs/budget.md)."""

from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path

import pytest

from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.privacy.accounting import homogeneous_delta, zcdp_rho
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Charge, Ledger, Spending, Terms

MICRO = Fraction(1, 10**6)


def charge(epsilon: str, delta: str = "0", rho: str | None = None) -> Charge:
    return Charge(
        epsilon=Fraction(epsilon), delta=Fraction(delta), mechanism="x", rho=None if rho is None else Fraction(rho)
    )


def terms(accountant: str, epsilon: str = "1", delta: Fraction = MICRO) -> Terms:
    return Terms(epsilon=Fraction(epsilon), delta=delta, neighbours="add-remove", accountant=accountant)


def granted(one: Charge, under: Terms) -> int:
    spent, count = Spending(), 0
    while spent.plus(one).within(under):
        spent, count = spent.plus(one), count + 1
    return count


def test_plain_sums_stop_at_the_budget() -> None:
    assert granted(charge("0.1"), terms("plain")) == 10
    assert granted(charge("0.01", "1e-7"), terms("plain")) == 10


def test_curves_let_small_charges_go_further_and_never_less_than_half_of_delta_would() -> None:
    assert granted(charge("0.01"), terms("curves")) > 400
    assert granted(charge("0.1"), terms("curves")) == 10  # sums are better for few charges
    assert granted(charge("0.1", "1e-7"), terms("curves")) == 5


@pytest.mark.parametrize("epsilon", ["0.02", "0.03"])
def test_what_curves_grant_is_covered_by_the_exact_law_of_the_worst_mechanism(epsilon: str) -> None:
    """Randomised response dominates pure mechanisms; its composition is exact (Kairouz, Oh, Viswanath)."""
    rounds = granted(charge(epsilon), terms("curves"))
    assert homogeneous_delta(Fraction(epsilon), rounds, Fraction(1)) <= MICRO
    assert homogeneous_delta(Fraction(epsilon), 3 * rounds, Fraction(1)) > MICRO  # and not by leagues


def test_an_adaptive_analyst_gains_nothing() -> None:
    """Exact law of the worst analyst found: spend by the first outcome either in sums or in curves."""
    under = terms("curves", "1", Fraction(1, 10))
    big, small = Fraction(9, 20), Fraction(1, 20)
    few, many = granted(charge("9/20"), under), min(12, granted(charge("1/20"), under))

    def law(epsilon: Fraction, rounds: int) -> dict[int, tuple[float, float]]:
        """Lies told by randomised response in some rounds, under both tables."""
        p = exp(epsilon) / (1 + exp(epsilon))
        found: dict[int, tuple[float, float]] = {}
        for bits in product((0, 1), repeat=rounds):
            a, b = p ** (rounds - sum(bits)) * (1 - p) ** sum(bits), p ** sum(bits) * (1 - p) ** (rounds - sum(bits))
            old = found.get(sum(bits), (0.0, 0.0))
            found[sum(bits)] = (old[0] + a, old[1] + b)
        return found

    first = law(small, 1)
    excess = 0.0
    for outcome, (p, q) in first.items():
        rest = law(big, few - 1) if outcome == 0 else law(small, many - 1)
        excess += sum(max(0.0, p * a - exp(1) * q * b) for a, b in rest.values())
    assert excess <= 0.1


def test_curves_need_a_delta(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="needs a delta"):
        Ledger.create(tmp_path / "budget", epsilon=1, accountant="curves")
    with pytest.raises(ParameterError, match="'plain' or 'curves'"):
        Ledger.create(tmp_path / "budget", epsilon=1, accountant="magic")
    assert not (tmp_path / "budget").exists()


def test_a_release_with_a_curve_is_charged_by_it(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=1, delta=MICRO, accountant="curves")
    share = zcdp_rho(Fraction(1), MICRO / 4) / 4
    one = Guarantee(epsilon=Fraction(9, 10), delta=MICRO / 2, neighbours=Neighbours.DEFAULT, proof="x", rho=share)
    for _ in range(4):
        ledger.charge(one, "synthesis")
    with pytest.raises(BudgetExceeded, match="curves"):
        ledger.charge(one, "synthesis")
    assert Guarantee.from_json(one.to_json()) == one


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": Fraction(0)},
        {"delta": Fraction(1)},
        {"delta": Fraction(-1, 10)},
        {"neighbours": "friends"},
        {"accountant": "mean"},
    ],
    ids=str,
)
def test_terms_that_promise_nothing_are_refused_wherever_they_come_from(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        Terms(**{"epsilon": Fraction(1), "delta": MICRO, "neighbours": "add-remove", **wrong})  # type: ignore[arg-type]
