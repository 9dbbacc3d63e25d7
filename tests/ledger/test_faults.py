"""Nothing that happens to a ledger gives budget back: edits, deletions, old copies, full disks, kill -9, crowds."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from time import sleep

import pytest

from oracledp.errors import ModelError, ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.ledger.copying import copy_ledger

TENTH = Guarantee(epsilon=Fraction(1, 10), neighbours=Neighbours.DEFAULT, proof="x")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger.create(tmp_path / "budget", epsilon=1)
    for _ in range(3):
        made.charge(TENTH, "rspm")
    return made


def tamper(ledger: Ledger, *statements: str) -> None:
    connection = sqlite3.connect(ledger.path)
    for statement in ("DROP TRIGGER no_change", "DROP TRIGGER no_refund", *statements):
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "statements",
    [
        ["UPDATE entries SET body = replace(body, '1/10', '1/100') WHERE number = 2"],
        ['UPDATE entries SET body = replace(body, \'"epsilon":"1"\', \'"epsilon":"9"\') WHERE number = 0'],
        ["DELETE FROM entries WHERE number = 2", "UPDATE entries SET number = 2 WHERE number = 3"],
        ["DELETE FROM entries WHERE number = 2"],
        ["UPDATE entries SET number = 9 WHERE number = 1"],
        ["UPDATE entries SET kind = 'dataset' WHERE number = 3"],
        ["DELETE FROM entries"],
    ],
)
def test_edits_and_deletions_stop_everything(ledger: Ledger, statements: list[str]) -> None:
    tamper(ledger, *statements)
    for look in (ledger.verify, lambda: ledger.remaining, lambda: ledger.charge(TENTH, "rspm")):
        with pytest.raises(ModelError):
            look()


def test_the_file_itself_refuses_edits(ledger: Ledger) -> None:
    connection = sqlite3.connect(ledger.path)
    for statement in ("UPDATE entries SET body = ''", "DELETE FROM entries"):
        with pytest.raises(sqlite3.DatabaseError, match="only added to"):
            connection.execute(statement)
    connection.close()


def test_a_cut_file_stops_everything(ledger: Ledger) -> None:
    content = ledger.path.read_bytes()
    for size in (1, 15, 100, len(content) // 2, len(content) - 4096):
        ledger.path.write_bytes(content[:size])
        with pytest.raises(ModelError):
            ledger.charge(TENTH, "rspm")


def test_a_flipped_bit_anywhere_is_refused_or_harmless(ledger: Ledger) -> None:
    """Every 97th byte here; benchmarks/budget_faults.py flips two thousand. One in the schema ended in a traceback."""
    content = ledger.path.read_bytes()
    schema = content.index(b"CREATE TABLE")
    for place in (*range(0, len(content), 97), *range(schema, schema + 60, 3)):
        flipped = bytearray(content)
        flipped[place] ^= 0x80
        ledger.path.write_bytes(flipped)
        try:
            assert ledger.spent == (Fraction(3, 10), 0)
        except (ModelError, ParameterError):
            continue


def test_a_witness_notices_an_older_copy(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=1, witness=tmp_path / "witness")
    ledger.charge(TENTH, "rspm")
    shutil.copy(tmp_path / "budget", tmp_path / "copy")
    ledger.charge(TENTH, "rspm")
    assert ledger.verify() == 2
    shutil.copy(tmp_path / "copy", tmp_path / "budget")
    with pytest.raises(ModelError, match="rolled back"):
        ledger.charge(TENTH, "rspm")


def test_a_witness_knows_its_ledger(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=1, witness=tmp_path / "witness")
    ledger.charge(TENTH, "rspm")
    lines = (tmp_path / "witness").read_text().splitlines()
    (tmp_path / "witness").write_text(f"{lines[0]}\n1 {'0' * 64}\n")
    with pytest.raises(ModelError, match="entry 1 differs"):
        ledger.verify()
    (tmp_path / "witness").unlink()
    with pytest.raises(ModelError, match="cannot be read; nothing is sampled"):
        ledger.charge(TENTH, "rspm")


def test_a_witness_that_a_crash_left_behind_catches_up(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=1, witness=tmp_path / "witness")
    ledger.charge(TENTH, "rspm")
    kept = (tmp_path / "witness").read_text()
    (tmp_path / "witness").write_text(kept.splitlines(keepends=True)[0] + kept.splitlines()[1][:20])  # torn
    ledger.charge(TENTH, "rspm")
    assert len((tmp_path / "witness").read_text().splitlines()) >= 3
    assert ledger.verify() == 2


def test_a_witness_is_never_overwritten_and_goes_with_a_ledger_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "witness").write_text("mine")
    with pytest.raises(ParameterError, match="witness"):
        Ledger.create(tmp_path / "budget", epsilon=1, witness=tmp_path / "witness")
    assert (tmp_path / "witness").read_text() == "mine"
    with pytest.raises(ParameterError, match="cannot create the ledger"):
        Ledger.create(tmp_path / "no" / "budget", epsilon=1, witness=tmp_path / "other")
    assert not (tmp_path / "other").exists()


PROLOGUE = """
import sys
from fractions import Fraction
from pathlib import Path
from oracledp.errors import BudgetExceeded, OracleDPError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
one = Guarantee(epsilon=Fraction(1, 1000), neighbours=Neighbours.DEFAULT, proof="x")
ledger = Ledger(Path(sys.argv[1]))
"""
FOREVER = PROLOGUE + 'print("go", flush=True)\nwhile True:\n    ledger.charge(one, "rspm")\n    print(flush=True)\n'
CROWD = PROLOGUE + 'for _ in range(5):\n    ledger.charge(one, "rspm")\n    print(flush=True)\n'
FULL = (
    PROLOGUE
    + """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger.charge(one, "rspm")
