"""Nothing but the release depends on the data: files, text, exit codes, logs, pickles; and randomness has no memory."""

import contextlib
import io
import json
import logging
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from broken.hostile_oracles import FailsOnDemand
from oracledp.cli import main
from oracledp.errors import OracleFailure
from oracledp.learners import ConjunctionClassifier, DecisionListClassifier, HalfspaceClassifier
from oracledp.privacy.ledger import Ledger
from oracledp.randomness import noise
from oracledp.randomness.source import SeededRandomness, SystemRandomness

SCHEMA = odp.Schema({"columns": {name: {"kind": "boolean"} for name in "abcy"}})
YAML = "columns: {a: {kind: boolean}, b: {kind: boolean}, c: {kind: boolean}, y: {kind: boolean}}"


def frame(rows: int = 200, seed: int = 0) -> pd.DataFrame:
    values = np.random.default_rng(seed).integers(0, 2, (rows, 3)).astype(bool)
    return pd.DataFrame({"a": values[:, 0], "b": values[:, 1], "c": values[:, 2], "y": values[:, 0]})


def neighbour(table: pd.DataFrame) -> pd.DataFrame:
    """One record replaced by one that follows no rule."""
    other = table.copy()
    other.loc[5] = ~other.loc[5].to_numpy()
    other.loc[5, "y"] = not other.loc[5, "a"]
    return other


TWINS = (frame(), neighbour(frame()))


# ---- the command line --------------------------------------------------------------------------------
class Ran:
    """One run of the command line, in this process: everything that shows."""

    def __init__(self, *arguments: object) -> None:
        out, err = io.StringIO(), io.StringIO()
        before = sys.argv
        sys.argv = ["oracledp", *map(str, arguments)]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main()
            self.code: object = 0
        except SystemExit as stop:
            self.code = stop.code
        finally:
            sys.argv = before
        self.out, self.err = out.getvalue(), err.getvalue()


def learn(folder: Path, table: pd.DataFrame, *more: object) -> tuple[Ran, dict[str, int]]:
    """Learn from the table; also the size of every file that is left."""
    folder.mkdir()
    (folder / "schema.yaml").write_text(YAML)
    table.to_csv(folder / "data.csv", index=False)
    inputs = {path.name for path in folder.iterdir()}
    with contextlib.chdir(folder):
        ran = Ran("learn", "data.csv", "--schema", "schema.yaml", "--target", "y", "--out", "rule.json", *more)
    return ran, {path.name: path.stat().st_size for path in folder.iterdir() if path.name not in inputs}


@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "report-noisy-min", "rspm"])
def test_neighbours_look_the_same_on_the_command_line(tmp_path: Path, mechanism: str) -> None:
    """At a large epsilon both tables release the same rule: text, errors, exit code and files agree to the byte."""
    options = ("--epsilon", "20", "--mechanism", mechanism, "--seed", "1", "--insecure-seed", "--size", "2")
    for style in ((), ("--json",)):
        runs = [learn(tmp_path / f"{i}{len(style)}", table, *options, *style) for i, table in enumerate(TWINS)]
        (one, files), (other, other_files) = runs
        assert (one.code, one.out, one.err) == (other.code, other.out, other.err)
        assert files == other_files
        assert set(files) == {"rule.json"}


@pytest.mark.parametrize("strict", [False, True])
def test_bad_values_look_the_same_on_the_command_line(tmp_path: Path, strict: bool) -> None:
    """They do not show at all, or strictly read all of them show in the same way."""
    runs, options = [], ("--epsilon", "20", "--model", "conjunction", "--seed", "1", "--insecure-seed")
    for i, secret in enumerate(("17", "Müller", "truer", *(() if strict else ("False",)))):
        table = frame().astype(str)
        table.loc[3, "b"] = secret
        runs.append(learn(tmp_path / str(i), table, *options, *(["--strict"] if strict else [])))
    assert len({(ran.code, ran.out, ran.err, tuple(files.items())) for ran, files in runs}) == 1
    assert runs[0][0].code == (2 if strict else 0)
    assert bool(runs[0][1]) == (not strict)


def test_a_refused_budget_tells_nothing_of_the_table(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "ledger", epsilon="1/2")
    more = ("--epsilon", "1", "--ledger", tmp_path / "ledger")
    runs = [learn(tmp_path / str(i), table, *more) for i, table in enumerate(TWINS)]
    assert len({(ran.code, ran.out, ran.err) for ran, _ in runs}) == 1
    assert runs[0][0].code == 3


# ---- releases, logs and pickles ------------------------------------------------------------------------
def rules(kind: type[Any], **options: Any) -> Any:
    literals = SCHEMA.literals
    return odp.ZeroOneLoss.of(kind(literals.without("y"), **options), literals[-1])


CASES: dict[str, Callable[..., odp.Release]] = {
    "search": lambda t, **k: odp.rspm(t, rules(odp.DecisionLists, length=2), epsilon=20, oracle="search", **k),
    "exhaustive": lambda t, **k: odp.rspm(t, rules(odp.Parities), epsilon=20, oracle="exhaustive", **k),
    "cp-sat": lambda t, **k: odp.rspm(t, rules(odp.Conjunctions), epsilon=20, oracle="cp-sat", **k),
    "separator": lambda t, **k: odp.rspm(t, rules(odp.Conjunctions), epsilon=90, embedding="separator", **k),
}


