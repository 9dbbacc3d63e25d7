"""What the budget lets through, against exact laws (proofs/budget.md)."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import exp
from pathlib import Path

import pytest

from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.privacy.accounting import homogeneous_delta, zcdp_rho
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Charge, Ledger, Spending, Terms, spending

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


def best_attack(under: Terms, menu: list[tuple[int, Fraction, Fraction]], unit: Fraction) -> float:
    """The largest δ at the budget's ε that any analyst reaches who chooses every step by all outcomes so far. Exact.

    A step is the worst (ε, δ)-DP mechanism there is (Kairouz, Oh, Viswanath): with probability δ it tells everything,
    else it is randomised response at ε, here a multiple of ``unit``. So what counts of the past is the loss so far and
    how often each step was taken, and the best next step follows from those after it.
    """

    @cache
    def reach(counts: tuple[int, ...], loss: int) -> float:
        best = max(0.0, 1 - exp(float(under.epsilon - loss * unit)))
        for place, (size, delta, _) in enumerate(menu):
            taken = tuple(count + (place == other) for other, count in enumerate(counts))
            if spent(taken).within(under):
                p = 1 / (1 + exp(-float(size * unit)))
                later = p * reach(taken, loss + size) + (1 - p) * reach(taken, loss - size)
                best = max(best, float(delta) + (1 - float(delta)) * later)
        return best

    @cache
    def spent(counts: tuple[int, ...]) -> Spending:
        total = Spending()
        for count, (size, delta, rho) in zip(counts, menu, strict=True):
            one = Charge(epsilon=size * unit, delta=delta, mechanism="x", rho=rho or None)
            for _ in range(count):
                total = total.plus(one)
        return total

    return reach((0,) * len(menu), 0)


@pytest.mark.parametrize("accountant", ["plain", "curves"])
@pytest.mark.parametrize("delta", [Fraction(1, 5), Fraction(1, 50), Fraction(1, 1000)])
@pytest.mark.parametrize(
    ("menu", "unit"),
    [
        ([(1, Fraction(0), Fraction(0)), (9, Fraction(0), Fraction(0))], Fraction(1, 20)),
        ([(2, Fraction(0), Fraction(0)), (1, Fraction(1, 2000), Fraction(0))], Fraction(1, 10)),
        ([(1, Fraction(0), Fraction(1, 800)), (4, Fraction(1, 400), Fraction(0))], Fraction(1, 20)),
    ],
    ids=["small and large", "pure and with delta", "curve and delta"],
)
def test_the_best_adaptive_analyst_stays_within_the_budget(
    accountant: str, delta: Fraction, menu: list[tuple[int, Fraction, Fraction]], unit: Fraction
) -> None:
    """Over *all* strategies that the filter lets through, by dynamic programming; no analyst reaches δ at ε = 1."""
    found = best_attack(terms(accountant, "1", delta), menu, unit)
    assert found <= float(delta)


def test_the_attack_wins_against_a_filter_that_grants_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    menu, under = [(1, Fraction(0), Fraction(0))], terms("curves", "1", Fraction(1, 50))
    assert best_attack(under, menu, Fraction(1, 10)) <= 1 / 50
    monkeypatch.setattr(spending, "zcdp_rho", lambda epsilon, delta: 4 * zcdp_rho(epsilon, delta))
    assert best_attack(under, menu, Fraction(1, 10)) > 1 / 50
