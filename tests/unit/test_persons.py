"""Rows of persons: which are kept, what is promised for them, what a ledger makes of it (proofs/persons.md)."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from uuid import UUID

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import oracledp as odp
from oracledp.data.table.dialects.base import Dialect
from oracledp.data.table.dialects.duck import DuckDB
from oracledp.data.table.dialects.postgres import PostgreSQL
from oracledp.data.table.persons import PersonsInSql, kept_rows
from oracledp.data.table.unit import Unit
from oracledp.errors import BudgetExceeded, DataError, ParameterError
from oracledp.learning import learn_table
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Charge, Ledger
from oracledp.privacy.persons import delta_growth, per_unit, row_delta, row_epsilon

SCHEMA = odp.Schema({"age": "integer 0..99", "ill": "boolean"})
IDS = ["a", "b", "", None, 7, 7.0, "7", 2**60, 1.5, True, Decimal(7), UUID(int=1), float("nan")]
ROWS = some.lists(some.tuples(some.sampled_from(IDS), some.integers(-5, 120), some.booleans()), max_size=30)


def table_of(rows: list[tuple[object, int, bool]], **options: object) -> odp.Table:
    columns = dict(zip(("id", "age", "ill"), map(list, zip(*rows, strict=True)), strict=True)) if rows else {
        "id": [], "age": [], "ill": []}  # fmt: skip
    return odp.Table.from_columns(columns, SCHEMA, person="id", **options)  # type: ignore[arg-type]


def records(table: odp.Table) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True))


@settings(deadline=None, max_examples=50)
@given(ROWS, some.integers(1, 3), some.randoms())
def test_what_is_kept_of_a_person_is_bounded_and_knows_nobody_else(
    rows: list[tuple[object, int, bool]], k: int, shuffle: Random
) -> None:
    whole = records(table_of(rows, rows_per_person=k))
    for person in ("a", "7"):
        same = (person,) if person == "a" else (7, "7")
        without = records(table_of([row for row in rows if isinstance(row[0], bool) or row[0] not in same],
                                   rows_per_person=k))  # fmt: skip
        alone = records(table_of([row for row in rows if not isinstance(row[0], bool) and row[0] in same],
                                 rows_per_person=k))  # fmt: skip
        assert sum(alone.values()) <= k
        assert whole == {key: without.get(key, 0) + alone.get(key, 0) for key in without | alone}
    mixed = list(rows)
    shuffle.shuffle(mixed)
    assert records(table_of(mixed, rows_per_person=k)) == whole


def test_the_choice_does_not_favour_a_value() -> None:
    """Two thousand persons with one ill and one healthy row: P(|kept ill - 1000| > 250) < 1e-28 for fair coins."""
    rows = [(number, 30, ill) for number in range(2000) for ill in (True, False)]
    ill = sum(count for (_, code), count in records(table_of(rows)).items() if code == 1)
    assert 750 < ill < 1250


def test_a_missing_id_changes_nobody_elses_rows(tmp_path: Path) -> None:
    """One missing value turns a column of integers into one of floats: in memory, and in files written from it."""
    whole = pandas.DataFrame({"id": [1, 1, 2, 2**60, 3, 3], "age": range(6), "ill": [True, False] * 3})
    more = pandas.concat([whole, pandas.DataFrame({"id": [None], "age": [50], "ill": [True]})])
    assert (whole.id.dtype, more.id.dtype) == ("int64", "object")
    floats = more.assign(id=more.id.astype("float64"))
    expected = records(odp.Table.from_frame(whole, SCHEMA, person="id"))
    assert sum(expected.values()) == 3
    for name, frame in {"whole": whole, "floats": floats}.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
        assert records(odp.Table.from_frame(frame, SCHEMA, person="id")) == expected
        assert records(odp.Table.from_file(tmp_path / f"{name}.parquet", SCHEMA, person="id")) == expected


def test_mixed_folders_are_bounded_across_files(tmp_path: Path) -> None:
    one = pandas.DataFrame({"id": [1, 2], "age": [10, 20], "ill": [True, False]})
    two = pandas.DataFrame({"id": [1.0, None], "age": [11.0, None], "ill": [True, False]})
    (tmp_path / "folder").mkdir()
    one.to_parquet(tmp_path / "folder" / "one.parquet")
    two.to_parquet(tmp_path / "folder" / "two.parquet")
    both = odp.Table.from_file(tmp_path / "folder", SCHEMA, person="id")
    assert both.rows == 2
    assert records(both) == records(odp.Table.from_frame(pandas.concat([one, two]), SCHEMA, person="id"))


def test_unreadable_records_name_nobody(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"id,age,ill\n1,20,true\n2,30\n\xff,1,true\n1,21,false\n")
    assert odp.Table.from_file(tmp_path / "x.csv", SCHEMA, person="id").rows == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"person": "age"}, "take it out of the schema"),
        ({"person": "AGE"}, "take it out of the schema"),
        ({"person": ""}, "name of a column"),
        ({"rows_per_person": 2}, "needs person"),
        ({"person": "id", "rows_per_person": 0}, "rows_per_person"),
        ({"person": "id", "rows_per_person": 1001}, "rows_per_person"),
    ],
)
def test_bad_units_are_refused(options: dict[str, object], words: str) -> None:
    frame = pandas.DataFrame({"id": [1], "age": [1], "ill": [True]})
    with pytest.raises(ParameterError, match=words):
        odp.Table.from_frame(frame, SCHEMA, **options)  # type: ignore[arg-type]


def test_a_missing_column_of_persons_is_named(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"age": [1], "ill": [True]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    for read in (lambda: odp.Table.from_frame(frame, SCHEMA, person="id"),
                 lambda: odp.Table.from_file(tmp_path / "x.csv", SCHEMA, person="id")):  # fmt: skip
        with pytest.raises(DataError, match="column 'id' is missing from"):
            read()


def test_shares_and_promises_meet() -> None:
    for k in (1, 2, 5):
        unit = Unit("id", k)
        epsilon = row_epsilon("0.7", unit)
        delta = row_delta("1e-6", epsilon, unit)
        promised = per_unit(Guarantee(epsilon=epsilon, delta=delta, neighbours=Neighbours.DEFAULT, proof="x"), unit)
        assert (promised.epsilon, promised.delta) == (Fraction(7, 10), Fraction(1, 10**6))
        exact = sum(np.exp(float(epsilon) * row) for row in range(k))
        assert exact <= float(delta_growth(epsilon, k)) <= exact + 1e-5
    with pytest.raises(ParameterError, match="one row per person"):
        per_unit(Guarantee(epsilon=Fraction(1), neighbours=Neighbours.REPLACE_ONE, proof="x"), Unit("id", 2))
    with pytest.raises(ParameterError, match="no share left"):
        delta_growth(Fraction(1500), 3)


def test_releases_speak_of_persons_and_models_keep_it(tmp_path: Path) -> None:
    table = table_of([(number % 40, 10 + number % 50, number % 3 == 0) for number in range(200)], rows_per_person=3)
    target = SCHEMA.literal("ill")
    learned = learn_table(table, target, epsilon=1)
    assert learned.guarantee.epsilon == 1
    assert "any one person (all rows with one id) is added or removed" in str(learned.guarantee)
    assert Guarantee.from_json(learned.guarantee.to_json()) == learned.guarantee
    made = odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-6").fit(table)
    assert (made.guarantee_.epsilon, made.guarantee_.delta) == (1, Fraction(1, 10**6))
    made.save(tmp_path / "model.json")
    assert odp.Synthesizer.load(tmp_path / "model.json").guarantee_ == made.guarantee_
    assert "id" not in made.sample(5, seed=1).columns
    with pytest.raises(ParameterError, match="one row per person"):
        learn_table(table, target, epsilon=1, neighbours="replace-one")


def test_ledgers_count_one_unit(tmp_path: Path) -> None:
    persons = Ledger.create(tmp_path / "persons", epsilon=2, delta="1e-5", unit="person")
    rows = Ledger.create(tmp_path / "rows", epsilon=2)
    table = table_of([(number, 30, True) for number in range(20)])
    plain = odp.Table.from_columns({"age": [1], "ill": [True]}, SCHEMA)
    learn_table(table, SCHEMA.literal("ill"), epsilon=1, ledger=persons)
    assert (persons.charges[0].person, persons.charges[0].rows_per_person) == ("id", 1)
    assert persons.charges[0].unit == Unit("id")
    with pytest.raises(BudgetExceeded, match="per person, and this release is private per row"):
        learn_table(plain, SCHEMA.literal("ill"), epsilon=1, ledger=persons)
    with pytest.raises(BudgetExceeded, match="per row, and this release is private per person"):
        learn_table(table, SCHEMA.literal("ill"), epsilon=1, ledger=rows)
    assert rows.spent == (0, 0)
    assert kept_rows(Unit("id"), [], [np.zeros(0, np.int32)]).size == 0


def test_guarantees_and_charges_keep_the_person_and_the_rows() -> None:
    """What is written says whom it protects and with how many rows, and is read back as it was."""
    unit = Unit("id", 3)
    promise = per_unit(Guarantee(epsilon=Fraction(1, 3), neighbours=Neighbours.DEFAULT, proof="noise"), unit)
    written = promise.to_json()
    assert (written["person"], written["rows_per_person"]) == ("id", 3)
    assert Guarantee.from_json(written) == promise
    charge = Charge(epsilon=Fraction(1), delta=Fraction(0), mechanism="x", person="id", rows_per_person=3)
    assert charge.unit == unit
    assert Charge.from_json(charge.to_json()).unit == unit
    assert replace(charge, rows_per_person=None).unit == Unit("id", 1)
    assert replace(charge, person=None).unit == Unit()


@pytest.mark.parametrize(("dialect", "limited"), [(PostgreSQL(), False), (DuckDB(), True)])
def test_large_numbers_are_ids_where_a_type_was_declared(dialect: Dialect, limited: bool) -> None:
    """Elsewhere a column of integers may become one of doubles, in which two ids run together."""
    assert ("BETWEEN" in PersonsInSql(Unit("id"), "id", "BIGINT", dialect).reading()) is limited


def test_the_number_of_rows_is_never_a_fact_with_several_rows_per_person() -> None:
    """Else it would stand in refusals by public numbers before the whole is refused."""
    table = table_of([("a", 1, True), ("a", 2, True), ("b", 3, False)], rows_per_person=2)
    with pytest.raises(ParameterError, match="one row per person"):
        Facts.of(table, Neighbours.REPLACE_ONE)
    assert Facts.of(table, Neighbours.ADD_REMOVE).rows is None
