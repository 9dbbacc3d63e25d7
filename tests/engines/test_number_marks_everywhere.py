"""Texts that say numbers with a decimal comma or separators of thousands are the same records on every engine."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pyarrow.parquet
import pytest
import sqlglot

from oracledp.data.schema import Schema
from oracledp.data.table import PushDown, Table

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

COLUMNS = {
    "people": {"kind": "integer", "lo": 0, "hi": 2_000_000, "resolution": 1, "nullable": True, "missing": "n.a."},
    "paid": {"kind": "decimal", "lo": -10_000, "hi": 2_000_000, "places": 2, "nullable": True},
    "rate": {"kind": "numeric", "lo": 0, "hi": 2_000_000, "thresholds": [1, 100, 1000, 1_000_000], "nullable": True},
    "code": {"kind": "categorical", "values": [1000, 20000], "nullable": True},
    "word": {"kind": "categorical", "values": ["1,000", "1.000", "1 000"], "nullable": True},
    "born": {"kind": "date", "lo": "2000-01-01", "hi": "2029-12-31", "format": "%d.%m.%Y", "nullable": True},
}
NUMBERS = [
    "1{t}234", "1{t}234{d}50", "1234{d}5", "1{t}234{t}567", "-1{t}234", "+1{t}000", " 1{t}000 ", "\t20{t}000{d}0",
    "20000", "1000", "1{t}23", "1{t}2345", "12{t}34", "1{t}{t}234", "{t}123", "1{t}234{t}", "1234{t}567", "0{t}123",
    "1{d}234{t}567", "1{t}234{d}5{d}6", "1{t} 234", "1{t}234e1", "1e3", "1{t}000{d}", "1{t}234\n", "{d}5", "{d}", "{t}",
    "9{t}999{t}999{t}999",
    "1" + "{t}000" * 13, "1" + "{t}000" * 80,
]  # fmt: skip
OTHERS = [
    None,
    "",
    " ",
    "nan",
    "n.a.",
    "n,a,",
    "x",
    "1,000",
    "1.000",
    "1 000",
    "1,5",
    "1.5",
    "31.01.2026",
    "31,01,2026",
]
SPELLINGS: list[dict[str, str]] = [
    {"thousands": ","},
    {"thousands": ".", "decimal": ","},
    {"thousands": "'", "decimal": ","},
    {"thousands": " "},
    {"thousands": "\u202f", "decimal": ","},
    {"decimal": ","},
]
every_spelling = pytest.mark.parametrize("file", SPELLINGS, ids=lambda file: "".join(map(ascii, file.values())))


def rows(file: dict[str, str]) -> dict[str, list[str | None]]:
    marks = {"t": file.get("thousands", "'"), "d": file.get("decimal", ".")}
    texts = [*(text.format(**marks) for text in NUMBERS), *OTHERS]
    return dict.fromkeys(COLUMNS, texts)


def outcome(file: dict[str, str], make: Callable[[Schema], Table]) -> list[Any]:
    """Of each column alone, so that its rows can be told apart: codes, counts and what was mapped."""
    found = []
    for name, column in COLUMNS.items():
        table = make(Schema({"file": file, "columns": {name: column}}))
        assert table.mapped is not None
        found.append((name, table.codes.tolist(), table.counts.tolist(), table.mapped.tolist()))
    return found


def expected(file: dict[str, str]) -> list[Any]:
    frame = pandas.DataFrame(rows(file), dtype=object)
    return outcome(file, lambda schema: Table.from_frame(frame, schema))


@every_spelling
def test_files_agree(tmp_path: Path, file: dict[str, str]) -> None:
    with (tmp_path / "rows.csv").open("w", newline="", encoding="utf-8") as target:
        csv.writer(target).writerows([list(COLUMNS), *zip(*rows(file).values(), strict=True)])
    assert outcome(file, lambda schema: Table.from_file(tmp_path / "rows.csv", schema)) == expected(file)


@every_spelling
def test_parquet_and_duckdb_agree(tmp_path: Path, file: dict[str, str]) -> None:
    pyarrow.parquet.write_table(pyarrow.table(rows(file)), tmp_path / "rows.parquet")
    assert outcome(file, lambda schema: Table.from_file(tmp_path / "rows.parquet", schema)) == expected(file)
    with duckdb.connect() as connection:
        connection.register("spelled", pyarrow.table(rows(file)))
        found = outcome(file, lambda schema: Table.from_sql("spelled", schema, connection=connection))
    assert found == expected(file)


@every_spelling
def test_postgresql_agrees(postgres: Any, file: dict[str, str]) -> None:
    postgres.execute(f"CREATE TEMP TABLE spelled ({', '.join(f'{name} text' for name in COLUMNS)})")
    with postgres.cursor() as cursor, cursor.copy("COPY spelled FROM STDIN") as copy:
        for row in zip(*rows(file).values(), strict=True):
            copy.write_row(row)
    assert outcome(file, lambda schema: Table.from_sql("spelled", schema, connection=postgres)) == expected(file)


@every_spelling
def test_spark_agrees(spark: Any, file: dict[str, str]) -> None:
    frame = pandas.DataFrame(rows(file), dtype=object)
    held = spark.createDataFrame(frame, ", ".join(f"{name} string" for name in COLUMNS))
    assert outcome(file, lambda schema: Table.from_spark(held, schema)) == expected(file)


@every_spelling
@pytest.mark.parametrize(("dialect", "kind"), [("bigquery", "STRING"), ("snowflake", "VARCHAR")])
def test_the_sql_of_warehouses_agrees_where_it_can_be_run(dialect: str, kind: str, file: dict[str, str]) -> None:
    with duckdb.connect() as connection:
        connection.register("spelled", pyarrow.table(rows(file)))

        def count(schema: Schema) -> Table:
            plan = PushDown(schema, dialect, {schema.names[0]: kind})
            (query,) = sqlglot.transpile(plan.query("spelled"), read=dialect, write="duckdb")
            query = query.replace("DECIMAL(38, 5)", "DECIMAL(38, 0)")  # DuckDB has nothing as wide as BIGNUMERIC
            return Table.from_pushdown(plan, connection.sql(query).fetchall())

        assert outcome(file, count) == expected(file)
