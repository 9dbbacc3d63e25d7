"""Two linked tables are the same tables on every engine that holds their rows (proofs/linked-tables.md)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import oracledp as odp
from oracledp.cli import cli
from oracledp.data.table.linked import LinkedSchema, LinkedTable
from oracledp.errors import DataError, ParameterError
from oracledp.synthesis import chosen_fit

PEOPLE = odp.Schema({"age": "integer 0..9", "smoker": "boolean?"})
VISITS = odp.Schema({"ward": "A | B | C", "days": "integer 0..19", "age": "numeric 0..9 by 0.5"})
WIDE = odp.Schema({f"n{index}": "integer 0..50000" for index in range(6)})  # of several packed keys
TEXTS = ["ada", "Ada", " ada", "o'hara", 'q"uote', "ümlaut", "日本", "", None, "7", "007", "7.0"]


def rows(ids: list[Any], count: int, seed: int) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Several parents with one id, children of nobody, values that no schema knows, all out of order."""
    draw = random.Random(seed)
    people = [(draw.choice(ids), draw.randrange(-3, 14), draw.choice([True, False, None])) for _ in range(count)]
    visits = [
        (
            draw.choice(ids),
            draw.choice(["A", "B", "C", "D", "", None]),
            draw.randrange(-2, 25),
            draw.choice([None, 2.5]),
        )
        for _ in range(5 * count)
    ]
    return (
        pandas.DataFrame(people, columns=["the id", *PEOPLE.names], dtype=object),
        pandas.DataFrame(visits, columns=["the id", *VISITS.names], dtype=object),
    )


def contents(found: LinkedTable) -> list[Any]:
    return [sorted(zip(map(tuple, one.codes.tolist()), one.counts.tolist(), strict=True))
            for one in (found.parents, found.children)]  # fmt: skip


def fill(connection: Any, name: str, kinds: str, frame: pandas.DataFrame) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} ({kinds})")
        with cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in frame.itertuples(index=False):
                copy.write_row([None if pandas.isna(value) else value for value in row])


def on_postgres(connection: Any, frames: tuple[pandas.DataFrame, pandas.DataFrame], kind: str) -> None:
    fill(connection, "people", f'"the id" {kind}, age int, smoker boolean', frames[0])
    fill(connection, "visits", f'"the id" {kind}, ward text, days int, age double precision', frames[1])


@pytest.mark.parametrize("k", [1, 3, 100])
@pytest.mark.parametrize(
    ("ids", "kind"), [(TEXTS, "text"), ([*range(-3, 40)], "bigint"), ([*range(40)], "numeric"),
                      ([*range(40)], "double precision")],
)  # fmt: skip
def test_postgresql_makes_the_tables_of_the_csv_files(
    postgres: Any, tmp_path: Path, ids: list[Any], kind: str, k: int
) -> None:
    frames, schema = rows(ids, 60, seed=k), LinkedSchema.of(PEOPLE, VISITS, "the id", k)
    paths = [tmp_path / "people.csv", tmp_path / "visits.csv"]
    for frame, path in zip(frames, paths, strict=True):
        frame.to_csv(path, index=False)
    on_postgres(postgres, frames, kind)
    found = contents(LinkedTable.from_sql("people", "visits", schema, connection=postgres))
    assert found == contents(LinkedTable.from_files(*paths, schema))
    assert found == contents(LinkedTable.from_frames(*frames, schema))
    assert found == contents(LinkedTable.from_columns(*(frame.to_dict("list") for frame in frames), schema))


