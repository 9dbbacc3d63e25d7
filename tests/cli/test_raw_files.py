"""A raw file as it is downloaded: spelled in its own way, read by every command, and written back as it was spelled."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import oracledp as odp
from in_process import invoke

ROWS = 4000
SEED = ["--seed", "3", "--insecure-seed"]  # noise could hide a kind or a town, or show an idle "other"
EURO = ["--delimiter", ";", "--decimal", ",", "--encoding", "cp1252"]


def write_euro(path: Path, *, header: bool = True) -> None:
    """Money with a decimal comma, days before months, umlauts, a mark of missing values, minutes, yes and no."""
    rng = np.random.default_rng(0)
    lines = ["betrag;ort;seen;wait;kunde"] if header else []
    for _ in range(ROWS):
        pay, day, wait = rng.exponential(80), rng.integers(1, 29), rng.integers(0, 300)
        town = rng.choice(["Köln", "Düren", "Bonn"], p=[0.6, 0.3, 0.1])
        money = "NA" if rng.random() < 0.2 else f"{pay:.2f}".replace(".", ",")
        seen = f"{day:02d}/{rng.integers(1, 13):02d}/{rng.integers(2015, 2025)}"
        lines.append(f"{money};{town};{seen};{wait // 60:02d}:{wait % 60:02d};{'ja' if pay > 50 else 'nein'}")
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))


@pytest.fixture
def euro(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    write_euro(tmp_path / "raw.csv")
    bought = ["--epsilon", "5", "--delta", "1e-6", "--out", str(tmp_path / "s.yaml"), *SEED, *EURO]
    code, _, err = invoke(capsys, "schema", "infer", str(tmp_path / "raw.csv"), *bought)
    assert code == 0, err
    return tmp_path


PATTERNS = (
    r"(NA|[0-9]+,[0-9]{2})",
    "(Köln|Düren|Bonn)",
    r"[0-9]{2}/[0-9]{2}/[0-9]{4}",
    "[0-9]{2,}:[0-9]{2}",
    "(ja|nein)",
)


def assert_spelled(path: Path, rows: int | None = None) -> None:
    """Every field as the raw file would spell it."""
    written = path.read_bytes()
    assert written.count(b"\r\n") == written.count(b"\n") > 0  # as the raw file's lines end
    header, *lines = written.decode("cp1252").splitlines()
    assert header == "betrag;ort;seen;wait;kunde"
    assert rows is None or len(lines) == rows
    for line in lines:
        assert re.fullmatch(";".join(PATTERNS), line), line
    assert any(line.startswith("NA;") for line in lines)


def test_two_commands_make_a_file_that_fits_the_programs_of_the_real_one(
    euro: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = odp.Schema.load(euro / "s.yaml").to_json()
    assert schema["file"] == {"delimiter": ";", "decimal": ",", "encoding": "cp1252", "lines": "crlf"}
    kinds = {name: column["kind"] for name, column in schema["columns"].items()}
    assert kinds == {
        "betrag": "decimal",
        "ort": "categorical",
        "seen": "date",
        "wait": "duration",
        "kunde": "categorical",
    }
    assert schema["columns"]["betrag"]["missing"] == "NA"
    assert schema["columns"]["betrag"]["places"] == 2
    assert schema["columns"]["seen"]["format"] == "%d/%m/%Y"
    assert schema["columns"]["wait"]["format"] == "%H:%M"
    made = ["--epsilon", "5", "--delta", "1e-6", "--out", str(euro / "out.csv"), "--model", str(euro / "m.json")]
    command = ["synth", str(euro / "raw.csv"), "--schema", str(euro / "s.yaml"), *made, "--rows", "300", "--quiet"]
    code, _, err = invoke(capsys, *command)
    assert code == 0, err
    assert_spelled(euro / "out.csv", 300)
    assert invoke(capsys, "sample", str(euro / "m.json"), "--out", str(euro / "more.csv"), "--rows", "70")[0] == 0
    assert_spelled(euro / "more.csv", 70)
    again = odp.Table.from_file(euro / "out.csv", odp.Schema.load(euro / "s.yaml"), strict=True)
    assert again.rows == 300
    code, shown, _ = invoke(capsys, "answer", str(euro / "m.json"), "--by", "ort", "--by", "kunde", "--together")
    assert code == 0
    assert shown.splitlines()[0].split() == ["ort", "kunde", "share", "95", "%", "interval,", "all", "at", "once"]
    assert len(shown.splitlines()) >= 7
    assert invoke(capsys, "answer", str(euro / "m.json"))[0] == 2
    assert invoke(capsys, "answer", str(euro / "m.json"), "wait >= 1:00:00", "--together")[0] == 2
    assert invoke(capsys, "answer", str(euro / "m.json"), "wait >= 1:00:00")[0] == 0


def test_every_other_command_reads_it_too(euro: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw, schema = str(euro / "raw.csv"), str(euro / "s.yaml")
    code, shown, err = invoke(capsys, "schema", "check", raw, "--schema", schema, "--json")
    assert code == 0, err
    found = json.loads(shown)
    assert found["rows"] == ROWS
    assert all(column["mapped"] == 0 for column in found["columns"].values())
    learned = ["--target", "kunde=ja", "--model", "conjunction", "--size", "1", "--epsilon", "5"]
    code, _, err = invoke(
        capsys, "learn", raw, "--schema", schema, *learned, "--out", str(euro / "rule.json"), "--quiet"
    )
    assert code == 0, err
    code, _, err = invoke(capsys, "predict", str(euro / "rule.json"), raw, "--out", str(euro / "p.csv"), "--quiet")
    assert code == 0, err
    lines = (euro / "p.csv").read_bytes().decode("cp1252").splitlines()
    assert lines[0] == "betrag;ort;seen;wait;kunde;predicted"
    assert len(lines) == ROWS + 1
    real = raw_lines(euro / "raw.csv")
    assert [line.rpartition(";")[0] for line in lines[1:6]] == real[1:6]
    drafted = [
        "schema",
        "draft",
        raw,
        "--public",
        "--out",
        str(euro / "d.yaml"),
        "--decimal",
        ",",
        "--encoding",
        "cp1252",
    ]
    assert invoke(capsys, *drafted)[0] == 0
    draft = odp.Schema.load(euro / "d.yaml").to_json()
    assert draft["file"] == {"delimiter": ";", "decimal": ",", "encoding": "cp1252", "lines": "crlf"}
    assert (draft["columns"]["betrag"]["missing"], draft["columns"]["betrag"]["places"]) == ("NA", 2)


def raw_lines(path: Path) -> list[str]:
    return path.read_bytes().decode("cp1252").splitlines()


def test_separators_of_thousands_come_and_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bought and drafted by an option, learned and synthesized by the schema that keeps it."""
    rng = np.random.default_rng(0)
    rows = [(rng.integers(1990, 2030), rng.integers(1000, 9999)) for _ in range(ROWS)]
    (tmp_path / "in.csv").write_text("year,pay,ill\n" + "".join(f'{y},"{p:,}",{p > 5000}\n' for y, p in rows))
    data, schema, out = str(tmp_path / "in.csv"), str(tmp_path / "s.yaml"), tmp_path / "out.csv"
    paid = ["--epsilon", "5", "--delta", "1e-6", *SEED]
    code, _, err = invoke(capsys, "schema", "infer", data, *paid, "--out", schema, "--thousands", ",")
    assert code == 0, err
    assert odp.Schema.load(schema).file.to_json() == {"thousands": ","}
    made = ["synth", data, "--schema", schema, *paid, "--out", str(out), "--rows", "200", "--quiet"]
    assert invoke(capsys, *made)[0] == 0
    pattern = r'[0-9]{4,5},("[1-9][0-9]{0,2},[0-9]{3}"|[0-9]{1,3}),(True|False)'
    written = out.read_text().splitlines()[1:]
    assert len(written) == 200
    assert all(re.fullmatch(pattern, line) for line in written)
    assert sum('"' in line for line in written) > 150
    drafted = ["schema", "draft", data, "--public", "--thousands", ",", "--out", str(tmp_path / "d.yaml")]
    assert invoke(capsys, *drafted)[0] == 0
    draft = odp.Schema.load(tmp_path / "d.yaml").to_json()
    assert draft["file"] == {"thousands": ","}
    assert [draft["columns"][name].get("thousands") for name in ("year", "pay")] == [False, None]
    learned = ["learn", data, "--schema", str(tmp_path / "d.yaml"), "--target", "ill", "--epsilon", "5", "--strict"]
    code, _, err = invoke(capsys, *learned, "--model", "conjunction", "--size", "1", "--quiet")
    assert code == 0, err
    code, _, err = invoke(capsys, *learned, "--model", "conjunction", "--size", "1", "--quiet", "--thousands", "")
    assert (code, err.count("\n")) == (2, 1), "without the separator these are no numbers"
    assert f"column 'pay': {ROWS} rows are not a finite number" in err


