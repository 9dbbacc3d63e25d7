"""Two linked tables: which rows are kept and how they weigh, what is sampled, saved, charged, refused."""

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import oracledp as odp
from oracledp.data.literals import Literal
from oracledp.data.table.linked import WHOLE, LinkedSchema, LinkedTable
from oracledp.errors import BudgetExceeded, DataError, ModelError, ParameterError
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis import chosen_fit
from oracledp.synthesis.linked import LinkedSynthesizer
from oracledp.synthesis.measurements import Meter, Records

PEOPLE = odp.Schema({"age": "integer 0..9", "smoker": "boolean"})
VISITS = odp.Schema({"ward": "A | B | C", "days": "integer 0..19", "age": "integer 0..9"})
LINKED = LinkedSchema.of(PEOPLE, VISITS, "id", 3)
IDS = some.sampled_from(["a", "b", "c", "", None, 7, "7"])
PARENTS = some.lists(some.tuples(IDS, some.integers(-2, 12), some.booleans()), max_size=12)
CHILDREN = some.lists(
    some.tuples(IDS, some.sampled_from("ABCD"), some.integers(0, 25), some.integers(0, 9)), max_size=25
)


def frame(rows: list[Any], schema: odp.Schema) -> pandas.DataFrame:
    names = ("id", *schema.names)
    return pandas.DataFrame({name: [row[at] for row in rows] for at, name in enumerate(names)}, dtype=object)


def table(parents: list[Any], children: list[Any], schema: LinkedSchema = LINKED) -> LinkedTable:
    return LinkedTable.from_frames(frame(parents, PEOPLE), frame(children, VISITS), schema)


def records(found: odp.Table) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, found.codes.tolist()), found.counts.tolist(), strict=True))


def contents(found: LinkedTable) -> tuple[dict[Any, int], dict[Any, int]]:
    return records(found.parents), records(found.children)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fits of few components and steps."""
    monkeypatch.setattr(chosen_fit, "SIZES", ((24, 6),) * 2)


def clinic(persons: int = 400) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Older people come more often, and stay longer."""
    draw = np.random.default_rng(3)
    age, smoker = draw.integers(0, 10, persons), draw.random(persons) < 0.3
    parents = pandas.DataFrame({"id": [f"p{n}" for n in range(persons)], "age": age, "smoker": smoker})
    owners = np.repeat(np.arange(persons), draw.poisson(age / 3))
    ward = np.where(smoker[owners], "C", draw.choice(["A", "B"], len(owners)))
    days = np.clip(age[owners] + draw.integers(0, 10, len(owners)), 0, 19)
    children = {"id": parents["id"].to_numpy()[owners], "ward": ward, "days": days, "age": age[owners]}
    return parents, pandas.DataFrame(children)


def synthesizer(**options: Any) -> LinkedSynthesizer:
    return LinkedSynthesizer(PEOPLE, VISITS, **{"epsilon": 5, "delta": "1e-6", "rows_per_person": 3, **options})