size = Path(sys.argv[1]).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
done = 0
try:
    while True:
        ledger.charge(one, "rspm")
        done += 1
except OracleDPError as error:
    print(done, error)
"""
)


def start(program: str, ledger: Ledger) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, str(ledger.path)], stdout=subprocess.PIPE, text=True)


def test_kill_at_any_moment_never_gives_budget_back(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=100)
    for pause in range(8):
        before = ledger.verify()
        run = start(FOREVER, ledger)
        assert run.stdout is not None
        assert run.stdout.readline() == "go\n"
        sleep(0.003 * pause)
        run.send_signal(signal.SIGKILL)
        answered = len(run.stdout.read().splitlines())
        run.wait()
        run.stdout.close()
        assert answered <= ledger.verify() - before <= answered + 1
    ledger.charge(TENTH, "rspm")


def test_a_crowd_is_served_one_by_one(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=1, witness=tmp_path / "witness")
    runs = [start(CROWD, ledger) for _ in range(8)]
    assert sum(len(run.communicate(timeout=300)[0].splitlines()) for run in runs) == 40
    assert ledger.spent == (Fraction(40, 1000), 0)
    assert ledger.verify() == 40


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no limits on the size of files")
def test_a_full_disk_refuses_in_one_line_and_stays_whole(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=1)
    out, _ = start(FULL, ledger).communicate(timeout=120)
    done, message = out.strip().split(" ", 1)
    assert "cannot be written" in message
    assert ledger.verify() == 1 + int(done)


def test_a_back_up_is_whole_and_gives_nothing_back(tmp_path: Path, ledger: Ledger) -> None:
    kept = Ledger.create(tmp_path / "kept", epsilon=1, witness=tmp_path / "witness")
    kept.charge(TENTH, "rspm")
    assert copy_ledger(kept, tmp_path / "copy") == 1
    copy = Ledger(tmp_path / "copy")
    assert copy.charges == kept.charges
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    with pytest.raises(ParameterError, match="never overwritten"):
        copy_ledger(kept, tmp_path / "copy")
    kept.charge(TENTH, "rspm")
    assert copy.verify_copy() == (1, 1)
    with pytest.raises(ModelError, match="was rolled back"):
        copy.charge(TENTH, "rspm")
    tamper(ledger, "UPDATE entries SET body = replace(body, '1/10', '1/100') WHERE number = 2")
    with pytest.raises(ModelError, match="changed by hand"):
        copy_ledger(ledger, tmp_path / "of a broken one")
    assert not (tmp_path / "of a broken one").exists()