@pytest.mark.parametrize("batch", [1, 7, 100_000])
def test_rows_come_some_at_a_time_and_none_is_lost(postgres: Any, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr("oracledp.data.table.postgres._BATCH", batch)
    draw = random.Random(3)
    people = pandas.DataFrame([[n, *(draw.randrange(50001) for _ in WIDE.names)] for n in range(20)],
                              columns=["id", *WIDE.names])  # fmt: skip
    visits = pandas.DataFrame([[draw.randrange(25), "ABC"[n % 3], n % 20, 1.0] for n in range(49)],
                              columns=["id", *VISITS.names])  # fmt: skip
    fill(postgres, "wide", ", ".join(["id int", *(f"{name} int" for name in WIDE.names)]), people)
    fill(postgres, "visits", "id int, ward text, days int, age float", visits)
    schema = LinkedSchema.of(WIDE, VISITS, "id", 4)
    found = LinkedTable.from_sql("wide", "SELECT * FROM visits;", schema, connection=postgres)
    assert contents(found) == contents(LinkedTable.from_frames(people, visits, schema))
    empty = LinkedTable.from_sql("SELECT * FROM wide WHERE false", "visits", schema, connection=postgres)
    assert contents(empty) == [[], []]


@pytest.mark.parametrize("encoding", ["LATIN1", "UTF8"])
def test_no_id_fails_in_the_encoding_of_the_client(postgres: Any, encoding: str) -> None:
    """Whether somebody's name can be written in it would be told by the failure."""
    frames, schema = rows(TEXTS, 40, seed=1), LinkedSchema.of(PEOPLE, VISITS, "the id", 3)
    on_postgres(postgres, frames, "text")
    postgres.execute(f"SET client_encoding TO '{encoding}'")
    found = LinkedTable.from_sql("people", "visits", schema, connection=postgres)
    assert contents(found) == contents(LinkedTable.from_frames(*frames, schema))


def test_what_cannot_be_read_is_one_line_without_data(postgres: Any) -> None:
    frames, schema = rows(["secret"], 5, seed=1), LinkedSchema.of(PEOPLE, VISITS, "the id", 3)
    on_postgres(postgres, frames, "text")
    for source, words in (
        ("SELECT age, smoker FROM people", "column 'the id' is missing from the query"),
        ('SELECT now() AS "the id", age, smoker FROM people', "convert it to text"),
        ('SELECT "the id", CAST("the id" AS int) AS age, smoker FROM people', "withheld"),
    ):
        with pytest.raises(DataError, match=words) as caught:
            LinkedTable.from_sql(source, "visits", schema, connection=postgres)
        assert "secret" not in str(caught.value)
        assert postgres.execute("SELECT count(*) FROM people").fetchone() == (5,), "the transaction goes on"
    with pytest.raises(DataError, match="column 'ward': "):
        LinkedTable.from_sql("people", "visits", schema, connection=postgres, strict=True)


@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
@pytest.mark.parametrize("k", [1, 3])
def test_spark(spark: Any, k: int) -> None:
    frames, schema = rows([*range(40)], 60, seed=k), LinkedSchema.of(PEOPLE, VISITS, "the id", k)
    kinds = "`the id` bigint, age int, smoker boolean", "`the id` bigint, ward string, days int, age double"
    made = [
        spark.createDataFrame([tuple(None if pandas.isna(v) else v for v in row) for row in frame.values], kind)
        for frame, kind in zip(frames, kinds, strict=True)
    ]
    expected = contents(LinkedTable.from_frames(*frames, schema))
    assert contents(LinkedTable.from_spark(*made, schema)) == expected
    for frame, name in zip(made, ("people", "visits"), strict=True):
        frame.createOrReplaceTempView(name)
    try:
        assert contents(LinkedTable.from_sql("people", "visits", schema, connection=spark)) == expected
    finally:
        for name in ("people", "visits"):
            spark.catalog.dropTempView(name)


# ---- by address ----------------------------------------------------------------------------------------
@pytest.fixture
def server(postgres_address: str) -> Iterator[tuple[Any, str]]:
    """A connection whose tables others see, and the address up to the name of a table."""
    import psycopg

    folder = dict(item.split("=") for item in postgres_address.split())["host"]
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        try:
            yield connection, f"postgresql://tester@/postgres?host={folder}&table="
        finally:
            connection.execute("DROP TABLE IF EXISTS people, visits")


def synthesized(folder: Path, people: str, visits: str) -> tuple[Any, str, str]:
    (folder / "people.yaml").write_text("columns:\n  age: integer 0..9\n  smoker: boolean?\n")
    (folder / "visits.yaml").write_text(
        "columns:\n  ward: A | B | C\n  days: integer 0..19\n  age: numeric 0..9 by 0.5\n"
    )
    options = {"schema": folder / "people.yaml", "children": visits, "children-schema": folder / "visits.yaml",
               "person": "the id", "rows-per-person": 3, "epsilon": 2, "delta": "1e-6", "out": folder / "made.csv",
               "children-out": folder / "made-visits.csv", "seed": 1}  # fmt: skip
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    result = CliRunner().invoke(cli, ["synth", people, *words, "--insecure-seed", "--quiet", "--json"])
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    return shown["guarantee"], *((folder / name).read_text() for name in ("made.csv", "made-visits.csv"))


def test_the_command_makes_the_same_of_addresses_and_files(
    server: tuple[Any, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chosen_fit, "SIZES", ((24, 6),) * 3)
    connection, address = server
    frames = rows([f"p{n}" for n in range(60)], 80, seed=2)
    on_postgres(connection, frames, "text")
    for frame, name in zip(frames, ("people", "visits"), strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    files = f"{tmp_path}/people.csv", f"{tmp_path}/visits.csv"
    expected = synthesized(tmp_path, *files)
    assert synthesized(tmp_path, f"{address}people", f"{address}visits") == expected
    assert synthesized(tmp_path, files[0], f"{address}visits") == expected
    assert synthesized(tmp_path, f"{address}people", files[1]) == expected


def test_an_address_names_a_table() -> None:
    schema = LinkedSchema.of(PEOPLE, VISITS, "id", 3)
    with pytest.raises(ParameterError, match="must name one table"):
        LinkedTable.from_addresses("postgresql://me@host/clinic", "visits.csv", schema)
    with pytest.raises(DataError, match="cannot be reached") as caught:
        LinkedTable.from_addresses("postgresql://me:word@/x?host=/nowhere&table=t", "visits.csv", schema)
    assert "word" not in str(caught.value)