# ---- rows ----------------------------------------------------------------------------------------------
def test_children_stand_beside_their_parents_and_weigh_as_one_record_together() -> None:
    found = table([("a", 4, True), ("b", 1, False)], [("a", "A", 1, 4), ("a", "B", 2, 4), ("a", "A", 1, 4)])
    assert records(found.parents) == {(4, 1, 3): 1, (1, 0, 0): 1}
    assert records(found.children) == {(4, 1, 3, 0, 1, 4): 2 * WHOLE // 3, (4, 1, 3, 1, 2, 4): WHOLE // 3}
    assert sorted(map(tuple, found.rows().tolist())) == [(4, 1, 3, 0, 1, 4)] * 2 + [(4, 1, 3, 1, 2, 4)]
    assert "LinkedTable(schema=" in repr(found)
    assert str(WHOLE // 3) not in repr(found)


def test_rows_that_belong_nowhere_are_left_out() -> None:
    children = [("a", "A", 1, 4), ("stranger", "A", 1, 4), (None, "A", 1, 4), ("", "B", 1, 4)]
    assert contents(table([("a", 4, True), (None, 3, True)], children)) == contents(
        table([("a", 4, True)], [("a", "A", 1, 4)])
    )


def test_one_of_several_parents_with_one_id_is_kept() -> None:
    found = table([("a", 4, True), ("a", 5, True), ("b", 1, False)], [("a", "A", 1, 4)])
    assert found.parents.rows == 2
    assert int(found.children.counts.sum()) == WHOLE


def test_no_more_children_than_allowed_whatever_their_order() -> None:
    children = [("a", "ABC"[n % 3], n % 20, n % 10) for n in range(30)]
    found = contents(table([("a", 4, True)], children))
    assert sum(found[1].values()) == WHOLE
    Random(1).shuffle(children)
    assert contents(table([("a", 4, True)], children)) == found


@settings(max_examples=60, deadline=None)
@given(PARENTS, CHILDREN, some.sampled_from(["a", "b", "7"]))
def test_a_person_moves_one_record_of_either_table_and_nobody_elses(
    parents: list[Any], children: list[Any], gone: str
) -> None:
    """What the sensitivity of every measurement rests on."""
    with_them = contents(table(parents, children))
    without = contents(table(*([row for row in rows if str(row[0]) != gone] for rows in (parents, children))))
    for weight, one, other in zip((1, WHOLE), with_them, without, strict=True):
        moved = {key: one.get(key, 0) - other.get(key, 0) for key in one.keys() | other.keys()}
        assert min(moved.values(), default=0) >= 0
        assert sum(moved.values()) <= weight


@settings(max_examples=20, deadline=None)
@given(PARENTS, CHILDREN)
def test_files_queries_and_frames_make_one_table(parents: list[Any], children: list[Any]) -> None:
    texts = [
        pandas.DataFrame({name: [None if row[at] is None else str(row[at]) for row in rows] for at, name in enumerate(
            ("id", *schema.names))}, dtype=object)
        for rows, schema in ((parents, PEOPLE), (children, VISITS))
    ]  # fmt: skip
    expected = contents(LinkedTable.from_frames(*texts, LINKED))
    with duckdb.connect() as connection:
        for name, rows, schema in zip(("parents", "children"), texts, (PEOPLE, VISITS), strict=True):
            columns = ", ".join(f'"{column}" VARCHAR' for column in ("id", *schema.names))
            connection.execute(f"CREATE TABLE {name} ({columns})")
            for row in rows.itertuples(index=False):
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", list(row))
        assert contents(LinkedTable.from_sql("parents", "children", LINKED, connection=connection)) == expected


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_make_the_table_of_their_frames(tmp_path: Path, ending: str) -> None:
    frames, paths = clinic(60), [tmp_path / f"parents.{ending}", tmp_path / f"children.{ending}"]
    for rows, path in zip(frames, paths, strict=True):
        rows.to_csv(path, index=False) if ending == "csv" else rows.to_parquet(path)
    assert contents(LinkedTable.from_files(*paths, LINKED)) == contents(LinkedTable.from_frames(*frames, LINKED))


def test_strict_reading_refuses_by_line_and_the_guarantee_says_so(tmp_path: Path, short: None) -> None:
    frames, paths = clinic(60), [tmp_path / "parents.csv", tmp_path / "children.csv"]
    for rows, path in zip(frames, paths, strict=True):
        rows.to_csv(path, index=False)
    strict = LinkedTable.from_files(*paths, LINKED, strict=True)
    assert not synthesizer().fit(strict, source=SeededRandomness(0)).guarantee_.robust
    paths[1].write_text("id,ward,days,age\np1,A,1,1\np2,D,1,1\n")
    with pytest.raises(DataError, match="line 3"):
        LinkedTable.from_files(*paths, LINKED, strict=True)


def test_names_may_stand_in_both_schemas() -> None:
    taken = LinkedSchema.of(
        odp.Schema({"number of rows": "boolean", "x": "boolean"}), odp.Schema({"x": "boolean"}), "id", 1
    )
    assert taken.counted.names == ("number of rows", "x", "number of rows'")
    assert taken.joined.names == ("number of rows", "x'", "number of rows'", "x")


# ---- the meter -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("apart", [None, Fraction(1, 10**9)])
def test_weighed_counts_have_the_noise_of_one_record(apart: Fraction | None) -> None:
    """Noise of variance 1/(2ρ) persons on counts of persons, plus that of rounding: power 1 for a factor of 2."""
    weighed = Records(np.zeros((1, 1), dtype=np.int64), np.array([100 * WHOLE]), (5000,), (False,), (False,))
    budget = GaussianBudget(Fraction(1, 200), apart)
    meter = Meter(weighed, budget, Neighbours.ADD_REMOVE, SeededRandomness(5), reach=WHOLE)
    noisy = meter.table((0,), (-1,), [np.arange(5000)], Fraction(1, 200))
    assert float(noisy.variance) == pytest.approx(100 + 1 / 12)
    assert np.var(noisy.values[1:]) == pytest.approx(100, rel=0.15)
    assert abs(int(noisy.values[0]) - 100) < 80


# ---- samples -------------------------------------------------------------------------------------------
def test_ids_are_new_and_every_child_has_its_parent(short: None) -> None:
    made = synthesizer().fit(*clinic(), person="id", source=SeededRandomness(1))
    parents, children = made.sample(250, seed=0)
    assert parents["id"].tolist() == list(range(1, 251))
    assert set(children["id"]) <= set(parents["id"])
    assert children["id"].value_counts().max() <= 3
    assert parents.columns.tolist() == ["id", "age", "smoker"]
    assert children.columns.tolist() == ["id", "ward", "days", "age"]
    assert str(children["id"].dtype) == "int64"
    assert 300 < made.sample_size() < 500
    again = made.sample(250, seed=0)
    assert all(one.equals(other) for one, other in zip((parents, children), again, strict=True))


def test_parts_go_on_counting(short: None) -> None:
    made = synthesizer(rows=95).fit(*clinic(), person="id", source=SeededRandomness(1))
    parts = list(made.sample_parts(seed=2, most=40))
    assert [len(parents) for parents, _ in parts] == [40, 40, 15]
    assert [number for parents, _ in parts for number in parents["id"]] == list(range(1, 96))
    assert all(set(children["id"]) <= set(parents["id"]) for parents, children in parts)


def test_dependence_of_children_on_their_parents_is_kept() -> None:
    parents, children = clinic(3000)
    made = synthesizer(epsilon=20).fit(parents, children, person="id", source=SeededRandomness(1))
    people, visits = made.sample(3000, seed=0)
    joined = visits.merge(people, on="id", suffixes=("", "_parent"))
    assert (joined["ward"] == "C").groupby(joined["smoker"]).mean()[True] > 0.9
    assert (joined["ward"] == "C").groupby(joined["smoker"]).mean()[False] < 0.1
    assert joined["days"].corr(joined["age_parent"]) > 0.5
    per_person = visits.groupby("id").size().reindex(people["id"], fill_value=0)
    assert per_person.to_numpy()[people["age"] >= 7].mean() > 1 + per_person.to_numpy()[people["age"] <= 2].mean()


def test_rules_of_both_schemas_hold(short: None) -> None:
    people = odp.Schema({"columns": PEOPLE.to_json()["columns"], "deny": [["age >= 5", "smoker"]]})
    visits = odp.Schema({"columns": VISITS.to_json()["columns"], "deny": [["ward = A", "age >= 5"]]})
    linked = LinkedSynthesizer(people, visits, epsilon=5, delta="1e-6", rows_per_person=3)
    parents, children = linked.fit(*clinic(), person="id", source=SeededRandomness(1)).sample(300, seed=0)
    assert not ((parents["age"] >= 5) & parents["smoker"]).any()
    assert not ((children["ward"] == "A") & (children["age"] >= 5)).any()


def test_conditions_shape_parents_and_children_follow() -> None:
    made = synthesizer(epsilon=20).fit(*clinic(3000), person="id", source=SeededRandomness(1))
    parents, children = made.sample(400, seed=0, where=["age >= 7", "smoker"])
    assert (parents["age"] >= 7).all()
    assert parents["smoker"].all()
    assert (children["ward"] == "C").mean() > 0.9, "smokers are seen in one ward"
    assert len(children) > 1.5 * 400, "and the old come often"
    _, none = made.sample(50, seed=0, where="number of rows < 1")
    assert len(none) == 0
    both, visits = made.sample(100, seed=0, where="age > 6 and number of rows > 1 and not smoker")
    assert both["age"].min() >= 7
    assert not both["smoker"].any()
    assert visits.groupby("id").size().reindex(both["id"]).min() >= 2
    with pytest.raises(ParameterError, match="no column 'smokr'; did you mean 'smoker'"):
        made.sample(5, where="age > 6 and smokr")
    believed = made.sample_size(where=Literal.boolean("smoker")) / made.sample_size()
    assert 0.2 < believed < 0.4
    parts = list(made.sample_parts(90, seed=1, where="smoker", most=40))
    assert all(rows["smoker"].all() for rows, _ in parts)


@pytest.mark.parametrize(
    "where", ["ward = A", "smoker and not ward = A", ["smoker", "days >= 3"], Literal("ward", "=", "A")]
)
def test_a_condition_on_a_childs_column_is_refused(where: Any, short: None) -> None:
    made = synthesizer().fit(*clinic(60), person="id", source=SeededRandomness(1))
    for call in (made.sample, made.sample_size, made.sample_parts):
        with pytest.raises(ParameterError, match="is of the second table, and conditions are on columns of the first"):
            call(5, where=where)
    assert (made.sample(20, seed=1, where="age >= 5")[0]["age"] >= 5).all(), "a name of both means the parents' column"


def test_frames_come_back_in_their_library(short: None) -> None:
    frames = [polars.from_pandas(rows) for rows in clinic(100)]
    made = synthesizer().fit(*frames, person="id", source=SeededRandomness(1)).sample(20, seed=0)
    assert all(isinstance(rows, polars.DataFrame) for rows in made)


@pytest.mark.parametrize(("parents", "children"), [([], []), ([("a", 1, True)], []), ([], [("a", "A", 1, 1)])])
def test_empty_tables_are_tables(parents: list[Any], children: list[Any], short: None) -> None:
    made = synthesizer().fit(table(parents, children), source=SeededRandomness(1))
    people, visits = made.sample(10, seed=0)
    assert len(people) == 10
    assert set(visits["id"]) <= set(people["id"])


# ---- promises and files --------------------------------------------------------------------------------
def test_the_guarantee_speaks_of_persons_and_the_ledger_is_charged_once(tmp_path: Path, short: None) -> None:
    ledger = Ledger.create(tmp_path / "people.ledger", epsilon=6, delta="1e-5", unit="person")
    made = synthesizer(ledger=ledger).fit(*clinic(100), person="id")
    assert str(made.guarantee_).startswith(
        "(5, 1e-06)-differentially private when any one person (all rows with one id) is added or removed; robust"
    )
    (charge,) = ledger.charges
    assert (charge.epsilon, charge.mechanism, charge.proof) == (5, "linked-synthesizer", "linked-tables")
    with pytest.raises(BudgetExceeded):
        synthesizer(ledger=ledger).fit(*clinic(100), person="id")
    assert len(ledger.charges) == 1


def test_a_seed_is_not_private(short: None) -> None:
    assert "NOT PRIVATE" in str(synthesizer().fit(*clinic(50), person="id", source=SeededRandomness(1)).guarantee_)


def test_a_saved_model_samples_the_same(tmp_path: Path, short: None) -> None:
    made = synthesizer().fit(*clinic(100), person="id", source=SeededRandomness(1))
    made.save(tmp_path / "model.json")
    loaded = LinkedSynthesizer.load(tmp_path / "model.json")
    assert loaded.guarantee_ == made.guarantee_
    pairs = zip(made.sample(30, seed=4), loaded.sample(30, seed=4), strict=True)
    assert all(one.equals(other) for one, other in pairs)
    assert '"p1' not in (tmp_path / "model.json").read_text(), "persons' names are private"
    with pytest.raises(ModelError, match="two linked tables"):
        odp.Synthesizer.load(tmp_path / "model.json")


def test_a_changed_model_is_refused(tmp_path: Path, short: None) -> None:
    made = synthesizer().fit(*clinic(50), person="id", source=SeededRandomness(1))
    whole = made.model_.to_json()
    for key, wrong in (
        ("oracledp-linked-model", 9), ("rows_per_person", 2), ("rows_per_person", 0), ("person", "age"),
        ("children", whole["parents"]), ("children_schema", whole["schema"]), ("parents", {}), ("schema", None),
    ):  # fmt: skip
        (tmp_path / "bad.json").write_text(json.dumps({**whole, key: wrong}))
        with pytest.raises(odp.OracleDPError):
            LinkedSynthesizer.load(tmp_path / "bad.json")


def test_quality_is_internal_and_compares_both_tables(short: None) -> None:
    frames = clinic(300)
    found = synthesizer(epsilon=20).fit(*frames, person="id", source=SeededRandomness(1)).quality(*frames)
    assert "NOT PRIVATE" in str(found)
    assert found.to_json()["private"] is False
    assert sum(real for real, _ in found.numbers) == pytest.approx(1)
    assert {(pair.parent, pair.child) for pair in found.pairs} >= {("smoker", "ward"), ("number of rows", "days")}
    assert found.numbers_distance < 0.2


# ---- refusals, before any charge -----------------------------------------------------------------------
def refused(
    error: type[Exception], words: str, tmp_path: Path, *frames: Any, person: Any = "id", **options: Any
) -> None:
    ledger = Ledger.create(tmp_path / "people.ledger", epsilon=6, delta="1e-5", unit="person")
    with pytest.raises(error, match=words):
        synthesizer(ledger=ledger, **options).fit(*frames, person=person)
    assert not ledger.charges


def test_bad_input_is_one_line_and_costs_nothing(tmp_path: Path) -> None:
    parents, children = clinic(20)
    cases: list[tuple[type[Exception], str, tuple[Any, ...], dict[str, Any]]] = [
        (DataError, "column 'id' is missing", (parents.drop(columns="id"), children), {}),
        (DataError, "column 'id' is missing", (parents, children.drop(columns="id")), {}),
        (ParameterError, "tells persons apart: take it out", (parents, children), {"person": "age"}),
        (ParameterError, "tells persons apart: take it out", (parents, children), {"person": "ward"}),
        (ParameterError, "links both tables", (parents, children), {"person": None}),
        (ParameterError, "rows_per_person", (parents, children), {"rows_per_person": 0}),
        (ParameterError, "rows_per_person", (parents, children), {"rows_per_person": 101}),
        (DataError, "a pandas, polars or pyarrow table is needed", (parents, None), {}),
        (ParameterError, "where they are read", (table([], []), children), {}),
        (ParameterError, "other schemas", (table([], [], LinkedSchema.of(PEOPLE, VISITS, "id", 2)),), {"person": None}),
    ]
    for number, (error, words, frames, options) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        refused(error, words, folder, *frames, **options)


def test_a_synthesizer_that_is_not_fitted_says_so() -> None:
    with pytest.raises(ModelError, match="not fitted"):
        synthesizer().sample(3)
    assert "rows_per_person" not in repr(synthesizer())
