"""Every engine keeps the same rows of every person as the reference in memory (proofs/persons.md)."""

from __future__ import annotations

import random
from typing import Any

import duckdb
import pandas
import pytest

import oracledp as odp
from oracledp.data.table import PushDown, Table
from oracledp.data.table.dialects import DIALECTS
from oracledp.data.table.unit import Unit
from oracledp.errors import DataError

SCHEMA = odp.Schema({"age": "integer 0..99", "job": "cook | smith | other", "ill": "boolean?"})
JOBS = ("cook", "smith", "baker", "")


def rows(ids: list[Any]) -> pandas.DataFrame:
    draw = random.Random(7)
    made = [(draw.choice(ids), draw.randrange(-9, 120), draw.choice(JOBS), draw.random() < 0.5) for _ in range(400)]
    return pandas.DataFrame(made, columns=["patient id", "age", "job", "ill"])


TEXTS = rows(["ada", "Ada", " ada", "o'hara", 'q"uote', "ümlaut", "", None, "7"])
NUMBERS = rows([*range(-3, 60)])


def same(found: Table, frame: pandas.DataFrame, k: int) -> None:
    expected = Table.from_frame(frame, SCHEMA, person="patient id", rows_per_person=k)
    assert found.unit == expected.unit == Unit("patient id", k)
    assert (found.codes.tolist(), found.counts.tolist()) == (expected.codes.tolist(), expected.counts.tolist())
    assert found.mapped is not None
    assert expected.mapped is not None
    assert found.mapped.tolist() == expected.mapped.tolist()


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("frame", [TEXTS, NUMBERS], ids=["texts", "numbers"])
def test_duckdb(frame: pandas.DataFrame, k: int) -> None:
    connection = duckdb.connect()
    connection.register("given", frame)
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    same(Table.from_sql("people", SCHEMA, connection=connection, person="patient id", rows_per_person=k), frame, k)
    plan = PushDown(
        SCHEMA, "duckdb", dict(connection.sql("SELECT column_name, column_type FROM (DESCRIBE people)").fetchall()),
        unit=Unit("patient id", k),
    )  # fmt: skip
    same(Table.from_pushdown(plan, connection.sql(plan.query("people")).fetchall()), frame, k)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize(("frame", "kind"), [(TEXTS, "text"), (NUMBERS, "bigint"), (NUMBERS, "numeric"),
                                             (NUMBERS, "double precision")])  # fmt: skip
def test_postgresql(postgres: Any, frame: pandas.DataFrame, kind: str, k: int) -> None:
    with postgres.cursor() as cursor:
        cursor.execute(f'CREATE TEMP TABLE people ("patient id" {kind}, age int, job text, ill boolean)')
        made = [tuple(None if pandas.isna(value) else value for value in row) for row in frame.itertuples(index=False)]
        cursor.executemany("INSERT INTO people VALUES (%s, %s, %s, %s)", made)
        same(Table.from_sql("people", SCHEMA, connection=postgres, person="patient id", rows_per_person=k), frame, k)
        cursor.execute("DROP TABLE people")


def test_ids_of_64_bits_count_where_their_type_is_declared(postgres: Any) -> None:
    others = "5 AS age, 'cook' AS job, true AS ill FROM generate_series(0, 5) i"
    query = f'SELECT 9007199254740993 + i / 2 AS "patient id", {others}'
    assert Table.from_sql(query, SCHEMA, connection=postgres, person="patient id").rows == 3
    query = query.replace("9007199254740993 + i / 2", "md5((i / 2)::text)::uuid")
    assert Table.from_sql(query, SCHEMA, connection=postgres, person="patient id").rows == 3
    query = query.replace("md5((i / 2)::text)::uuid", "now()")
    with pytest.raises(DataError, match=r"'patient id'.*convert it to text"):
        Table.from_sql(query, SCHEMA, connection=postgres, person="patient id")


@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("frame", [TEXTS, NUMBERS], ids=["texts", "numbers"])
def test_spark(spark: Any, frame: pandas.DataFrame, k: int) -> None:
    made = spark.createDataFrame(frame)
    same(Table.from_spark(made, SCHEMA, person="patient id", rows_per_person=k), frame, k)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_dialect_says_it_in_one_query(dialect: str) -> None:
    types = {"bigquery": ("STRING", "INT64", "STRING", "BOOL"), "spark": ("string", "int", "string", "boolean"),
             "snowflake": ("VARCHAR", "NUMBER(9)", "VARCHAR", "BOOLEAN"),
             "postgresql": ("text", "integer", "text", "boolean")}  # fmt: skip
    named = dict(zip(TEXTS.columns, types.get(dialect, ("VARCHAR", "INTEGER", "VARCHAR", "BOOLEAN")), strict=True))
    query = PushDown(SCHEMA, dialect, named, unit=Unit("patient id", 2)).query("people")
    assert "PARTITION BY person" in query
    assert "place <= 2" in query
    assert query.count("patient id") >= 1