def test_a_file_without_a_header_needs_names_and_stays_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_euro(tmp_path / "bare.csv", header=False)
    named = ["--names", "betrag,ort,seen,wait,kunde"]
    bought = ["--epsilon", "5", "--delta", "1e-6", "--out", str(tmp_path / "s.yaml"), *SEED, *EURO, *named]
    assert invoke(capsys, "schema", "infer", str(tmp_path / "bare.csv"), *bought)[0] == 0
    made = ["--epsilon", "5", "--delta", "1e-6", "--out", str(tmp_path / "out.csv"), "--rows", "50", "--quiet"]
    command = ["synth", str(tmp_path / "bare.csv"), "--schema", str(tmp_path / "s.yaml"), *made]
    assert invoke(capsys, *command)[0] == 0
    lines = raw_lines(tmp_path / "out.csv")
    assert len(lines) == 50
    assert re.fullmatch(";".join(PATTERNS), lines[0])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--delimiter", ";;"], "one character"),
        (["--decimal", "x"], "a point or a comma"),
        (["--thousands", "x"], "thousands must be a comma"),
        (["--thousands", ",", "--decimal", ","], "thousands and decimal must differ"),
        (["--thousands", "."], "thousands and decimal must differ"),
        (["--encoding", "klingon"], "klingon"),
        (["--names", "a,,b"], "names must list"),
        (["--names", "a,a"], "names must differ"),
    ],
)
@pytest.mark.parametrize("command", ["infer", "synth", "learn", "check", "draft", "predict"])
def test_an_odd_option_is_one_line_and_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, options: list[str], word: str
) -> None:
    (tmp_path / "in.csv").write_text("a,b\n" + "1,x\n2,y\n" * 50)
    odp.Schema({"a": "integer 0..9", "b": "x | y"}).save(tmp_path / "s.yaml")
    odp.Ledger.create(tmp_path / "ledger", epsilon=1, delta="1e-5")
    data, out = str(tmp_path / "in.csv"), str(tmp_path / "out.csv")
    paid = ["--epsilon", "1", "--ledger", str(tmp_path / "ledger")]
    schema = ["--schema", str(tmp_path / "s.yaml")]
    words = {
        "infer": ["schema", "infer", data, *paid, "--delta", "1e-6", "--out", out],
        "synth": ["synth", data, *schema, *paid, "--delta", "1e-6", "--out", out],
        "learn": ["learn", data, *schema, *paid, "--target", "b=x"],
        "check": ["schema", "check", data, *schema, *paid],
        "draft": ["schema", "draft", data, "--public", "--out", out],
        "predict": ["predict", str(rule(tmp_path)), data, "--out", out],
    }[command]
    code, shown, err = invoke(capsys, *words, *options)
    assert (code, shown) == (2, ""), err
    assert len(err.strip().splitlines()) == 1
    assert word in err
    assert odp.Ledger.at(tmp_path / "ledger").remaining[0] == 1
    assert not Path(out).exists()


