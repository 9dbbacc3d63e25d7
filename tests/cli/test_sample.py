"""``oracledp sample``: rows from a saved model, measured or played, that meet conditions."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from in_process import invoke

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(params=["measured", "oracle-query"])
def model(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    age = np.random.default_rng(0).integers(0, 100, 400)
    pd.DataFrame({"age": age, "sick": age >= 60}).to_csv(tmp_path / "data.csv", index=False)
    schema = {"age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [30, 60]}, "sick": {"kind": "boolean"}}
    (tmp_path / "schema.json").write_text(json.dumps({"columns": schema}))
    workload = ["--workload", "conjunctions:2", "--method", request.param]
    made = ["--out", str(tmp_path / "out.csv"), "--model", str(tmp_path / "model.json"), "--rows", "9"]
    command = ["synth", str(tmp_path / "data.csv"), "--schema", str(tmp_path / "schema.json"), "--epsilon", "5"]
    code, _, err = invoke(capsys, *command, "--delta", "1e-6", *workload, *made, "--quiet")
    assert code == 0, err
    return tmp_path / "model.json"


def test_rows_repeat_with_a_seed_and_meet_every_condition(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, again = model.with_name("rows.csv"), model.with_name("again.parquet")
    asked = ["--rows", "150", "--seed", "3", "--where", "age >= 30", "--where", "not sick"]
    code, shown, err = invoke(capsys, "sample", str(model), *asked, "--out", str(out), "--json")
    assert (code, err) == (0, "")
    found, rows = json.loads(shown), pd.read_csv(out)
    assert (found["rows"], found["where"]) == (150, ["age >= 30", "not sick"])
    assert found["guarantee"]["epsilon"] == "5"
    assert len(rows) == 150
    assert rows["age"].min() >= 30
    assert not rows["sick"].any()
    assert invoke(capsys, "sample", str(model), *asked, "--out", str(again))[0] == 0
    assert pd.read_parquet(again).to_numpy().tolist() == rows.to_numpy().tolist()


def test_one_text_may_hold_several_conditions(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = model.with_name("rows.csv")
    asked = ("--where", "age > 29 and age <= 59 and not sick", "--rows", "50", "--out", str(out))
    code, _, err = invoke(capsys, "sample", str(model), *asked)
    assert (code, err) == (0, "")
    assert pd.read_csv(out)["age"].between(30, 59).all()


def test_as_many_rows_as_the_model_believes_there_are(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown, _ = invoke(capsys, "sample", str(model), "--out", str(model.with_name("rows.csv")))
    assert code == 0
    assert 300 < len(pd.read_csv(model.with_name("rows.csv"))) < 500
    assert "differentially private" in shown


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (["--where", "height >= 3"], "height"),
        (["--where", "agee >= 60 and sick"], "no column 'agee'; did you mean 'age'?"),
        (["--where", "age >= 61"], "possible near 61: 60\n"),
        (["--where", "age >= 60", "--where", "age < 30"], "conditions"),
        (["--rows", "0"], "--rows"),
        (["--rows", "100000000000"], "at most"),
        (["--seed", "-1"], "seed"),
        (["--out", "no/such/folder.csv"], "cannot be written"),
        (["--out", "rows.xlsx"], ".parquet"),
    ],
)
def test_a_mistake_is_one_line_and_no_file(
    model: Path, capsys: pytest.CaptureFixture[str], more: list[str], word: str
) -> None:
    target = model.with_name("rows.csv")
    code, shown, err = invoke(capsys, "sample", str(model), "--out", str(target), *more)
    assert (code, shown) == (2, "")
    assert word in err
    assert len(err.strip().splitlines()) == 1
    assert not target.exists()


def test_what_is_no_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rule.json").write_text('{"rule": "predict"}')
    for name in ("rule.json", "none.json"):
        code, _, err = invoke(capsys, "sample", str(tmp_path / name), "--out", str(tmp_path / "rows.csv"))
        assert code == 2
        assert len(err.strip().splitlines()) == 1
