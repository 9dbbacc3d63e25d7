"""``oracledp synth --infer-schema`` as typed: one command, one guarantee, one charge; one line for what goes wrong."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from in_process import invoke
from oracledp.errors import ModelError
from oracledp.privacy.ledger import Ledger
from oracledp.synthesis import synthesizer

BUDGET = ["--epsilon", "2", "--delta", "1e-6", "--quiet"]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Dates, decimal commas, a mark of missing values, an id: as some program wrote them."""
    generator = np.random.default_rng(0)
    rows = [
        [
            str(number),
            f"{generator.normal(50, 10):.2f}".replace(".", ","),
            f"{generator.integers(1, 29):02d}/{generator.integers(1, 13):02d}/202{generator.integers(0, 5)}",
            "NA" if generator.random() < 0.1 else str(generator.choice(["cook", "smith"])),
        ]
        for number in range(6000)
    ]
    with (tmp_path / "raw.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([["record_id", "paid", "seen", "job"], *rows])
    return tmp_path


def test_one_command_makes_a_file_that_is_spelled_as_the_input(raw: Path, capsys: Captured) -> None:
    ledger = odp.Ledger.create(raw / "study.ledger", epsilon=3, delta="1e-5")
    files = {name: str(raw / name) for name in ("rows.csv", "bought.yaml", "model.json", "page.html", "internal.html")}
    code, out, err = invoke(
        capsys, "synth", str(raw / "raw.csv"), "--infer-schema", files["bought.yaml"], "--delimiter", ";", "--decimal",
        ",", "--out", files["rows.csv"], "--model", files["model.json"], "--report", files["page.html"],
        "--internal-report", files["internal.html"], "--ledger", str(ledger.path), "--json", *BUDGET,
    )  # fmt: skip
    assert code == 0, err
    told = json.loads(out)
    assert told["guarantee"]["epsilon"] == "2"
    assert told["guarantee"]["proof"] == "proofs/private-schema.md"
    assert "guarantee_with_schema" not in told  # there is one for both
    assert list(told["schema"]["left_out"]) == ["record_id"]
    assert ledger.spent == (2, odp.Ledger.at(ledger.path).spent[1])
    header, *rows = list(csv.reader((raw / "rows.csv").read_text().splitlines(), delimiter=";"))
    assert header == ["paid", "seen", "job"]
    assert {len(row[0].split(",")[-1]) for row in rows} == {2}
    assert all(len(row[1].split("/")) == 3 for row in rows)
    assert {"cook", "smith", "NA"} <= {row[2] for row in rows}
    bought = odp.Schema.load(raw / "bought.yaml")
    assert bought.names == ("paid", "seen", "job")
    assert bought.bought is not None
    assert "NOT PRIVATE" in (raw / "internal.html").read_text()
    assert invoke(capsys, "sample", files["model.json"], "--rows", "5", "--out", files["rows.csv"])[0] == 0
    assert invoke(capsys, "verify", str(raw / "bought.yaml"), "--ledger", str(ledger.path))[0] == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "--infer-schema"),
        (["--schema", "s.yaml", "--infer-schema", "b.yaml"], "--schema: not with --infer-schema"),
        (["--schema", "s.yaml", "--schema-share", "0.2"], "--schema-share"),
        (["--infer-schema", "b.yaml", "--strict"], "--strict"),
        (["--infer-schema", "b.yaml", "--method", "oracle-query"], "oracle-query"),
        (["--infer-schema", "b.yaml", "--workload", "conjunctions:2"], "marginals:1"),
        (["--infer-schema", "b.yaml", "--workload", "marginals:2", "--workload", "ranges"], "marginals:1"),
        (["--infer-schema", "b.yaml", "--schema-share", "2"], "share"),
        (["--infer-schema", "b.yaml", "--schema-share", "1e-30"], "share"),
        (["--infer-schema", "b.yaml", "--memory", "much"], "memory"),
        (["--infer-schema", "b.yaml", "--rows", "0"], "--rows"),
        (["--infer-schema", "missing/b.yaml"], "missing"),
        (["--infer-schema", "b.yaml", "--children", "c.csv"], "--children"),
    ],
)
def test_contradictions_are_said_in_one_line_and_cost_nothing(
    words: list[str], problem: str, raw: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(raw)
    odp.Schema({"paid": "numeric 0..100 by 0.01"}).save(raw / "s.yaml")
    ledger = odp.Ledger.create(raw / "study.ledger", epsilon=3, delta="1e-5")
    line = ["synth", "raw.csv", "--delimiter", ";", "--out", "rows.csv", "--ledger", str(ledger.path), *words, *BUDGET]
    code, _, err = invoke(capsys, *line)
    assert code == 2, err
    assert problem in err
    assert len(err.strip().splitlines()) == 1
    assert ledger.spent == (0, 0)
    assert not (raw / "rows.csv").exists()
    assert not (raw / "b.yaml").exists()


def test_a_database_has_no_texts_to_buy_a_schema_of(capsys: Captured, tmp_path: Path) -> None:
    address = "postgresql://nobody@localhost/none?table=t"
    named = ["--infer-schema", str(tmp_path / "b.yaml"), "--out", str(tmp_path / "rows.csv")]
    code, _, err = invoke(capsys, "synth", address, *named, *BUDGET)
    assert code == 2
    assert "must be a file" in err


@pytest.mark.parametrize(
    "error", [ModelError("no fit"), MemoryError(), ZeroDivisionError()], ids=lambda e: type(e).__name__
)
def test_a_schema_that_is_paid_for_is_kept_though_the_fit_fails(
    error: Exception, raw: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(synthesizer, "fit_mixture", fail)
    ledger, kept = odp.Ledger.create(raw / "study.ledger", epsilon=3, delta="1e-5"), raw / "bought.yaml"
    line = ["synth", str(raw / "raw.csv"), "--infer-schema", str(kept), "--out", str(raw / "rows.csv"), *BUDGET]
    code, _, err = invoke(capsys, *line, "--delimiter", ";", "--decimal", ",", "--ledger", str(ledger.path))
    assert code != 0
    assert f"the schema, which is paid for, is in {kept}" in err
    assert odp.Schema.load(kept).names == ("paid", "seen", "job")
    assert not (raw / "rows.csv").exists()
    assert odp.Ledger.at(ledger.path).spent[0] == 2
    assert invoke(capsys, "verify", str(kept), "--ledger", str(ledger.path))[0] == 0


def test_without_a_describable_column_the_whole_budget_is_said_to_be_spent(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "raw.csv").write_text("note\n" + "".join(f"text {number}\n" for number in range(50)))
    named = ["--infer-schema", str(tmp_path / "b.yaml"), "--out", str(tmp_path / "rows.csv")]
    code, _, err = invoke(capsys, "synth", str(tmp_path / "raw.csv"), *named, *BUDGET)
    assert code == 4
    assert "the whole budget is spent, that of the rows too" in err
    assert not (tmp_path / "b.yaml").exists()


def test_a_typed_file_is_bought_made_and_compared(tmp_path: Path, capsys: Captured) -> None:
    """Dates and truth values, which have no texts of their own in the file."""
    generator = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, 4000), unit="D")
    frame = pd.DataFrame({"seen": days.date, "at": days, "ill": generator.random(4000) < 0.3})
    frame.to_parquet(tmp_path / "raw.parquet")
    files = {name: str(tmp_path / name) for name in ("b.yaml", "rows.csv", "internal.html")}
    named = ["--infer-schema", files["b.yaml"], "--out", files["rows.csv"], "--internal-report", files["internal.html"]]
    line = ["synth", str(tmp_path / "raw.parquet"), *named, "--memory", "1GB", "--workload", "marginals:2", *BUDGET]
    code, _, err = invoke(capsys, *line)
    assert code == 0, err
    kinds = [column.kind for column in odp.Schema.load(tmp_path / "b.yaml").columns]
    assert kinds == ["date", "date", "boolean"], "time stamps that are all midnights are days"
    rows = pd.read_csv(tmp_path / "rows.csv")
    assert abs(rows["ill"].mean() - 0.3) < 0.05
    assert rows["seen"].between("2019-01-01", "2023-12-31").mean() > 0.95
    assert "NOT PRIVATE" in (tmp_path / "internal.html").read_text()


