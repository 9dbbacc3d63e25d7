"""The command line as a user meets it: results, exit codes, one clear line for each mistake, no partial files."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SCHEMA = """
columns:
  age: {kind: integer, lo: 0, hi: 99, thresholds: [30, 60]}
  colour: {kind: categorical, values: [red, green, blue]}
  sick: {kind: boolean}
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from oracledp.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    age, colour = rng.integers(0, 100, 2000), rng.choice(["red", "green", "blue"], 2000)
    frame = pd.DataFrame({"age": age, "colour": colour, "sick": (age >= 60) | (colour == "red")})
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.to_parquet(tmp_path / "data.parquet")
    (tmp_path / "schema.yaml").write_text(SCHEMA)
    return tmp_path


def learn(
    files: Path, *more: str | Path, data: str = "data.csv", target: str = "sick"
) -> subprocess.CompletedProcess[str]:
    return run("learn", files / data, "--schema", files / "schema.yaml", "--target", target, *more)


def test_learn_prints_rule_guarantee_and_holdout(files: Path) -> None:
    result = learn(
        files, "--model", "disjunction", "--size", "2", "--epsilon", "1", "--holdout", files / "data.parquet", "--json",
        "--out", files / "model.json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert set(data) >= {"rule", "guarantee", "holdout_accuracy", "certificate"}
    assert data["rule"] == "predict sick when (age >= 60) or (colour = red)"
    assert data["holdout_accuracy"] == 1.0
    assert data["guarantee"]["robust"] is True
    assert json.loads((files / "model.json").read_text())["rule"] == data["rule"]


@pytest.mark.parametrize("model", ["conjunction", "parity", "decision-list", "halfspace", "tree"])
def test_every_model_learns(files: Path, model: str) -> None:
    result = learn(files, "--model", model, "--epsilon", "2", "--json", data="data.parquet")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["guarantee"]["epsilon"] == "2"


def test_a_solver_makes_the_guarantee_contingent(files: Path) -> None:
    result = learn(files, "--epsilon", "1", "--size", "1", "--mechanism", "rspm", "--oracle", "cp-sat")
    assert result.returncode == 0, result.stderr
    assert "contingent" in result.stdout
    assert "cp-sat" in result.stdout


def test_budget_is_charged_and_then_refused(files: Path) -> None:
    ledger = files / "budget.json"
    assert run("budget", "create", ledger, "--epsilon", "1").returncode == 0
    assert learn(files, "--epsilon", "0.75", "--ledger", ledger).returncode == 0
    refused = learn(files, "--epsilon", "0.5", "--ledger", ledger, "--out", files / "no.json")
    assert refused.returncode == 3
    assert "0.25" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
    assert not (files / "no.json").exists()
    left = json.loads(run("budget", "show", ledger, "--json").stdout)
    assert left["remaining"]["epsilon"] == "1/4"


def test_a_seed_needs_its_flag_and_marks_the_output(files: Path) -> None:
    refused = learn(files, "--epsilon", "1", "--seed", "1")
    assert refused.returncode == 2
    assert "--insecure-seed" in refused.stderr
    runs = [learn(files, "--epsilon", "0.01", "--seed", "1", "--insecure-seed").stdout for _ in range(2)]
    assert runs[0] == runs[1]
    assert "NOT PRIVATE" in runs[0]


SECRET = "zebra4711"


def bad_inputs(files: Path) -> dict[str, list[str | Path]]:
    """Name of the mistake → arguments; each must give exit code 2, one line, and no secret."""
    schema = files / "schema.yaml"
    frame = pd.read_csv(files / "data.csv")
    frame.loc[7, "colour"] = SECRET
    frame.to_csv(files / "outside.csv", index=False)
    frame.drop(columns="colour").to_csv(files / "missing.csv", index=False)
    frame.head(0).to_csv(files / "empty.csv", index=False)
    (files / "latin.csv").write_bytes(b"age,colour,sick\n1,r\xe9d" + SECRET.encode() + b",true\n")
    (files / "cut.parquet").write_bytes((files / "data.parquet").read_bytes()[:600])
    (files / "nobound.yaml").write_text("columns: {age: {kind: integer, lo: 0}, sick: {kind: boolean}}")
    base: list[str | Path] = ["--target", "sick", "--epsilon", "1"]
    return {
        "value outside": ["learn", files / "outside.csv", "--schema", schema, *base, "--strict"],
        "missing column": ["learn", files / "missing.csv", "--schema", schema, *base],
        "empty table": ["learn", files / "empty.csv", "--schema", schema, *base, "--neighbours", "replace-one"],
        "not UTF-8": ["learn", files / "latin.csv", "--schema", schema, *base, "--strict"],
        "truncated parquet": ["learn", files / "cut.parquet", "--schema", schema, *base],
        "missing bound": ["learn", files / "data.csv", "--schema", files / "nobound.yaml", *base],
        "no such file": ["learn", files / "nothing.csv", "--schema", schema, *base],
        "no such schema": ["learn", files / "data.csv", "--schema", files / "nothing.yaml", *base],
        "unknown target": ["learn", files / "data.csv", "--schema", schema, "--target", "height=1", "--epsilon", "1"],
        "epsilon zero": ["learn", files / "data.csv", "--schema", schema, "--target", "sick", "--epsilon", "0"],
        "epsilon negative": ["learn", files / "data.csv", "--schema", schema, "--target", "sick", "--epsilon=-1"],
        "epsilon no number": ["learn", files / "data.csv", "--schema", schema, "--target", "sick", "--epsilon", "x"],
        "unknown model": ["learn", files / "data.csv", "--schema", schema, *base, "--model", "forest"],
        "unknown oracle": [
            "learn", files / "data.csv", "--schema", schema, *base, "--mechanism", "rspm", "--oracle", "delphi",
        ],
        "size zero": ["learn", files / "data.csv", "--schema", schema, *base, "--size", "0"],
        "no ledger": ["learn", files / "data.csv", "--schema", schema, *base, "--ledger", files / "none.json"],
        "no folder for out": ["learn", files / "data.csv", "--schema", schema, *base, "--out", files / "no" / "m.json"],
    }  # fmt: skip


def test_every_mistake_gets_one_clear_line(files: Path) -> None:
    for mistake, arguments in bad_inputs(files).items():
        out = files / "result.json"
        more = [] if "--out" in arguments else ["--out", out]
        result = run(*arguments, *more)
        message = [line for line in result.stderr.splitlines() if line and not line.startswith(("Usage", "Try"))]
        assert result.returncode == 2, (mistake, result.stderr)
        assert len(message) == 1, (mistake, message)
        assert "Traceback" not in result.stderr, mistake
        assert SECRET not in result.stderr + result.stdout, mistake
        assert not out.exists(), mistake


def test_no_value_is_a_mistake_unless_strict(files: Path) -> None:
    for mistake in ("value outside", "not UTF-8"):
        arguments = [argument for argument in bad_inputs(files)[mistake] if argument != "--strict"]
        guarantee = json.loads(run(*arguments, "--json").stdout)["guarantee"]
        assert guarantee["assumes"] == [], mistake
    schema = ["--schema", files / "schema.yaml", "--target", "sick", "--epsilon", "1"]
    strict = json.loads(run("learn", files / "data.csv", *schema, "--strict", "--json").stdout)["guarantee"]
    assert strict["assumes"] == ["all values of the table lie in its schema"]


def test_messages_name_the_column(files: Path) -> None:
    inputs = bad_inputs(files)
    assert "colour" in run(*inputs["value outside"]).stderr
    assert "colour" in run(*inputs["missing column"]).stderr
    assert "age" in run(*inputs["missing bound"]).stderr
    assert "height" in run(*inputs["unknown target"]).stderr


def test_schema_commands(files: Path) -> None:
    checked = json.loads(run("schema", "check", files / "schema.yaml", "--json").stdout)
    assert checked["columns"] == ["age", "colour", "sick"]
    assert run("schema", "draft", files / "data.csv", "--out", files / "d.yaml").returncode == 2
    drafted = run("schema", "draft", files / "data.csv", "--out", files / "d.yaml", "--public")
    assert drafted.returncode == 0, drafted.stderr
    assert run("schema", "check", files / "d.yaml").returncode == 0


def test_audit_and_mutants() -> None:
    rows = json.loads(run("audit", "report-noisy-min", "--json").stdout)["mechanisms"]
    assert rows
    assert all(row["holds"] for row in rows)
    assert {"name", "claimed_epsilon", "exact_epsilon", "delta", "neighbours", "holds"} <= set(rows[0])
    mutants = json.loads(run("audit", "--mutants", "no-dummies", "half-scale", "--json").stdout)["mutants"]
    assert [m["caught"] for m in mutants] == [True, True]
    assert run("audit", "nothing").returncode == 2


def test_demo_learns_from_a_real_table() -> None:
    data = json.loads(run("demo", "--json").stdout)
    assert data["error"] < data["majority_error"]
    assert data["guarantee"]["robust"] is True


def test_synth_and_answer(files: Path) -> None:
    result = run(
        "synth", files / "data.csv", "--schema", files / "schema.yaml", "--epsilon", "2", "--delta", "1e-5",
        "--rows", "500",
        "--out", files / "rows.csv", "--model", files / "model.json", "--report", files / "page.html", "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert {"rows", "guarantee", "measured", "report"} <= set(data)
    rows = pd.read_csv(files / "rows.csv")
    assert list(rows.columns) == ["age", "colour", "sick"]
    assert len(rows) == 500
    page = (files / "page.html").read_text()
    assert "differentially private" in page
    assert "http" not in page.replace("<!doctype", "")
    answered = json.loads(run("answer", files / "model.json", "age >= 60", "--json").stdout)
    assert answered["low"] <= answered["value"] <= answered["high"]
    assert run("answer", files / "model.json", "height >= 60").returncode == 2
    assert run("answer", files / "nothing.json", "age >= 60").returncode == 2


def test_the_internal_page_is_written_on_request_only_and_says_so(files: Path) -> None:
    options = ["--schema", files / "schema.yaml", "--epsilon", "2", "--delta", "1e-5", "--out", files / "rows.csv"]
    refused = run("synth", files / "data.csv", *options, "--internal-report", files / "comparison.html")
    assert refused.returncode == 2
    assert "must contain 'internal'" in refused.stderr
    assert not (files / "rows.csv").exists()
    done = run("synth", files / "data.csv", *options, "--internal-report", files / "internal.html")
    assert done.returncode == 0, done.stderr
    assert "NOT PRIVATE" in done.stderr
    assert "INTERNAL – NOT PRIVATE" in (files / "internal.html").read_text(encoding="utf-8")


def test_a_rule_page_is_self_contained(files: Path) -> None:
    for model, expected in (
        ("halfspace", "points"),
        ("decision-list", "else"),
        ("tree", "otherwise"),
        ("disjunction", "any of"),
    ):
        page = files / f"{model}.html"
        assert learn(files, "--model", model, "--epsilon", "1", "--report", page).returncode == 0
        text = page.read_text()
        assert expected in text
        assert "<script" not in text
        assert "http" not in text


def test_robust_learning_needs_delta_and_says_so(files: Path) -> None:
    refused = learn(files, "--epsilon", "1", "--robust", "--oracle", "heuristic")
    assert refused.returncode == 2
    assert "delta" in refused.stderr
