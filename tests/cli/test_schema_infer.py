"""``oracledp schema infer`` as typed: a file that loads, a ledger that is charged, one line for what goes wrong."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import oracledp as odp
from oracledp.cli import cli


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": generator.integers(18, 95, 3000), "job": generator.choice(["cook", "smith"], 3000), "id": range(3000)}
    )
    frame["id"] = "p" + frame["id"].astype(str)
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def test_a_schema_is_bought_and_charged(folder: Path) -> None:
    ledger = odp.Ledger.create(folder / "budget.json", epsilon=3, delta="1e-5")
    words = ["schema", "infer", str(folder / "people.csv"), "--epsilon", "2", "--delta", "1e-6", "--json"]
    result = CliRunner().invoke(cli, [*words, "--out", str(folder / "s.yaml"), "--ledger", str(ledger.path)])
    assert result.exit_code == 0, result.output
    assert odp.Schema.load(folder / "s.yaml").names == ("age", "job")
    assert list(json.loads(result.output)["left_out"]) == ["id"]
    assert json.loads(result.output)["guarantee"]["epsilon"] == "2"
    assert ledger.remaining[0] == 1


def test_what_goes_wrong_is_said_in_one_line_and_leaves_no_file(folder: Path) -> None:
    for words, problem in (
        (["--epsilon", "0", "--delta", "1e-6"], "epsilon"),
        (["--epsilon", "1", "--delta", "1"], "delta"),
        (["--epsilon", "1", "--delta", "1e-6", "--delimiter", "ab"], "delimiter"),
    ):
        line = ["schema", "infer", str(folder / "people.csv"), "--out", str(folder / "s.yaml"), *words]
        result = CliRunner().invoke(cli, line)
        assert result.exit_code != 0
        assert problem in result.output + str(result.exception)
        assert not (folder / "s.yaml").exists()