def test_a_schema_that_is_there_is_not_written_over(raw: Path, capsys: Captured) -> None:
    kept = raw.parent / "mine.yaml"
    kept.write_text("columns: {a: boolean}\n")
    budget = ["--epsilon", "1", "--delta", "1e-6", "--out", str(raw.parent / "o.csv")]
    code, _, err = invoke(capsys, "synth", str(raw), "--infer-schema", str(kept), *budget)
    assert (code, err) == (2, f"oracledp: --infer-schema {kept}: there is such a file; --schema reads it\n")
    assert kept.read_text() == "columns: {a: boolean}\n"


def test_no_output_joins_the_rows_of_a_folder(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "rows").mkdir()
    pd.DataFrame({"a": [1, 2] * 500}).to_parquet(tmp_path / "rows" / "part.parquet")
    out = str(tmp_path / "rows" / "out.parquet")
    options = ["--infer-schema", str(tmp_path / "s.yaml"), "--epsilon", "1", "--delta", "1e-6", "--out", out]
    code, _, err = invoke(capsys, "synth", str(tmp_path / "rows"), *options)
    assert code == 2
    assert err == f"oracledp: --out {out}: the command reads all files of this folder: name another place\n"


@pytest.mark.parametrize("names", [["who", "Who"], ["who", "x\nid"]])
def test_names_that_the_schema_could_not_have_are_refused_before_anything_is_paid(
    names: list[str], tmp_path: Path, capsys: Captured
) -> None:
    rows = pd.DataFrame({name: range(1000) for name in names} | {"a": [1, 2] * 500})
    data = tmp_path / ("t.csv" if "Who" in names else "t.parquet")
    (rows.to_csv if "Who" in names else rows.to_parquet)(data, index=False)
    Ledger.create(tmp_path / "ledger", epsilon=2, delta="1e-5", unit="person")
    options = ["--infer-schema", str(tmp_path / "s.yaml"), "--epsilon", "1", "--delta", "1e-6", "--person", "who"]
    paths = ["--out", str(tmp_path / "o.csv"), "--ledger", str(tmp_path / "ledger")]
    code, _, err = invoke(capsys, "synth", str(data), *options, *paths)
    assert (code, err.count("\n")) == (2, 1)
    assert Ledger(tmp_path / "ledger").charges == ()
