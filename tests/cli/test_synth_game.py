"""``oracledp synth --method oracle-query``: rows, model, ledger, and options that do not go together."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas
import pytest

from oracledp.cli import main
from oracledp.errors import ModelError
from oracledp.game.oracle_query import OracleQuery
from oracledp.privacy.ledger import Ledger
from oracledp.synthesis import Synthesizer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    first = rng.random(400) < 0.5
    pandas.DataFrame({"a": first, "b": first ^ (rng.random(400) < 0.1), "n": rng.integers(0, 10, 400)}).to_csv(
        tmp_path / "data.csv", index=False
    )
    columns = {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}, "n": {"kind": "integer", "lo": 0, "hi": 9}}
    (tmp_path / "schema.json").write_text(json.dumps({"columns": columns}))
    return tmp_path


def synth(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    command = ["synth", str(folder / "data.csv"), "--schema", str(folder / "schema.json"), "--epsilon", "1"]
    command += ["--delta", "1e-6", "--out", str(folder / "out.csv"), "--method", "oracle-query", "--quiet", *more]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["oracledp", *command])
        code = 0
        try:
            main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def test_rows_model_and_ledger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Ledger.create(folder / "l.json", epsilon=2, delta="1e-5", neighbours="replace-one")
    seeded = ["--seed", "1", "--insecure-seed", "--json"]
    pages = ["--report", str(folder / "r.html")]
    code, shown = synth(
        folder, capsys, "--model", str(folder / "m.json"), "--ledger", str(folder / "l.json"), *pages, *seeded
    )
    assert code == 0, shown
    found = json.loads(shown)
    assert found["rows"] == 400
    assert "game" in (folder / "r.html").read_text()
    assert found["played"]["rounds"] >= 8
    assert found["guarantee"]["neighbours"] == "replace-one"
    assert list(pandas.read_csv(folder / "out.csv").columns) == ["a", "b", "n"]
    assert len(OracleQuery.load(folder / "m.json").sample(7)) == 7
    assert len(Ledger(folder / "l.json").charges) == 1
    with pytest.raises(ModelError, match="of a game"):
        Synthesizer.load(folder / "m.json")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--neighbours", "add-remove"], "replace-one only"),
        (["--workload", "ranges"], "plays for one of"),
        (["--workload", "conjunctions:2", "--player", "surrogate"], "finds halfspaces"),
    ],
)
def test_options_that_do_not_go_together(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], word: str
) -> None:
    code, shown = synth(folder, capsys, *options)
    assert code == 2
    assert word in shown
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("workload", ["disjunctions:2", "parities:2", "halfspaces:2", "conjunctions:1"])
def test_every_class_is_played(folder: Path, capsys: pytest.CaptureFixture[str], workload: str) -> None:
    code, shown = synth(folder, capsys, "--workload", workload, "--rows", "9")
    assert code == 0, shown
    assert len(pandas.read_csv(folder / "out.csv")) == 9
