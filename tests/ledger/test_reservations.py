"""Budget set aside before a long run: nobody else spends it, nothing that was charged comes back."""

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracledp.cli import cli
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.ledger import ledger as ledger_module


def promise(epsilon: str) -> Guarantee:
    return Guarantee(epsilon=Fraction(epsilon), neighbours=Neighbours.DEFAULT, proof="noise")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "budget", epsilon=1)


def test_what_is_set_aside_is_left_alone_until_its_own_charge(ledger: Ledger) -> None:
    held = ledger.acting(actor="ada").reserve(epsilon="0.6")
    with pytest.raises(BudgetExceeded):
        ledger.charge(promise("0.5"), "x")
    with pytest.raises(BudgetExceeded):
        ledger.reserve(epsilon="0.5")
    ledger.charge(promise("0.4"), "x")
    held.charge(promise("0.5"), "x")
    assert ledger.reservations == ()
    assert ledger.spent == (Fraction(9, 10), 0)
    with pytest.raises(BudgetExceeded, match="already; nothing is charged twice"):
        held.charge(promise("0.05"), "x")
    ledger.charge(promise("0.1"), "x")


def test_a_run_that_needs_more_than_it_set_aside_is_held_to_what_is_left(ledger: Ledger) -> None:
    held = ledger.reserve(epsilon="0.5")
    held.charge(promise("0.9"), "x")
    assert ledger.remaining == (Fraction(1, 10), 0)


def test_reservations_end_by_time_or_by_word_and_charges_never(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    held = ledger.reserve(epsilon=1)
    assert held.release is not None
    ledger.give_up(held.release)
    with pytest.raises(ParameterError, match="no such reservation"):
        ledger.give_up(held.release)
    long_ago = ledger_module.timedelta(hours=-1)
    monkeypatch.setattr(ledger_module, "timedelta", lambda hours: long_ago)
    ledger.reserve(epsilon=1)
    assert ledger.reservations == ()
    made = ledger.charge(promise("1"), "x")
    assert made.release is not None
    with pytest.raises(ParameterError, match="no such reservation"):
        ledger.give_up(made.release)
    assert ledger.spent == (1, 0)


def test_limits_and_data_sets_bind_reservations(ledger: Ledger) -> None:
    ledger.register("visits")
    ledger.limit(epsilon="0.2", actor="each")
    with pytest.raises(BudgetExceeded, match="registered"):
        ledger.reserve(epsilon="0.1")
    ada = ledger.acting(actor="ada", dataset="visits")
    ada.reserve(epsilon="0.15")
    with pytest.raises(BudgetExceeded, match="limit"):
        ada.charge(promise("0.1"), "x")
    ledger.acting(actor="ben", dataset="visits").charge(promise("0.1"), "x")


def test_from_the_command_line(tmp_path: Path, ledger: Ledger) -> None:
    (tmp_path / "data.csv").write_text("a,y\n" + "1,1\n0,0\n" * 20)
    (tmp_path / "schema.yaml").write_text("columns: {a: {kind: boolean}, y: {kind: boolean}}")
    place, run = str(ledger.path), CliRunner()
    held = run.invoke(cli, ["budget", "reserve", place, "--epsilon", "0.9"]).output.strip()
    learn = ["learn", str(tmp_path / "data.csv"), "--schema", str(tmp_path / "schema.yaml"), "--target", "y"]
    learn += ["--ledger", place, "--epsilon", "0.5"]
    assert isinstance(run.invoke(cli, learn).exception, BudgetExceeded)
    wrong = run.invoke(cli, [*learn, "--reservation", "00"])
    assert "nothing is set aside" in str(wrong.exception)
    assert f"[{held}]" in run.invoke(cli, ["budget", "show", place]).output
    assert run.invoke(cli, [*learn, "--reservation", held]).exit_code == 0
    assert [charge.release for charge in ledger.charges] == [held]
    assert '"RandomizedResponseDpEvent"' in run.invoke(cli, ["budget", "export", place, "--events"]).output


def test_what_somebody_set_aside_is_theirs(ledger: Ledger) -> None:
    """Whoever read the id in the ledger could once spend what another had set aside."""
    held = ledger.acting(actor="ada", dataset="visits").reserve(epsilon="0.6")
    for other in ({"actor": "ben"}, {"dataset": "labs"}):
        with pytest.raises(BudgetExceeded, match="is for 'ada' and data set 'visits'"):
            held.acting(**other).charge(promise("0.5"), "x")
    held.charge(promise("0.5"), "x")
    anybody = ledger.acting(actor="ada").reserve(epsilon="0.2")
    anybody.acting(dataset="labs").charge(promise("0.2"), "x")
    assert ledger.spent == (Fraction(7, 10), 0)
