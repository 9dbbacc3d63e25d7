"""``synth --children`` and ``sample --children-out``: two linked tables in, two out; refusals cost nothing."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from in_process import invoke
from oracledp.errors import ModelError
from oracledp.privacy.ledger import Ledger
from oracledp.synthesis import chosen_fit

PEOPLE = "id,age,smoker\n" + "".join(f"p{n},{n % 70 + 18},{n % 3 == 0}\n" for n in range(200))
VISITS = "id,ward,days\n" + "".join(f"p{n * 7 % 150},{'AB'[n % 2]},{n % 9}\n" for n in range(300)) + "x,A,1\n,B,2\n"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(chosen_fit, "SIZES", ((24, 6),) * 3)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "visits.csv").write_text(VISITS)
    (tmp_path / "people.yaml").write_text("columns:\n  age: integer 18..90\n  smoker: boolean\n")
    (tmp_path / "visits.yaml").write_text("columns:\n  ward: A | B\n  days: integer 0..9\n")
    Ledger.create(tmp_path / "people.ledger", epsilon=3, delta="1e-5", unit="person")
    return tmp_path


def command(**changed: str | None) -> list[str]:
    """The whole command; an option that is None is left out."""
    options = {
        "schema": "people.yaml", "children": "visits.csv", "children-schema": "visits.yaml", "person": "id",
        "rows-per-person": "3", "epsilon": "2", "delta": "1e-6", "out": "made.csv", "children-out": "made-visits.csv",
        "ledger": "people.ledger", **{name.replace("_", "-"): value for name, value in changed.items()},
    }  # fmt: skip
    words = [word for name, value in options.items() if value is not None for word in (f"--{name}", value)]
    return ["synth", "people.csv", *words, "--quiet"]


def test_two_tables_a_model_and_a_card(folder: Path, capsys: Capture) -> None:
    code, shown, err = invoke(capsys, *command(model="model.json", card="card.json"), "--json")
    assert (code, err) == (0, "")
    found, people, visits = json.loads(shown), pd.read_csv("made.csv"), pd.read_csv("made-visits.csv")
    assert (found["rows"], found["children"]) == (len(people), len(visits))
    assert found["guarantee"]["person"] == "id"
    assert people.columns.tolist() == ["id", "age", "smoker"]
    assert people["id"].tolist() == list(range(1, len(people) + 1))
    assert set(visits["id"]) <= set(people["id"])
    assert visits["id"].value_counts().max() <= 3
    files = {file["name"] for file in json.loads(Path("card.json").read_text())["files"]}
    assert files == {"made.csv", "made-visits.csv", "model.json"}
    assert invoke(capsys, "verify", "card.json", "--ledger", "people.ledger")[0] == 0
    more = ["sample", "model.json", "--rows", "40", "--seed", "1", "--out", "more.parquet", "--children-out"]
    code, _, err = invoke(capsys, *more, "more-visits.parquet")
    assert (code, err) == (0, "")
    assert len(pd.read_parquet("more.parquet")) == 40
    assert set(pd.read_parquet("more-visits.parquet")["id"]) <= set(range(1, 41))
    Path("made-visits.csv").write_text("id,ward,days\n")
    assert invoke(capsys, "verify", "card.json")[0] != 0


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"children": None}, "--children-schema and --children-out together"),
        ({"children_schema": None}, "together"),
        ({"children_out": None}, "together"),
        ({"person": None}, "--person"),
        ({"rows_per_person": None}, "--rows-per-person"),
        ({"rows_per_person": "0"}, "rows_per_person"),
        ({"rows_per_person": "1000"}, "rows_per_person"),
        ({"person": "age"}, "take it out of the schema"),
        ({"person": "name"}, "column 'name' is missing from people.csv"),
        ({"children": "no.csv"}, "no.csv: no such file"),
        ({"children_out": "made.csv"}, "another option writes the same file"),
        ({"children_out": "made.xlsx"}, "--children-out made.xlsx"),
        ({"report": "made.csv"}, "another option writes the same file"),
        ({"internal_report": "internal.html"}, "--internal-report"),
        ({"workload": "ranges"}, "--workload"),
        ({"neighbours": "replace-one"}, "--neighbours"),
        ({"method": "oracle-query"}, "--method"),
        ({"rows": "0"}, "--rows"),
        ({"epsilon": "4"}, "budget"),
        ({"children": "postgresql://h/d"}, "must name one table"),
        ({"children": "postgresql://me:word@/d?host=/nowhere&table=t"}, "the database cannot be reached"),
    ],
)
def test_what_is_wrong_is_one_line_and_costs_nothing(
    folder: Path, capsys: Capture, changed: dict[str, str | None], word: str
) -> None:
    code, shown, err = invoke(capsys, *command(**changed))
    assert code in (2, 3)
    assert shown == ""
    assert len(err.strip().splitlines()) == 1
    assert word in err
    assert not Ledger(folder / "people.ledger").charges
    assert not any(folder.glob("made*"))


def test_the_key_may_be_missing_from_the_second_table(folder: Path, capsys: Capture) -> None:
    (folder / "visits.csv").write_text("who,ward,days\np1,A,1\n")
    code, _, err = invoke(capsys, *command())
    assert (code, err) == (2, "oracledp: column 'id' is missing from visits.csv\n")
    assert not Ledger(folder / "people.ledger").charges


def test_a_model_is_sampled_as_what_it_is(folder: Path, capsys: Capture) -> None:
    assert invoke(capsys, *command(model="model.json"))[0] == 0
    for more, word in (
        ([], "--children-out"),
        (["--children-out", "v.csv", "--rows", "0"], "--rows"),
        (["--children-out", "v.csv", "--where", "ward = A"], "column 'ward' is of the second table"),
        (["--children-out", "v.csv", "--where", "ward = Z", "--rows", "9"], "column 'ward' is of the second table"),
        (["--children-out", "v.csv", "--where", "height >= 3", "--rows", "9"], "no column 'height'"),
        (["--children-out", "v.csv", "--rows", "9", "--where", "age >= 60", "--where", "age < 30"], "no record"),
    ):
        code, shown, err = invoke(capsys, "sample", "model.json", "--out", "p.csv", *more)
        assert (code, shown) == (2, "")
        assert len(err.strip().splitlines()) == 1
        assert word in err
        assert not Path("p.csv").exists()
        assert not Path("v.csv").exists()
    code, _, err = invoke(capsys, "answer", "model.json", "age >= 20")
    assert code == 2
    assert "two linked tables: 'oracledp sample'" in err


def test_conditions_are_on_parents_and_cost_nothing(folder: Path, capsys: Capture) -> None:
    assert invoke(capsys, *command(model="model.json"))[0] == 0
    asked = ["--rows", "60", "--seed", "3", "--where", "age >= 40", "--where", "not smoker"]
    outs = ["--out", "p.csv", "--children-out", "v.csv", "--where", "number of rows >= 1", "--json"]
    code, shown, err = invoke(capsys, "sample", "model.json", *asked, *outs)
    assert (code, err) == (0, "")
    found, people, visits = json.loads(shown), pd.read_csv("p.csv"), pd.read_csv("v.csv")
    assert found["where"] == ["age >= 40", "not smoker", "number of rows >= 1"]
    assert (found["rows"], found["children"]) == (60, len(visits))
    assert (people["age"] >= 40).all()
    assert not people["smoker"].any()
    assert set(visits["id"]) == set(range(1, 61)), "every parent has a child"
    assert len(Ledger(folder / "people.ledger").charges) == 1


# ---- pages ---------------------------------------------------------------------------------------------
def test_a_page_about_both_tables(folder: Path, capsys: Capture) -> None:
    code, shown, err = invoke(capsys, *command(report="page.html", card="card.json"), "--json")
    assert (code, err) == (0, "")
    page, found = Path("page.html").read_text(), json.loads(shown)
    assert found["report"] == "page.html"
    for words in (
        "any one person (all rows with one id) is added or removed", "a guess about one person", "people.csv",
        "2 and 2 columns", f"{found['rows']:,} and {found['children']:,}", "at most 3 of the second",
        "number of rows, by released share", "ward, by released share", "smoker, by released share",
        "ε 1 of 3", "persons with rows in the second table",
    ):  # fmt: skip
        assert words in page
    assert "NOT PRIVATE" not in page
    assert "p17" not in page, "ids are private"
    assert "page.html" in {file["name"] for file in json.loads(Path("card.json").read_text())["files"]}


def test_what_is_paid_for_is_kept_where_rules_leave_no_row(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_: Any, **__: Any) -> Any:
        raise ModelError("the rules leave nothing")

    monkeypatch.setattr("oracledp.synthesis.linked_model.LinkedModel.draw", nothing)
    code, _, err = invoke(capsys, *command(report="page.html"))
    assert code != 0
    assert "no rows: the rules leave nothing; the model, which is paid for, is in made.csv.model.json" in err
    assert "oracledp-linked-model" in Path("made.csv.model.json").read_text()
    assert Path("page.html").exists()
    assert not Path("made.csv").exists()
    assert not Path("made-visits.csv").exists()


def test_large_tables_are_drawn_part_by_part(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.cli.linked._AT_ONCE", 40)
    code, shown, _ = invoke(capsys, *command(rows="95"), "--json")
    people, visits = pd.read_csv("made.csv"), pd.read_csv("made-visits.csv")
    assert (code, json.loads(shown)["rows"], json.loads(shown)["children"]) == (0, 95, len(visits))
    assert people["id"].tolist() == list(range(1, 96))
    assert set(visits["id"]) <= set(people["id"])
