"""Allowances below the budget: per data set, person, purpose and period."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from oracledp.data.table.unit import Unit
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Charge, Ledger, Limit, file_store

HALF = Guarantee(epsilon=Fraction(1, 2), neighbours=Neighbours.DEFAULT, proof="x")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "budget", epsilon=10, delta="1e-6")


def test_each_analyst_has_an_allowance(ledger: Ledger) -> None:
    ledger.limit(actor="each", epsilon=1)
    ada, bob = ledger.acting(actor="ada"), ledger.acting(actor="bob")
    for one in (ada, bob, ada, bob):
        one.charge(HALF, "rspm")
    with pytest.raises(BudgetExceeded, match=r"\(0, 0\) is left of \[each actor: epsilon 1, delta 0\]"):
        ada.charge(HALF, "rspm")
    assert ledger.spent == (2, 0)


def test_a_limit_on_one_purpose_leaves_the_others_alone(ledger: Ledger) -> None:
    ledger.limit(purpose="marketing", epsilon="0.1")
    with pytest.raises(BudgetExceeded, match="purpose marketing"):
        ledger.acting(purpose="marketing").charge(HALF, "rspm")
    ledger.acting(purpose="research").charge(HALF, "rspm")
    ledger.charge(HALF, "rspm")


def test_the_later_limit_counts(ledger: Ledger) -> None:
    ledger.limit(dataset="visits", epsilon="0.1")
    ledger.limit(dataset="visits", epsilon=1)
    ledger.acting(dataset="visits").charge(HALF, "rspm")


def test_delta_is_limited_too(ledger: Ledger) -> None:
    ledger.limit(epsilon=5)
    with pytest.raises(BudgetExceeded, match="everything"):
        ledger.charge(replace(HALF, delta=Fraction(1, 10**9)), "prsma")


@pytest.mark.parametrize(
    ("period", "other", "same"),
    [
        ("year", "2027-01-01T00:00:00+00:00", "2026-12-31T00:00:00+00:00"),
        ("quarter", "2026-07-01T00:00:00+00:00", "2026-06-30T00:00:00+00:00"),
        ("month", "2026-06-01T00:00:00+00:00", "2026-05-31T00:00:00+00:00"),
        ("day", "2026-05-04T00:00:00+00:00", "2026-05-03T23:59:59+00:00"),
    ],
)
def test_an_allowance_begins_anew_every_period(period: str, other: str, same: str) -> None:
    limit = Limit(epsilon=Fraction(1), delta=Fraction(0), period=period)
    old = Charge(epsilon=Fraction(1), delta=Fraction(0), mechanism="x", time="2026-05-03T10:00:00+00:00")
    assert limit.shares(old, replace(old, time=same))
    assert not limit.shares(old, replace(old, time=other))


def test_an_unknown_period_is_refused(ledger: Ledger) -> None:
    with pytest.raises(ParameterError, match="period"):
        ledger.limit(epsilon=1, period="decade")


def test_a_refusal_says_what_is_left_of_both_parameters(ledger: Ledger) -> None:
    ledger.limit(epsilon=1, delta="5e-7")
    ledger.charge(replace(HALF, delta=Fraction(1, 10**7)), "prsma")
    with pytest.raises(BudgetExceeded, match=r"\(0\.5, 4e-0?7\) is left of"):
        ledger.charge(replace(HALF, delta=Fraction(5, 10**7)), "prsma")


def test_a_clock_that_is_set_back_opens_no_earlier_period(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The allowance of a period that is over was there once more for whoever set the clock back."""

    def at(time: str) -> None:
        monkeypatch.setattr(file_store, "now", lambda: f"{time}T10:00:00+00:00")

    ledger.limit(epsilon=1, actor="each", period="quarter")
    ada = ledger.acting(actor="ada")
    at("2026-03-01")
    ada.charge(HALF, "rspm")
    at("2026-05-01")
    ada.charge(HALF, "rspm")
    at("2026-03-02")  # half of the first quarter's allowance was left
    ada.charge(HALF, "rspm")  # and this is the second's
    with pytest.raises(BudgetExceeded, match="limit"):
        ada.charge(HALF, "rspm")
    at("2026-04-01")
    with pytest.raises(BudgetExceeded, match="limit"):
        ada.charge(HALF, "rspm")
    at("2026-07-01")
    ada.charge(HALF, "rspm")
    assert [charge.time[:7] for charge in ledger.charges if charge.time] == ["2026-03", "2026-05", "2026-03", "2026-07"]


@pytest.mark.parametrize("unit", ["household", "", "Person"])
def test_a_unit_that_no_charge_can_speak_of_is_refused(tmp_path: Path, unit: str) -> None:
    """Charges per row once filled a ledger that was said to be per household."""
    with pytest.raises(ParameterError, match="'row' or 'person'"):
        Ledger.create(tmp_path / "other", epsilon=1, unit=unit)
    assert not (tmp_path / "other").exists()


def test_persons_by_two_columns_do_not_add_up(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "persons", epsilon=10, unit="person")

    def by(column: str) -> Guarantee:
        return replace(HALF, unit=Unit(column))

    ledger.charge(by("patient_id"), "rspm")
    ledger.charge(replace(HALF, unit=Unit("patient_id", 3)), "rspm")
    with pytest.raises(BudgetExceeded, match="tell persons apart by 'patient_id', this one by 'doctor_id'"):
        ledger.charge(by("doctor_id"), "rspm")
    labs = ledger.acting(dataset="labs")
    labs.charge(by("pid"), "rspm")  # another data set may call them otherwise
    with pytest.raises(BudgetExceeded, match="data set 'labs'"):
        labs.charge(by("patient_id"), "rspm")
    ledger.register("labs")
    labs.charge(by("patient"), "rspm")
    with pytest.raises(BudgetExceeded, match="counts budget per person"):
        labs.charge(HALF, "rspm")
    assert ledger.spent == (2, 0)
