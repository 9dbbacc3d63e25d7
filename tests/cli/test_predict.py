"""``oracledp predict``: what a saved rule says of every row of another file, in order and beside the row."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from in_process import invoke
from oracledp.learners import CardRegressor, DisjunctionClassifier, PrivateRuleClassifier, TreeRegressor, load_model
from oracledp.mechanisms.release import Release

ROWS = 3000
SCHEMA = {
    "columns": {
        "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [30, 60]},
        "colour": {"kind": "categorical", "values": ["red", "green"], "other": "else"},
        "sick": {"kind": "boolean"},
    }
}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)

    return partial(invoke, capsys)


def frame(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, colour = rng.integers(0, 100, rows), rng.choice(["red", "green", "mauve"], rows)
    return pd.DataFrame({"rowid": np.arange(rows)[::-1], "age": age, "colour": colour, "note": 'it\'s, "so"'})


def truth(rows: pd.DataFrame) -> pd.Series:
    return (rows["age"] >= 60) | (rows["colour"] == "red")


@pytest.fixture
def folder(tmp_path: Path, run: Run) -> Path:
    given = frame()
    given.assign(sick=truth(given)).to_csv(tmp_path / "data.csv", index=False)
    new = frame(seed=1)
    new.to_csv(tmp_path / "new.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    options = [
        "--schema",
        "schema.json",
        "--target",
        "sick",
        "--epsilon",
        "50",
        "--model",
        "disjunction",
        "--size",
        "2",
    ]
    code, _, err = run("learn", "data.csv", *options, "--out", "rule.json")
    assert code == 0, err
    return tmp_path


def test_the_rows_come_back_in_order_with_the_prediction(folder: Path, run: Run) -> None:
    code, out, err = run("predict", "rule.json", "new.csv", "--out", "told.csv", "--json")
    assert (code, err) == (0, "")
    given, told, found = frame(seed=1), pd.read_csv(folder / "told.csv"), json.loads(out)
    pd.testing.assert_frame_equal(told.drop(columns="predicted"), given)
    assert told["predicted"].tolist() == truth(given).tolist()
    assert found["rows"] == ROWS
    assert found["predicted"] == {"False": int((~truth(given)).sum()), "True": int(truth(given).sum())}
    assert found["rule"] == "predict sick when (age >= 60) or (colour = red)"
    assert found["guarantee"]["epsilon"] == "50"


def test_parquet_keeps_its_types_and_a_column_can_stand_alone(folder: Path, run: Run) -> None:
    assert run("predict", "rule.json", "new.parquet", "--out", "told.parquet", "--column", "sick")[0] == 0
    told = pd.read_parquet(folder / "told.parquet")
    pd.testing.assert_frame_equal(told.drop(columns="sick"), pd.read_parquet(folder / "new.parquet"))
    assert told["sick"].tolist() == truth(frame(seed=1)).tolist()
    assert run("predict", "rule.json", "new.parquet", "--out", "alone.csv", "--alone")[0] == 0
    alone = pd.read_csv(folder / "alone.csv")
    assert list(alone.columns) == ["predicted"]
    assert alone["predicted"].tolist() == told["sick"].tolist()


def test_a_file_of_several_row_groups_stays_in_order(folder: Path, run: Run) -> None:
    rows = frame(300_000, seed=2)
    rows.to_csv(folder / "long.csv", index=False)
    assert run("predict", "rule.json", "long.csv", "--out", "told.csv")[0] == 0
    told = pd.read_csv(folder / "told.csv")
    assert told["rowid"].tolist() == rows["rowid"].tolist()
    assert told["predicted"].tolist() == truth(rows).tolist()


def test_what_the_schema_does_not_know_is_settled_by_its_rule_or_refused(folder: Path, run: Run) -> None:
    (folder / "odd.csv").write_text("colour,age\nred,soon\nmauve,1000\n,\n")
    assert run("predict", "rule.json", "odd.csv", "--out", "told.csv")[0] == 0
    assert pd.read_csv(folder / "told.csv")["predicted"].tolist() == [True, True, False]
    code, _, err = run("predict", "rule.json", "odd.csv", "--out", "strict.csv", "--strict")
    assert code == 2
    assert "age" in err
    assert not (folder / "strict.csv").exists()


def test_a_release_saved_without_its_schema_needs_one(folder: Path, run: Run) -> None:
    Release.load(folder / "rule.json").save(folder / "bare.json")
    code, _, err = run("predict", "bare.json", "new.csv", "--out", "told.csv")
    assert code == 2
    assert "--schema" in err
    assert run("predict", "bare.json", "new.csv", "--out", "told.csv", "--schema", "schema.json")[0] == 0
    assert pd.read_csv(folder / "told.csv")["predicted"].tolist() == truth(frame(seed=1)).tolist()


def test_a_release_of_a_plain_query_says_where_it_holds(folder: Path, run: Run) -> None:
    schema = odp.Schema(SCHEMA)
    table = odp.Table.from_file(folder / "data.csv", schema)
    queries = odp.Conjunctions(schema.literals.without("sick"), max_width=1)
    release = odp.exponential(table, queries, epsilon=50)
    release.save(folder / "query.json")
    assert run("predict", "query.json", "new.csv", "--out", "told.csv", "--schema", "schema.json")[0] == 0
    new = odp.Table.from_file(folder / "new.csv", odp.Schema({"columns": dict(list(SCHEMA["columns"].items())[:2])}))
    holds = int(new.counts[release.query(new.matrix(queries.literals))].sum())
    assert int(pd.read_csv(folder / "told.csv")["predicted"].sum()) == holds


def test_estimators_with_a_schema_with_cuts_and_with_several_classes(folder: Path, run: Run) -> None:
    given, new = frame(), frame(seed=1)
    features = odp.Schema({"columns": {name: SCHEMA["columns"][name] for name in ("age", "colour")}})
    schema = PrivateRuleClassifier(epsilon=50, schema=features, classes=["ill", "it's fine"])
    schema.fit(given[["age", "colour"]], np.where(truth(given), "ill", "it's fine"))
    numbers = pd.DataFrame({"age": given["age"], "red": given["colour"] == "red"})
    cuts = DisjunctionClassifier(epsilon=50, bounds=(0, 100), cuts=4, classes=[0, 1]).fit(numbers, truth(given) * 1)
    three = PrivateRuleClassifier(epsilon=90, schema=features, classes=[0.5, 1.5, 2.5])
    three.fit(given[["age", "colour"]], np.select([given["age"] >= 60, given["age"] >= 30], [0.5, 1.5], 2.5))
    pd.DataFrame({"red": new["colour"] == "red", "age": new["age"]}).to_csv(folder / "numbers.csv", index=False)
    for model, data, rows in (
        (schema, "new.csv", new),
        (three, "new.csv", new),
        (cuts, "numbers.csv", pd.DataFrame({"age": new["age"], "red": new["colour"] == "red"})),
    ):
        model.save(folder / "model.json")
        code, _, err = run("predict", "model.json", data, "--out", "told.csv")
        assert code == 0, err
        assert pd.read_csv(folder / "told.csv")["predicted"].tolist() == model.predict(rows).tolist()


def test_regressors_are_applied_to_a_file(folder: Path, run: Run) -> None:
    given, new = frame(), frame(seed=1)
    cost = 10.0 + 0.5 * given["age"].to_numpy()
    features = odp.Schema({"columns": {name: SCHEMA["columns"][name] for name in ("age", "colour")}})
    options: dict[str, Any] = {"epsilon": 50, "target_bounds": (0, 100), "schema": features}
    for model in (TreeRegressor(**options), CardRegressor(delta="1e-6", **options)):
        model.fit(given[["age", "colour"]], cost).save(folder / "model.json")
        code, _, err = run("predict", "model.json", "new.csv", "--out", "told.csv")
        assert code == 0, err
        assert np.abs(pd.read_csv(folder / "told.csv")["predicted"] - model.predict(new)).max() <= 0.06


def test_an_estimator_reads_what_the_command_line_wrote(folder: Path) -> None:
    model = load_model(folder / "rule.json")
    new = frame(seed=1)
    assert model.predict(new).tolist() == truth(new).tolist()
    assert model.guarantee_ == Release.load(folder / "rule.json").guarantee


MISTAKES: dict[str, tuple[list[str], str]] = {
    "a column that the rule needs is missing": (["rule.json", "short.csv", "--out", "x.csv"], "'colour'"),
    "the new column is there already": (["rule.json", "new.csv", "--out", "x.csv", "--column", "AGE"], "--column"),
    "another format": (["rule.json", "new.csv", "--out", "x.xlsx"], ".parquet"),
    "no rule": (["schema.json", "new.csv", "--out", "x.csv"], "not a release"),
    "no such model": (["none.json", "new.csv", "--out", "x.csv"], "none.json"),
    "no such data": (["rule.json", "none.csv", "--out", "x.csv"], "none.csv"),
    "a schema without the rule's columns": (
        ["rule.json", "new.csv", "--out", "x.csv", "--schema", "other.json"], "no column 'age'",
    ),
    "a schema without the rule's thresholds": (
        ["rule.json", "new.csv", "--out", "x.csv", "--schema", "coarse.json"], "age",
    ),
    "a record that cannot be read": (["rule.json", "torn.csv", "--out", "x.csv"], "line 3"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mismatch_is_one_clear_line_and_no_file(folder: Path, run: Run, mistake: str) -> None:
    (folder / "short.csv").write_text("age\n30\n")
    (folder / "torn.csv").write_text("age,colour\n30,red\n40\n50,red\n")
    (folder / "other.json").write_text(json.dumps({"columns": {"colour": SCHEMA["columns"]["colour"]}}))
    coarse = {**SCHEMA["columns"], "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [50]}}
    (folder / "coarse.json").write_text(json.dumps({"columns": coarse}))
    arguments, word = MISTAKES[mistake]
    code, out, err = run("predict", *arguments)
    assert (code, out) == (2, ""), err
    assert word in err
    assert len(err.strip().splitlines()) == 1
    assert not list(folder.glob("x.*"))


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no query": lambda data: data.pop("query"),
    "no guarantee": lambda data: data.pop("guarantee"),
    "a schema that is none": lambda data: data.update(schema=[1]),
    "a schema of nothing": lambda data: data.update(schema={}),
    "a schema without columns": lambda data: data.update(schema={"columns": {}}),
    "parts that are none": lambda data: data["query"].update(parts=[10**9]),
    "parts that are texts": lambda data: data["query"].update(parts=["x"]),
    "an unknown class": lambda data: data["query"]["class"].update(kind="oracle"),
    "other literals": lambda data: data["query"]["class"]["hypotheses"].update(literals=[["age", ">=", 7]]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_release_is_refused_in_one_line(folder: Path, run: Run, damage: str) -> None:
    data = json.loads((folder / "rule.json").read_text())
    DAMAGES[damage](data)
    (folder / "damaged.json").write_text(json.dumps(data))
    code, out, err = run("predict", "damaged.json", "new.csv", "--out", "x.csv")
    assert (code, out) == (2, ""), err
    assert len(err.strip().splitlines()) == 1
    assert not (folder / "x.csv").exists()


def test_a_model_of_synthetic_rows_is_sent_to_its_own_command(folder: Path, run: Run) -> None:
    (folder / "model.json").write_text('{"oracledp-game-model": 1}')
    code, _, err = run("predict", "model.json", "new.csv", "--out", "x.csv")
    assert code == 2
    assert "oracledp sample" in err


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
def test_a_link_is_followed_and_the_old_file_stays_until_the_new_one_is_whole(folder: Path, run: Run) -> None:
    (folder / "kept.csv").write_text("before")
    (folder / "link.csv").symlink_to("kept.csv")
    assert run("predict", "rule.json", "none.csv", "--out", "link.csv")[0] == 2
    assert (folder / "kept.csv").read_text() == "before"
    assert run("predict", "rule.json", "new.csv", "--out", "link.csv")[0] == 0
    assert (folder / "link.csv").is_symlink()
    assert len(pd.read_csv(folder / "kept.csv")) == ROWS
