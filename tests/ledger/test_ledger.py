"""The budget: charged before sampling, atomic, never given back."""

import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from oracledp.errors import BudgetExceeded, ModelError, ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger


def test_a_back_up_is_whole_though_its_witness_knows_more(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "b", epsilon=1, witness=tmp_path / "w")
    ledger.limit(epsilon=1)
    (tmp_path / "copy").write_bytes((tmp_path / "b").read_bytes())
    assert Ledger(tmp_path / "copy").verify_copy() == (1, 0)
    ledger.limit(epsilon=1)
    assert Ledger(tmp_path / "copy").verify_copy() == (1, 1)
    with pytest.raises(ModelError, match="rolled back"):
        Ledger(tmp_path / "copy").verify()
    other = Ledger.create(tmp_path / "other", epsilon=2, witness=tmp_path / "w2")
    assert other.verify_copy() == (0, 0)
    (tmp_path / "w2").write_text((tmp_path / "w").read_text().splitlines()[0] + "\n")
    with pytest.raises(ModelError, match="entry 0 differs"):
        other.verify_copy()


def guarantee(epsilon: str, delta: str = "0", neighbours: Neighbours = Neighbours.DEFAULT) -> Guarantee:
    return Guarantee(epsilon=Fraction(epsilon), delta=Fraction(delta), neighbours=neighbours, proof="x")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "budget.json", epsilon="1", delta="1e-6")


def test_charges_add_up_exactly(ledger: Ledger) -> None:
    for _ in range(10):
        ledger.charge(guarantee("0.1"), "rspm")
    assert ledger.remaining == (0, Fraction(1, 10**6))
    with pytest.raises(BudgetExceeded, match="left"):
        ledger.charge(guarantee("1/1000000000"), "rspm")
    assert ledger.spent == (1, 0)


def test_delta_is_counted_too(ledger: Ledger) -> None:
    with pytest.raises(BudgetExceeded):
        ledger.charge(guarantee("0.1", "0.001"), "prsma")
    assert ledger.charges == ()


def test_another_neighbour_relation_is_refused(ledger: Ledger) -> None:
    with pytest.raises(BudgetExceeded, match="counts add-remove budget only"):
        ledger.charge(guarantee("0.1", neighbours=Neighbours.REPLACE_ONE), "rspm")
    assert ledger.charges == ()


def test_a_ledger_is_never_overwritten(ledger: Ledger) -> None:
    with pytest.raises(ParameterError, match="never overwritten"):
        Ledger.create(ledger.path, epsilon=1)


@pytest.mark.parametrize("content", ["", "{}\n", "not json\n", '{"oracledp-ledger": 2}\n'])
def test_a_damaged_ledger_stops_everything(tmp_path: Path, content: str) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(content)
    with pytest.raises(ModelError, match="nothing is sampled"):
        Ledger(path).charge(guarantee("0.1"), "rspm")


def test_a_missing_ledger_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="budget create"):
        _ = Ledger(tmp_path / "none.json").remaining


def test_a_ledger_is_for_its_owner_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = Ledger.create(tmp_path / "open.json", epsilon=1)
    finally:
        os.umask(before)
    assert made.path.stat().st_mode & 0o777 == 0o600


SPEND = """
import sys
from fractions import Fraction
from pathlib import Path
from oracledp.errors import BudgetExceeded
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
g = Guarantee(epsilon=Fraction(1, 100), neighbours=Neighbours.DEFAULT, proof="x")
done = 0
for _ in range(80):
    try:
        Ledger(Path(sys.argv[1])).charge(g, "rspm")
        done += 1
    except BudgetExceeded:
        break
print(done)
"""


def test_two_processes_cannot_spend_the_same_budget(ledger: Ledger) -> None:
    runs = [subprocess.Popen([sys.executable, "-c", SPEND, str(ledger.path)], stdout=subprocess.PIPE) for _ in range(2)]
    granted = sum(int(run.communicate(timeout=120)[0]) for run in runs)
    assert granted == 100
    assert ledger.remaining[0] == 0


CRASH = """
import os, signal, sys
from fractions import Fraction
from pathlib import Path
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
g = Guarantee(epsilon=Fraction(1, 4), neighbours=Neighbours.DEFAULT, proof="x")
Ledger(Path(sys.argv[1])).charge(g, "rspm")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_its_charge(ledger: Ledger) -> None:
    run = subprocess.run([sys.executable, "-c", CRASH, str(ledger.path)], check=False, env=os.environ.copy())
    assert run.returncode == -signal.SIGKILL
    assert ledger.spent == (Fraction(1, 4), 0)


def test_events_for_other_accountants(ledger: Ledger) -> None:
    pytest.importorskip("dp_accounting")
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import PLDAccountant

    ledger.charge(guarantee("0.5"), "rspm")
    ledger.charge(guarantee("0.25"), "rspm")
    accountant = PLDAccountant(NeighboringRelation.REPLACE_ONE)
    accountant.compose(ledger.events())
    assert accountant.get_epsilon(0) == pytest.approx(0.75, abs=1e-3)
    ledger.charge(guarantee("0.1", "1e-7"), "prsma")
    assert not PLDAccountant().supports(ledger.events())


def test_a_charge_says_who_what_and_when(ledger: Ledger) -> None:
    made = ledger.acting(actor="ada", purpose="triage", dataset="visits").charge(guarantee("0.1"), "rspm")
    (found,) = ledger.charges
    assert found == made
    assert (found.actor, found.purpose, found.dataset, found.mechanism, found.proof) == (
        *("ada", "triage", "visits", "rspm", "x"),
    )
    assert found.time is not None
    assert found.time.endswith("+00:00")
    assert found.release is not None
    assert len(found.release) == 32


@pytest.mark.parametrize("text", ["", " ", "two\nlines", "x" * 201, "\x1b[31m"])
def test_what_a_charge_says_fits_on_a_line(ledger: Ledger, text: str) -> None:
    with pytest.raises(ParameterError, match="purpose"):
        ledger.acting(purpose=text)


def test_registered_data_sets_only(ledger: Ledger) -> None:
    ledger.register("visits", note="2026")
    for wrong in (ledger, ledger.acting(dataset="other")):
        with pytest.raises(BudgetExceeded, match="registered data sets only"):
            wrong.charge(guarantee("0.1"), "rspm")
    ledger.acting(dataset="visits").charge(guarantee("0.1"), "rspm")
    with pytest.raises(ParameterError, match="registered already"):
        ledger.register("visits")
    assert ledger.spent == (Fraction(1, 10), 0)
