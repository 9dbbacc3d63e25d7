"""A header with a blank after every delimiter: columns are called without it, and files are written with it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import oracledp as odp
from in_process import invoke
from oracledp.errors import DataError

SEED = ["--seed", "3", "--insecure-seed"]
BUDGET = ["--epsilon", "4", "--delta", "1e-6"]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = [f"{n // 2}, {n % 70}, {'yes' if n % 3 else 'no'}, {rng.choice(['cook', 'smith'])}" for n in range(3000)]
    (tmp_path / "raw.csv").write_text("who, age, smokes, job\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_every_option_takes_names_without_the_blank(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, schema = str(raw / "raw.csv"), str(raw / "s.yaml")
    bought = ["schema", "infer", source, *BUDGET, *SEED, "--person", "who", "--rows-per-person", "2", "--out", schema]
    code, _, err = invoke(capsys, *bought)
    assert code == 0, err
    written = yaml.safe_load(Path(schema).read_text())
    assert list(written["columns"]) == ["age", "smokes", "job"]
    assert written["file"] == {"lines": "lf", "blanks": "after"} or written["file"] == {"blanks": "after"}
    learned = ["--target", "smokes = yes", "--epsilon", "1", "--model", "conjunction", "--size", "1"]
    persons = ["--person", "who", "--rows-per-person", "2"]
    code, _, err = invoke(capsys, "learn", source, "--schema", schema, *learned, *persons, *SEED)
    assert code == 0, err
    made = ["--out", str(raw / "made.csv"), "--rows", "40", "--workload", "marginals:1", "--model", str(raw / "m.json")]
    code, _, err = invoke(capsys, "synth", source, "--schema", schema, *BUDGET, *SEED, *made)
    assert code == 0, err
    header, *lines = (raw / "made.csv").read_text().splitlines()
    assert header == "age, smokes, job"
    assert all(line.split(",")[1] in (" yes", " no") for line in lines)
    where = ["--where", "age >= 10 and job = cook", "--rows", "9", "--out", str(raw / "cooks.csv")]
    code, _, err = invoke(capsys, "sample", str(raw / "m.json"), *where)
    assert code == 0, err
    assert odp.Table.from_file(raw / "made.csv", odp.Schema.load(schema), strict=True).rows == 40


def test_a_draft_calls_columns_without_the_blank(raw: Path) -> None:
    schema = odp.Schema.draft(raw / "raw.csv", public=True)
    assert schema.names == ("who", "age", "smokes", "job")
    assert odp.Table.from_file(raw / "raw.csv", schema, strict=True).rows == 3000


@pytest.mark.parametrize(("header", "names"), [("a, b", ["a", "b"]), ("a, b", ["a", " b"]), ("a,b", ["a", " b"])])
def test_a_schema_reads_names_with_a_blank_or_without(header: str, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(f"{header}\n1,2\n")
    table = odp.Table.from_file(tmp_path / "x.csv", odp.Schema(dict.fromkeys(names, "integer 0..3")), strict=True)
    assert table.codes.tolist() == [[1, 2]]


def test_names_that_only_blanks_tell_apart_stay_apart(tmp_path: Path) -> None:
    both = odp.Schema({"b": "integer 0..3", " b": "integer 0..3"})
    (tmp_path / "two.csv").write_text("b, b\n1,2\n")
    assert odp.Table.from_file(tmp_path / "two.csv", both, strict=True).codes.tolist() == [[1, 2]]
    assert odp.Schema.draft(tmp_path / "two.csv", public=True).names == ("b", " b")
    (tmp_path / "one.csv").write_text("b,c\n1,2\n")
    with pytest.raises(DataError, match=r"column ' b' is missing from one\.csv"):
        odp.Table.from_file(tmp_path / "one.csv", both)
    (tmp_path / "unclear.csv").write_text(" b,b \n1,2\n")
    with pytest.raises(DataError, match=r"column 'b' stands twice in unclear\.csv"):
        odp.Table.from_file(tmp_path / "unclear.csv", odp.Schema({"b": "integer 0..3"}))


def test_rules_of_a_frame_are_applied_to_such_a_file(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from oracledp.learners import PrivateRuleClassifier

    rows = np.random.default_rng(0).integers(0, 70, (500, 2))
    frame = pd.DataFrame(rows, columns=["who", "age"])
    fitted = PrivateRuleClassifier(epsilon=1, bounds=(0, 100)).fit(frame, rows[:, 1] > 30)
    fitted.save(raw / "rule.json")
    code, _, err = invoke(capsys, "predict", str(raw / "rule.json"), str(raw / "raw.csv"), "--out", str(raw / "p.csv"))
    assert code == 0, err
    assert (raw / "p.csv").read_text().startswith("who, age, smokes, job,")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Blanks in the header alone, as where somebody typed it above exported rows."""
    lines = [
        f'{n % 70},"May {n % 28 + 1}, 2024",{n % 9},{"NA" if n % 4 else n % 30},{"no" if n % 3 else "yes"}'
        for n in range(3000)
    ]
    (tmp_path / "bare.csv").write_text("age, seen, pay, score, smokes\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_blanks_of_the_header_alone_are_not_written_into_rows(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row that says ' yes' where real ones say 'yes' is of another category for every reader, this library too."""
    made, schema = bare / "made.csv", bare / "s.yaml"
    bought = ["synth", str(bare / "bare.csv"), "--infer-schema", str(schema), *BUDGET, *SEED, "--out", str(made)]
    code, _, err = invoke(capsys, *bought, "--workload", "marginals:1")
    assert code == 0, err
    assert yaml.safe_load(schema.read_text())["file"] == {"blanks": "header"}
    header, *lines = made.read_text().splitlines()
    assert header == "age, seen, pay, score, smokes"
    assert all(re.fullmatch(r'\d*,"\w+ \d+, \d{4}",\d*,(NA|\d*),(no|yes)', line) for line in lines)
    table = odp.Table.from_file(made, odp.Schema.load(schema), strict=True)
    assert 0 < table.histogram(["smokes"])[1] < table.rows
    assert odp.Schema.draft(bare / "bare.csv", public=True).file.to_json() == {"blanks": "header"}


def test_blanks_that_were_asked_for_spare_texts_that_a_schema_lists(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, schema = bare / "made.csv", bare / "s.yaml"
    bought = ["synth", str(bare / "bare.csv"), "--infer-schema", str(schema), *BUDGET, *SEED, "--out", str(made)]
    code, _, err = invoke(capsys, *bought, "--workload", "marginals:1", "--blanks", "after")
    assert code == 0, err
    assert yaml.safe_load(schema.read_text())["file"] == {"blanks": "after"}
    assert made.read_text().splitlines()[1].endswith((",yes", ",no"))
    assert '," May ' in made.read_text()
    assert odp.Table.from_file(made, odp.Schema.load(schema), strict=True).rows > 0