@pytest.mark.parametrize("name", CASES)
def test_releases_of_neighbours_agree_to_the_byte(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Work counters, node counts, times and sizes are in no release, whatever oracle found it."""
    if name == "cp-sat":
        pytest.importorskip("ortools")
    caplog.set_level(logging.DEBUG)
    shown = []
    for table in TWINS:
        release = CASES[name](odp.Table.from_frame(table, SCHEMA), source=SeededRandomness(3))
        shown.append((json.dumps(release.to_json()), repr(release), pickle.dumps(release), tuple(caplog.messages)))
        caplog.clear()
    assert shown[0] == shown[1]
    assert all(line.startswith(release.mechanism) for line in shown[0][3])  # the guarantee alone is logged


def test_a_failed_oracle_says_the_same_whatever_the_table(tmp_path: Path) -> None:
    messages = []
    for i, table in enumerate(TWINS):
        ledger = Ledger.create(tmp_path / str(i), epsilon=1, delta="1e-6")
        with pytest.raises(OracleFailure) as caught:
            odp.rspm(
                odp.Table.from_frame(table, SCHEMA),
                rules(odp.Conjunctions),
                epsilon=1,
                oracle=FailsOnDemand(when=lambda problem: len(problem.records) > 0),
                ledger=ledger,
            )
        messages.append(str(caught.value))
        assert ledger.spent[0] == 1
    assert messages[0] == messages[1]


def test_a_table_shows_its_schema_only() -> None:
    tables = [odp.Table.from_frame(table, SCHEMA) for table in TWINS]
    assert repr(tables[0]) == repr(tables[1]) == str(tables[0])
    with pytest.raises(TypeError):
        len(tables[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("estimator", [ConjunctionClassifier, DecisionListClassifier, HalfspaceClassifier])
def test_a_pickled_estimator_holds_no_training_data(estimator: type[Any]) -> None:
    """Its size does not grow with the rows, and no array in it is as long as the table."""
    sizes = []
    for rows in (200, 5000):
        data = frame(rows)
        model = estimator(epsilon=20, schema=SCHEMA, random_state=0).fit(data.drop(columns="y"), data["y"])
        sizes.append(len(pickle.dumps(model)))
        for value in vars(model).values():
            assert np.size(value) < 100
    assert abs(sizes[0] - sizes[1]) < 200  # the rule may differ; 5,000 rows of data would not fit


# ---- randomness ------------------------------------------------------------------------------------------
SOURCES: dict[str, Callable[[], bytes]] = {
    "bytes": lambda: SystemRandomness().bytes(32),
    "compiled geometric": lambda: noise.geometric(2**50, 8, SystemRandomness()).tobytes(),
    "compiled laplace": lambda: noise.discrete_laplace(2**50, 8, SystemRandomness()).tobytes(),
    "uniform": lambda: noise.uniform(2**62, 8, SystemRandomness()).tobytes(),
    "gaussian": lambda: noise.discrete_gaussian(Fraction(2**90), 8, SystemRandomness()).tobytes(),
}


def _draw_into(name: str, queue: Any) -> None:
    queue.put(SOURCES[name]())


@pytest.mark.parametrize("name", SOURCES)
def test_forked_processes_draw_different_noise(name: str) -> None:
    """A parent that has drawn before leaves no buffered bits to its children: all draws differ."""
    context = multiprocessing.get_context("fork")
    SOURCES[name]()
    queue = context.Queue()
    children = [context.Process(target=_draw_into, args=(name, queue)) for _ in range(3)]
    for child in children:
        child.start()
    draws = [queue.get(timeout=60) for _ in children] + [SOURCES[name]()]
    for child in children:
        child.join(timeout=60)
    assert len(set(draws)) == len(draws)


@pytest.mark.parametrize("name", SOURCES)
def test_threads_draw_different_noise(name: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        draws = list(pool.map(lambda _: SOURCES[name](), range(400)))
    assert len(set(draws)) == len(draws)


def test_a_pickled_source_of_noise_carries_no_state() -> None:
    """Sending the operating system's source to another process sends nothing that could be repeated."""
    copy = pickle.loads(pickle.dumps(SystemRandomness()))
    assert copy == SystemRandomness()
    assert copy.bytes(32) != SystemRandomness().bytes(32)


# ---- a run that is killed ------------------------------------------------------------------------------
KILLED = f"""
import os, signal, sys
sys.path.append({str(Path(__file__).parents[1])!r})
import numpy as np
import oracledp as odp
from oracledp.privacy.ledger import Ledger
from broken.hostile_oracles import HostileOracle
from pathlib import Path

class Dies(HostileOracle):
    def solve(self, problem):
        if len(problem.records):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().solve(problem)

schema = odp.Schema({{"columns": {{name: {{"kind": "boolean"}} for name in "ay"}}}})
table = odp.Table.from_codes(np.array([[0, 1], [1, 0]], dtype=np.uint8), schema)
rules = odp.ZeroOneLoss.of(odp.Conjunctions(schema.literals.without("y")), schema.literals[1])
release = odp.rspm(table, rules, epsilon="1/4", oracle=Dies(), ledger=Ledger(Path(sys.argv[1])))
release.save(sys.argv[2])
"""


def test_a_run_killed_in_its_oracle_stays_charged_and_leaves_no_file(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger", epsilon=1, delta="1e-6")
    for times in (1, 2):
        run = subprocess.run(
            [sys.executable, "-c", KILLED, str(ledger.path), str(tmp_path / "rule.json")],
            check=False,
            capture_output=True,
            env=os.environ.copy(),
        )
        assert run.returncode == -signal.SIGKILL, run.stderr
        assert run.stdout == b""
        assert ledger.spent[0] == Fraction(times, 4)
    assert {path.name for path in tmp_path.iterdir()} == {"ledger"}
