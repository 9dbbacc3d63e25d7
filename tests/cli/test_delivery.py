"""Check everything, open every output, then pay, then deliver even if saving fails: as a user's shell sees it."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from oracledp.audit.command_doors import installed_command
from oracledp.cli.outputs import NotSaved, outputs
from oracledp.privacy.ledger import Ledger

SCHEMA = "columns: {age: {kind: integer, lo: 0, hi: 99, thresholds: [30, 60]}, sick: {kind: boolean}}\n"
COMMAND = [sys.executable, "-c", "from oracledp.cli import main; main()"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    age = np.random.default_rng(0).integers(0, 100, 500)
    pd.DataFrame({"age": age, "sick": age >= 60}).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "schema.yaml").write_text(SCHEMA)
    for relation in ("replace-one", "add-remove"):
        arguments = ["budget", "create", tmp_path / f"{relation}.json", "--epsilon", "9", "--delta", "0.1"]
        assert run(*arguments, "--neighbours", relation).returncode == 0
    return tmp_path


def run(*arguments: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    options = {"capture_output": True, "text": True, "check": False, "timeout": 300, **more}
    return subprocess.run([*COMMAND, *map(str, arguments)], **options)  # type: ignore[call-overload,no-any-return]


def learn(files: Path, *more: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    base = ["learn", files / "data.csv", "--schema", files / "schema.yaml", "--target", "sick", "--epsilon", "2"]
    return run(*base, "--ledger", files / "add-remove.json", *more, **options)


def synth(files: Path, *more: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    base = ["synth", files / "data.csv", "--schema", files / "schema.yaml", "--epsilon", "2", "--delta", "1e-6"]
    out = [] if "--out" in more else ["--out", files / "rows.csv"]
    ledger = "replace-one" if "oracle-query" in more else "add-remove"
    return run(*base, *out, "--ledger", files / f"{ledger}.json", *more, **options)


def charges(files: Path) -> int:
    return sum(len(Ledger(files / f"{name}.json").charges) for name in ("replace-one", "add-remove"))


def empty(files: Path) -> Path:
    (files / "empty.csv").write_text("age,sick\n")
    return files / "empty.csv"


REFUSED = {
    "a folder that is not there": lambda f: learn(f, "--out", f / "no" / "rule.json"),
    "a name that is too long": lambda f: learn(f, "--out", f / ("x" * 300)),
    "a place that takes no files": lambda f: learn(f, "--out", "/proc/rule.json"),
    "standard output as a file": lambda f: learn(f, "--out", "-"),
    "a page that cannot be written": lambda f: learn(f, "--report", f / "no" / "page.html"),
    "two outputs in one file": lambda f: learn(f, "--out", f / "same", "--report", f / "same"),
    "no standard output": lambda f: learn(f, capture_output=False, stdout=None, preexec_fn=lambda: os.close(1)),
    "a holdout file without rows": lambda f: learn(f, "--holdout", empty(f)),
    "no rows": lambda f: synth(f, "--rows", "-5"),
    "no rows of a game": lambda f: synth(f, "--method", "oracle-query", "--workload", "conjunctions:1", "--rows", "-5"),
    "more rows than fit": lambda f: synth(f, "--rows", "100000000000000"),
    "a model that cannot be written": lambda f: synth(f, "--model", f / "no" / "model.json"),
    "an internal page without its name": lambda f: synth(f, "--internal-report", f / "page.html"),
    "rows in an unknown format": lambda f: synth(f, "--out", f / "rows.xlsx"),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_what_cannot_be_delivered_is_refused_before_it_is_paid_for(files: Path, mistake: str) -> None:
    result = REFUSED[mistake](files)
    assert result.returncode == 2, result.stderr
    assert charges(files) == 0
    assert "Traceback" not in str(result.stderr)
    assert not (files / "rows.csv").exists()


def test_a_missing_library_is_named_before_anything_is_paid(files: Path) -> None:
    (files / "hidden" / "ortools").mkdir(parents=True)
    (files / "hidden" / "ortools" / "__init__.py").write_text("raise ImportError\n")
    path = os.pathsep.join([str(files / "hidden"), os.environ.get("PYTHONPATH", "")])
    result = learn(files, "--mechanism", "rspm", "--oracle", "cp-sat", env={**os.environ, "PYTHONPATH": path})
    assert result.returncode == 2
    assert 'pip install "oracledp[solvers]"' in result.stderr
    assert charges(files) == 0


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000))


def test_a_disk_that_fills_up_after_the_charge_does_not_lose_the_release(files: Path) -> None:
    # The limit leaves room for what is set aside, not for the page, which is larger.
    result = synth(files, "--rows", "20000", preexec_fn=small_files, env={**os.environ, "TMPDIR": str(files)})
    assert result.returncode == 2
    assert charges(files) == 1
    assert "cannot be written" in result.stderr
    assert "age,sick" in result.stdout  # nowhere to save it: printed
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_standard_output_is_made_up_for_on_standard_error(files: Path) -> None:
    with Path("/dev/full").open("w") as full:
        result = learn(files, "--json", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 2
    assert '"rule"' in result.stderr
    assert charges(files) == 1


@pytest.mark.parametrize("named", [True, False])
def test_rules_that_leave_no_record_do_not_lose_the_model(tmp_path: Path, named: bool) -> None:
    """Rows that keep them all cannot be drawn, which shows only when they are: the model is delivered all the same."""
    (tmp_path / "data.csv").write_text("x,y\n" + "60,40\n" * 40)
    columns = {name: {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [50]} for name in "xy"}
    schema = {"columns": columns, "constraints": ["x <= y"], "deny": [["x < 50"], ["y >= 50"]]}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    words = ["synth", f"{tmp_path}/data.csv", "--schema", f"{tmp_path}/schema.json", "--out", f"{tmp_path}/rows.csv"]
    words += ["--epsilon", "1", "--delta", "1e-6", "--quiet", *(["--model", f"{tmp_path}/model.json"] if named else [])]
    kept = tmp_path / ("model.json" if named else "rows.csv.model.json")
    result = CliRunner().invoke(installed_command(), words)
    assert isinstance(result.exception, NotSaved)
    assert "leave next to no record" in str(result.exception)
    assert str(kept) in str(result.exception)
    assert json.loads(kept.read_text())["guarantee"]["epsilon"] == "1"
    assert not (tmp_path / "rows.csv").exists()


def test_devices_stay_devices(files: Path) -> None:
    # The bug: as root, --out /dev/null replaced the system's null device by a regular file.
    before = Path(os.devnull).stat()
    assert learn(files, "--out", os.devnull).returncode == 0
    assert Path(os.devnull).stat().st_ino == before.st_ino


def test_an_unforeseen_error_is_one_line_without_its_message(files: Path) -> None:
    code = (
        "from oracledp.data.table import Table\n"
        "def broken(*a, **k): raise RuntimeError('secret 4711')\n"
        "Table.from_address = broken\n"
        "from oracledp.cli import main; main()"
    )
    base = ["learn", files / "data.csv", "--schema", files / "schema.yaml", "--target", "sick", "--epsilon", "2"]
    command = [sys.executable, "-c", code, *map(str, base)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "4711" not in result.stderr
    assert "RuntimeError" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_seeded_charge_is_marked_in_the_budget(files: Path) -> None:
    assert learn(files, "--seed", "1", "--insecure-seed").returncode == 0
    assert "NOT PRIVATE" in run("budget", "show", files / "add-remove.json").stdout
    data = json.loads(run("budget", "show", files / "add-remove.json", "--json").stdout)
    assert data["charges"][0]["private"] is False


def test_a_paid_look_at_the_schema_is_noisy_and_charged(files: Path) -> None:
    (files / "decades.yaml").write_text("columns: {age: {kind: integer, lo: 0, hi: 9}, sick: {kind: boolean}}\n")
    look = ["schema", "check", files / "data.csv", "--schema", files / "decades.yaml", "--epsilon", "1", "--json"]
    result = run(*look, "--ledger", files / "add-remove.json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["suspects"] == ["age"]
    assert json.loads(result.stdout)["guarantee"]["robust"]
    assert charges(files) == 1
    assert run(*look[:5], "--ledger", files / "add-remove.json").returncode == 2
    assert charges(files) == 1


def test_a_file_with_too_many_columns_is_refused_at_once(files: Path) -> None:
    (files / "wide.csv").write_text(",".join(["age", "sick", *(f"c{i}" for i in range(100_000))]) + "\n")
    base = ["learn", files / "wide.csv", "--schema", files / "schema.yaml", "--target", "sick", "--epsilon", "2"]
    result = run(*base)
    assert result.returncode == 2
    assert "100,002 columns" in result.stderr


def test_a_page_that_is_not_private_is_rescued_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with outputs(internal_report=str(tmp_path / "internal.html")) as files:
        files.write_text("internal-report", lambda: 1 / 0, rescue=False)  # type: ignore[arg-type,return-value]
        with pytest.raises(NotSaved) as caught:
            files.settle()
    assert "instead" not in str(caught.value)
    assert capsys.readouterr().out == ""
