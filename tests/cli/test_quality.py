"""``oracledp quality``: exact figures of private rows, marked as such, and one line for whatever cannot be compared."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from in_process import invoke
from oracledp.cli import cli

MARK = "INTERNAL – NOT PRIVATE"
COLUMNS = {"age": {"kind": "integer", "lo": 0, "hi": 99}, "sick": {"kind": "boolean"}}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for seed, name in enumerate(("real", "made")):
        age = np.random.default_rng(seed).integers(0, 100, 200)
        pd.DataFrame({"age": age, "sick": age >= 60}).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "internal.csv").write_bytes((tmp_path / "real.csv").read_bytes())
    (tmp_path / "other.csv").write_text("age\n1\n")
    (tmp_path / "empty.csv").write_text("age,sick\n")
    (tmp_path / "nothing.csv").write_text("")
    (tmp_path / "page.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "plain.json").write_text("{}")
    (tmp_path / "linked.json").write_text('{"oracledp-linked-model": 1}')
    (tmp_path / "schema.json").write_text(json.dumps({"columns": COLUMNS}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], folder: Path) -> Run:
    return lambda *options: invoke(capsys, "quality", *options)


def test_figures_are_marked_in_text_in_json_and_on_the_page(run: Run, folder: Path) -> None:
    asked = ("real.csv", "made.csv", "--schema", "schema.json")
    code, shown, err = run(*asked, "--quiet")
    assert (code, err) == (0, "")
    assert shown.startswith(MARK)
    code, shown, _ = run(*asked, "--page", "internal.html", "--json")
    found = json.loads(shown)
    assert (code, found["marking"], found["private"]) == (0, MARK, False)
    assert found["values"][0]["column"] == "age"
    assert MARK in (folder / "internal.html").read_text()
    again = json.loads(run(*asked, "--json", "--quiet")[1])
    assert again == found


@pytest.mark.parametrize("method", ["measured", "oracle-query"])
def test_a_saved_model_brings_its_own_schema(method: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    made = ("--out", "out.csv", "--model", "model.json", "--workload", "conjunctions:2", "--method", method, "--quiet")
    budget = ("--epsilon", "5", "--delta", "1e-6")
    assert invoke(capsys, "synth", "real.csv", "--schema", "schema.json", *budget, *made)[0] == 0
    code, shown, err = run("real.csv", "model.json", "--quiet", "--json")
    assert (code, err) == (0, "")
    assert json.loads(shown)["marking"] == MARK


BAD = {
    "no schema": (("real.csv", "made.csv"), "made.csv: name the schema of both files with --schema"),
    "no real rows": (("none.csv", "made.csv", "--schema", "schema.json"), "none.csv: no such file"),
    "no synthetic rows": (("real.csv", "none.csv", "--schema", "schema.json"), "none.csv: no such file"),
    "no model": (("real.csv", "none.json"), "cannot read a synthetic model from none.json"),
    "another file": (("real.csv", "plain.json"), "not a synthetic model"),
    "linked": (("real.csv", "linked.json"), "linked.json: this model is of linked tables"),
    "bad schema": (("real.csv", "made.csv", "--schema", "plain.json"), "plain.json: key 'columns': missing"),
    "other columns": (("real.csv", "other.csv", "--schema", "schema.json"), "column 'sick' is missing from other.csv"),
    "nothing real": (("empty.csv", "made.csv", "--schema", "schema.json"), "empty.csv: there are no rows to compare"),
    "nothing made": (("real.csv", "empty.csv", "--schema", "schema.json"), "empty.csv: there are no rows to compare"),
    "not CSV": (("real.csv", "page.png", "--schema", "schema.json"), "page.png: the format is told by the name"),
    "no header": (("real.csv", "nothing.csv", "--schema", "schema.json"), "nothing.csv: line 1 must be a header"),
    "one file": (("real.csv", "./real.csv", "--schema", "schema.json"), "./real.csv: REAL and SYNTHETIC are the same"),
    "target": (("real.csv", "made.csv", "--schema", "schema.json", "--target", "pay"), "no column 'pay'"),
    "page": (("real.csv", "made.csv", "--schema", "schema.json", "--page", "page.html"), "must contain 'internal'"),
    "seed": (("real.csv", "made.csv", "--schema", "schema.json", "--seed", "-1"), "--seed must be from 0"),
    "large seed": (("real.csv", "made.csv", "--schema", "schema.json", "--seed", str(1 << 32)), "--seed must be from"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_compared_is_refused_in_one_line(case: str, run: Run) -> None:
    options, reason = BAD[case]
    code, shown, err = run(*options, "--quiet")
    assert (code, shown) == (2, "")
    assert reason in err
    assert err.count("\n") == 1


def test_the_page_overwrites_none_of_the_tables(run: Run, folder: Path) -> None:
    before = (folder / "internal.csv").read_bytes()
    for tables in (("internal.csv", "made.csv"), ("made.csv", "internal.csv")):
        code, _, err = run(*tables, "--schema", "schema.json", "--page", "internal.csv", "--quiet")
        assert code == 2
        assert "would overwrite it" in err
    assert (folder / "internal.csv").read_bytes() == before


def test_help_says_that_it_is_not_private() -> None:
    for command in (["--help"], ["quality", "--help"]):
        assert "NOT PRIVATE" in " ".join(CliRunner().invoke(cli, command).output.split())
