"""``synth --children`` and ``sample --children-out``: two linked tables in, two out; refusals cost nothing."""

import json
from pathlib import Path

import pandas as pd
import pytest

from in_process import invoke
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
        ({"report": "page.html"}, "--report: not for two linked tables"),
        ({"internal_report": "internal.html"}, "--internal-report"),
        ({"workload": "ranges"}, "--workload"),
        ({"neighbours": "replace-one"}, "--neighbours"),
        ({"method": "oracle-query"}, "--method"),
        ({"rows": "0"}, "--rows"),
        ({"epsilon": "4"}, "budget"),
        ({"children": "postgresql://h/d?table=t"}, "from files"),
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
        (["--children-out", "v.csv", "--where", "age >= 20"], "--where"),
        (["--children-out", "v.csv", "--rows", "0"], "--rows"),
    ):
        code, _, err = invoke(capsys, "sample", "model.json", "--out", "p.csv", *more)
        assert code == 2
        assert word in err
    code, _, err = invoke(capsys, "answer", "model.json", "age >= 20")
    assert code == 2
    assert "two linked tables" in err