def rule(folder: Path) -> Path:
    """A saved rule about the two columns."""
    table = odp.Table.from_columns({"a": [1, 7] * 50, "b": ["x", "y"] * 50}, odp.Schema.load(folder / "s.yaml"))
    release = odp.rspm(table, odp.Conjunctions(table.literals, max_width=1), epsilon=5)
    data = {**release.to_json(), "schema": table.schema.to_json()}
    (folder / "rule.json").write_text(json.dumps(data))
    return folder / "rule.json"


def tiny(folder: Path, name: str, column: list[str]) -> str:
    (folder / f"{name}.csv").write_text(
        "x,y\n" + "".join(f"{value},{place % 2}\n" for place, value in enumerate(column))
    )
    return str(folder / f"{name}.csv")


def test_bad_columns_are_answered_in_a_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids, free text, one value, 50 rows, one column, 2,000 categories."""
    texts = {
        "ids": [f"p{number:05d}" for number in range(3000)],
        "free": [f"note {number}, said again and again".replace(",", "") for number in range(3000)],
        "one": ["Bern"] * 3000,
        "many": [f"s{number % 2000}" for number in range(40_000)],
    }
    bought = ["--epsilon", "4", "--delta", "1e-6", "--seed", "1", "--insecure-seed"]
    shown = {}
    for name, values in texts.items():
        out = str(tmp_path / f"{name}.yaml")
        code, shown[name], err = invoke(capsys, "schema", "infer", tiny(tmp_path, name, values), *bought, "--out", out)
        assert code == 0, err
    assert "left out: x: no value is common enough: an id, free text" in shown["ids"]
    assert "left out: x: no value is common enough: an id, free text" in shown["free"]
    assert odp.Schema.load(tmp_path / "one.yaml")["x"].labels == ("Bern", "other")
    few = tiny(tmp_path, "few", ["a"] * 50)
    code, _, err = invoke(
        capsys, "schema", "infer", few, "--epsilon", "0.01", "--delta", "1e-6", "--out", str(tmp_path / "f.yaml")
    )
    assert code == 4
    assert "no column could be described, and the budget is spent" in err
    (tmp_path / "alone.csv").write_text("x\n" + "3\n8\n" * 2000)
    alone = str(tmp_path / "alone.csv")
    assert invoke(capsys, "schema", "infer", alone, *bought, "--out", str(tmp_path / "a.yaml"))[0] == 0
    made = ["--schema", str(tmp_path / "a.yaml"), *bought, "--out", str(tmp_path / "a.csv"), "--quiet"]
    assert invoke(capsys, "synth", alone, *made)[0] == 0
    assert set((tmp_path / "a.csv").read_text().split()[1:]) <= {str(number) for number in range(200)}
    reversed_bounds = tmp_path / "r.yaml"
    reversed_bounds.write_text("columns: {x: {kind: integer, lo: 9, hi: 1}}")
    code, _, err = invoke(capsys, "synth", alone, "--schema", str(reversed_bounds), *made[2:])
    assert (code, err.strip()) == (2, "oracledp: r.yaml: column 'x', key 'lo': must be less than hi")


@pytest.mark.parametrize(
    "words",
    [
        ["synth", "{data}", "--infer-schema", "{data}", "--out", "{folder}/rows.csv"],
        ["synth", "{data}", "--infer-schema", "{folder}/bought.yaml", "--out", "{data}"],
        ["synth", "{data}", "--infer-schema", "{folder}/s.yaml", "--out", "{folder}/o.csv", "--report", "{budget}"],
        ["schema", "infer", "{data}", "--out", "{data}"],
    ],
)
def test_what_is_read_is_not_overwritten(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, budget = tmp_path / "rows-in.csv", tmp_path / "budget.json"
    data.write_text("age,job\n" + "30,cook\n" * 50)
    assert invoke(capsys, "budget", "create", str(budget), "--epsilon", "3", "--delta", "1e-5")[0] == 0
    before = data.read_bytes(), budget.read_bytes()
    asked = [word.format(data=data, folder=tmp_path, budget=budget) for word in words]
    code, _, err = invoke(capsys, *asked, "--epsilon", "1", "--delta", "1e-6", "--ledger", str(budget))
    assert (code, "reads this file" in err) == (2, True)
    assert (data.read_bytes(), budget.read_bytes()) == before
