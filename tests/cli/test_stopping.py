"""The command stopped or killed while it works on more records than it may hold: real processes, real spill files."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import duckdb
import pytest

from oracledp.cli import signals, stop
from oracledp.privacy.ledger import Ledger

MANY, FEW = 2_400_000, 20_000  # rows: many enough that a run goes on well after it has begun to spill
SPILLS = "40MB"  # more than the run needs at the least: with half of it, it ends for want of memory


def table_of(rows: int, folder: Path) -> Path:
    """A folder of two Parquet files whose records are nearly all distinct, and a schema beside it."""
    (folder / "rows").mkdir()
    columns = ", ".join(f"CAST(hash(i * 8 + {k}) % 90 AS INTEGER) AS c{k}" for k in range(4))
    for part in range(2):
        some = f"SELECT {columns}, i % 3 = 0 AS y FROM range({part * rows // 2}, {(part + 1) * rows // 2}) t(i)"
        duckdb.execute(f"COPY ({some}) TO '{folder}/rows/part-{part}.parquet' (FORMAT parquet)")
    definition: dict[str, Any] = {f"c{k}": {"kind": "integer", "lo": 0, "hi": 89} for k in range(4)}
    (folder / "schema.json").write_text(json.dumps({"columns": definition | {"y": {"kind": "boolean"}}}))
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table_of(MANY, tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table_of(FEW, tmp_path_factory.mktemp("small"))


def heed_signals() -> None:
    """Also where the tests themselves were started by something that ignores a closed terminal."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(signal.Signals[name], signal.SIG_DFL)


@contextmanager
def learning(data: Path, place: Path, memory: str = SPILLS) -> Iterator[subprocess.Popen[str]]:
    """``oracledp learn`` in a folder of its own, with its temporary files beneath it."""
    (place / "temporary").mkdir()
    (place / "out").mkdir()
    Ledger.create(place / "ledger", epsilon=1)
    command = [sys.executable, "-c", "from oracledp.cli import main; main()", "learn", str(data / "rows")]
    command += ["--schema", str(data / "schema.json"), "--target", "y", "--epsilon", "1/2", "--model", "conjunction"]
    command += ["--size", "1", "--mechanism", "exponential", "--memory", memory]
    command += ["--out", str(place / "out" / "rule.json"), "--ledger", str(place / "ledger")]
    environment = {**os.environ, "TMPDIR": str(place / "temporary")}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, preexec_fn=heed_signals, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def spilled(place: Path) -> list[Path]:
    """The spill files with something in them."""
    found = []
    for path in (place / "temporary").rglob("*"):
        try:
            if path.is_file() and path.stat().st_size > 0:
                found.append(path)
        except OSError:
            continue
    return found


def wait_until_spilled(process: subprocess.Popen[str], place: Path) -> list[Path]:
    while process.poll() is None:
        found = spilled(place)
        if found:
            return found
        sleep(0.01)
    raise AssertionError("the command ended before it spilled")


def left_behind(place: Path, seconds: float = 60) -> list[Path]:
    """What is still there when the watcher has had its time."""
    deadline = monotonic() + seconds
    while (found := list((place / "temporary").iterdir())) and monotonic() < deadline:
        sleep(0.01)
    return [*found, *(place / "out").iterdir()]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_in_one_sentence(name: str, large: Path, tmp_path: Path) -> None:
    number = signal.Signals[name]
    with learning(large, tmp_path) as process:
        files = wait_until_spilled(process, tmp_path)
        modes = {file.stat().st_mode & 0o777 for file in files if file.exists()}
        assert modes <= {0o600}
        process.send_signal(number)
        output, errors = process.communicate()
    assert process.returncode == 128 + number, errors
    assert output == ""
    assert "\n" not in errors.strip()
    assert errors.strip().startswith(f"oracledp: stopped by {name}; no partial file is left")
    assert left_behind(tmp_path) == []
    assert Ledger(tmp_path / "ledger").charges == ()


def test_killed_while_it_spills_it_leaves_nothing(large: Path, tmp_path: Path) -> None:
    with learning(large, tmp_path) as process:
        wait_until_spilled(process, tmp_path)
        process.kill()
        process.wait()
        assert left_behind(tmp_path) == []


def test_killed_at_any_point_nothing_private_stays_and_no_charge_is_lost(small: Path, tmp_path: Path) -> None:
    """A whole run tells how long there is to kill; the others die at points spread over it."""
    begun = monotonic()
    assert outcome(small, tmp_path / "whole", None) == (Fraction(1, 2), True)
    whole = monotonic() - begun
    for number in range(6):
        charged, released = outcome(small, tmp_path / str(number), whole * (0.5 + 0.1 * number))
        assert charged in (0, Fraction(1, 2))
        assert charged or not released, "nothing comes out before it is paid for"


def outcome(data: Path, place: Path, seconds: float | None) -> tuple[Fraction, bool]:
    """What was charged and whether a rule came out, of a run that is killed after some seconds."""
    place.mkdir()
    with learning(data, place, memory="4GB") as process:
        if seconds is not None:
            sleep(seconds)
            process.kill()
        output, _ = process.communicate()
    rule = place / "out" / "rule.json"
    if rule.exists():
        json.loads(rule.read_text())  # whole
    assert [path for path in left_behind(place) if path != rule] == []
    return Ledger(place / "ledger").spent[0], rule.exists() or output != ""


def test_what_a_signal_broke_is_told_as_the_signal(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """A query that is broken off may fail before the interruption is noticed."""
    monkeypatch.setattr(signals, "_received", [signal.SIGTERM])
    with pytest.raises(SystemExit) as ended:
        stop("people.csv: the file is damaged", 2)
    assert ended.value.code == 128 + signal.SIGTERM
    assert capfd.readouterr().err.startswith("oracledp: stopped by SIGTERM; no partial file is left")
