"""``oracledp plan`` from the outside: JSON fields, exit codes, one clear line for each mistake."""

from __future__ import annotations

import json
import sys
from math import log
from pathlib import Path
from typing import Any

import pytest

from oracledp.cli import main

COMMON = ["--epsilon", "1", "--rows", "100000"]


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["oracledp", "plan", *arguments])
    code = 0
    try:
        main()
    except SystemExit as end:
        code = int(end.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_prsma_json(capsys: Any, monkeypatch: Any) -> None:
    arguments = ["prsma", "--epsilon", "4", "--rows", "1000000", "--delta", "1e-2", "--max-calls", "20000", "--json"]
    code, out, _ = run(capsys, monkeypatch, *arguments)
    data = json.loads(out)
    assert code == 0
    for field in ("parts", "runs_per_part", "part_size", "epsilon_inner", "epsilon_test", "threshold"):
        assert data["design"][field] > 0
    assert 0 < sum(data["design"]["delta_terms"].values()) <= 1e-2


@pytest.mark.parametrize("task", ["learn", "rspm"])
def test_rules(capsys: Any, monkeypatch: Any, task: str, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    arguments = [task, *COMMON, "--literals", "20", "--model", "conjunction", "--size", "2"]
    arguments += ["--target-error", "0.01", "--json"]
    code, out, _ = run(capsys, monkeypatch, *arguments, "--plot", str(picture))
    data = json.loads(out)
    assert code == 0
    assert data["recommended"] in [option["mechanism"] for option in data["options"]]
    assert all(option["rows_needed"] > 0 for option in data["options"])
    assert b"<svg" in picture.read_bytes()


def test_trees_are_planned_as_they_are_learned(capsys: Any, monkeypatch: Any) -> None:
    code, out, _ = run(capsys, monkeypatch, "learn", *COMMON, "--model", "tree", "--literals", "20", "--json")
    data = json.loads(out)
    assert (code, data["recommended"]) == (0, "private-tree")
    found = {option["mechanism"]: option for option in data["options"]}
    least = (log(data["class_size"]) + log(1 / 0.05)) / 10**5  # a uniform prior would do no better than this
    assert found["private-tree"]["available"]
    assert found["private-tree"]["error"] > 0.9 * least


def test_rules_of_a_schema_with_a_public_table(capsys: Any, monkeypatch: Any, tmp_path: Path) -> None:
    schema, table = tmp_path / "s.yaml", tmp_path / "t.csv"
    schema.write_text("columns:\n  a: {kind: boolean}\n  b: {kind: boolean}\n  y: {kind: boolean}\n")
    rows = ["a,b,y"] + [f"{i % 2},{i % 3 == 0:d},{i % 2}" for i in range(200)]
    table.write_text("\n".join(rows) + "\n")
    arguments = ["learn", "--epsilon", "0.1", "--rows", "500", "--schema", str(schema), "--target", "y"]
    arguments += ["--model", "conjunction"]
    code, out, err = run(capsys, monkeypatch, *arguments, "--public", str(table), "--json")
    assert (code, err) == (0, "")
    found = {option["mechanism"]: option for option in json.loads(out)["options"]}
    assert 0 <= found["exponential"]["public_error"] < found["exponential"]["mean_error"]


def test_synth(capsys: Any, monkeypatch: Any) -> None:
    code, out, _ = run(capsys, monkeypatch, "synth", *COMMON, "--delta", "1e-6", "--columns", "10")
    assert code == 0
    assert "synthesizer" in out
    assert "oracle-query:exponential" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", *COMMON], "--literals"),
        (["learn", *COMMON, "--literals", "0"], "--literals"),
        (["learn", *COMMON, "--literals", "5", "--public", "x.csv"], "--schema"),
        (["synth", *COMMON, "--delta", "1e-6"], "--columns"),
        (["synth", *COMMON, "--delta", "1e-6", "--columns", "4", "--workload", "magic"], "--workload"),
        (["synth", *COMMON, "--delta", "1e-6", "--columns", "4", "--workload", "marginals:0"], "--workload"),
        (["synth", *COMMON, "--columns", "4"], "delta"),
        (["prsma", "--epsilon", "1", "--rows", "50", "--delta", "1e-9"], "no design"),
    ],
)
def test_mistakes(capsys: Any, monkeypatch: Any, arguments: list[str], message: str) -> None:
    code, out, err = run(capsys, monkeypatch, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_what_learn_runs_by_default_is_planned_first(capsys: Any, monkeypatch: Any) -> None:
    """Planning and running agree: a plan without a model tries the learners that ``learn`` would run."""
    code, out, _ = run(capsys, monkeypatch, "learn", *COMMON, "--literals", "6", "--json")
    data = json.loads(out)
    assert (code, data["recommended"]) == (0, "surrogate")
    assert [option["note"] for option in data["options"]][:2] == ["oracledp learn", "oracledp learn --model tree"]
    assert all(0 <= option["planted_error"] < 0.3 for option in data["options"])
    code, out, _ = run(capsys, monkeypatch, "learn", *COMMON, "--literals", "6", "--delta", "1e-6", "--json")
    assert json.loads(out)["recommended"] == "gradients"


def test_more_rows_are_worth_more_to_a_card(capsys: Any, monkeypatch: Any) -> None:
    errors = []
    for rows in ("100", "1000000"):
        arguments = ["learn", "--epsilon", "0.1", "--rows", rows, "--literals", "10", "--json"]
        errors.append(json.loads(run(capsys, monkeypatch, *arguments)[1])["options"][0]["planted_error"])
    assert errors[1] < 0.02 < errors[0]


def test_a_card_is_tried_on_public_rows_and_told_how_many_it_needs(
    capsys: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    schema, table = tmp_path / "s.yaml", tmp_path / "t.csv"
    schema.write_text("columns:\n  a: {kind: boolean}\n  b: {kind: boolean}\n  y: {kind: boolean}\n")
    table.write_text("\n".join(["a,b,y"] + [f"{i % 2},{i % 3 == 0:d},{i % 2}" for i in range(200)]) + "\n")
    arguments = ["learn", *COMMON, "--schema", str(schema), "--target", "y", "--public", str(table)]
    code, out, _ = run(capsys, monkeypatch, *arguments, "--target-error", "0.05", "--json")
    card = json.loads(out)["options"][0]
    assert code == 0
    assert card["public_error"] <= 0.01
    assert 64 <= card["rows_needed"] <= 100_000


@pytest.mark.parametrize("option", [["--time"], ["--plot", "p.svg"]])
def test_options_that_need_a_model_say_so(capsys: Any, monkeypatch: Any, option: list[str]) -> None:
    code, out, err = run(capsys, monkeypatch, "learn", *COMMON, "--literals", "6", *option)
    assert (code, out) == (2, "")
    assert "needs --model" in err


def test_a_table_has_no_column_that_nobody_fills(capsys: Any, monkeypatch: Any) -> None:
    out = run(capsys, monkeypatch, "learn", *COMMON, "--literals", "6", "--model", "conjunction")[1]
    assert "expected error" in out
    assert not any(name in out for name in ("seconds", "rows needed", "on public data", "⊥"))
