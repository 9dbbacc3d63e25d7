"""``oracledp synth --workload``: names, conditions, weights and errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas
import pytest

from oracledp.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"age": rng.integers(0, 20, 500), "smoker": rng.random(500) < 0.3})
    frame.to_csv(tmp_path / "data.csv", index=False)
    schema = {"age": {"kind": "integer", "lo": 0, "hi": 19}, "smoker": {"kind": "boolean"}}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    return tmp_path


def run(folder: Path, capsys: pytest.CaptureFixture[str], *workloads: str) -> tuple[int, str]:
    options = [part for workload in workloads for part in ("--workload", workload)]
    command = ["synth", str(folder / "data.csv"), "--schema", str(folder / "schema.json"), "--epsilon", "3"]
    command += [
        "--delta",
        "1e-6",
        "--out",
        str(folder / "out.csv"),
        "--seed",
        "1",
        "--insecure-seed",
        "--quiet",
        "--json",
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["oracledp", *command, *options])
        try:
            main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    shown = capsys.readouterr()
    return code, shown.out if shown.out else shown.err


def test_several_workloads_with_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = run(folder, capsys, "marginals:2 * 3", "ranges", "age >= 10 and smoker * 1/2")
    assert code == 0, output
    assert json.loads(output)["measured"]["queries"] == 1


def test_classes_are_played_in_rounds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = run(folder, capsys, "conjunctions:3")
    assert code == 0, output
    assert json.loads(output)["measured"]["queries"] >= 2


@pytest.mark.parametrize("workload", ["marginals:9", "nonsense", "halfspaces * 0", "parities:x"])
def test_bad_workloads_exit_with_two_and_say_why(
    folder: Path, capsys: pytest.CaptureFixture[str], workload: str
) -> None:
    code, output = run(folder, capsys, workload)
    assert code == 2
    assert "workload" in output
    assert not (folder / "out.csv").exists()
