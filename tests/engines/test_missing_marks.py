"""A mark of missing values means the same on every engine: the value is missing, and no other text is."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas
import pytest

from oracledp.data.schema import Schema
from oracledp.data.table import Table

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [50], "missing": "?"},
        "pay": {"kind": "numeric", "lo": 0, "hi": 10, "thresholds": [5], "missing": "N/A"},
        "job": {"kind": "categorical", "values": ["cook", "it's"], "other": "else", "missing": "-"},
        "ill": {"kind": "boolean", "missing": "unknown"},
    }
)
ROWS = [
    ("20", "1.5", "cook", "true"),
    ("?", "N/A", "-", "unknown"),
    ("60", "7", "it's", "false"),
    (None, None, None, None),
    ("70", "-", "?", "true"),  # marks of other columns: no numbers, and another job
]


def counted(table: Table) -> list[tuple[tuple[int, ...], int]]:
    return sorted(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True))


def expected() -> list[tuple[tuple[int, ...], int]]:
    return counted(Table.from_frame(pandas.DataFrame(ROWS, columns=SCHEMA.names), SCHEMA))


def test_marked_and_absent_values_are_the_same_record() -> None:
    missing = tuple(column.size - 1 for column in SCHEMA.columns)
    assert (missing, 2) in expected()


def test_duckdb_agrees() -> None:
    frame = pandas.DataFrame(ROWS, columns=SCHEMA.names)
    with duckdb.connect() as connection:
        connection.register("marked", frame)
        assert counted(Table.from_sql("SELECT * FROM marked", SCHEMA, connection=connection)) == expected()


def test_postgresql_agrees(postgres: Any) -> None:
    columns = ", ".join(f"{name} text" for name in SCHEMA.names)
    postgres.execute(f"CREATE TEMPORARY TABLE marked ({columns})")
    for row in ROWS:
        postgres.execute("INSERT INTO marked VALUES (%s, %s, %s, %s)", row)
    assert counted(Table.from_sql("SELECT * FROM marked", SCHEMA, connection=postgres)) == expected()


def test_spark_agrees(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, ", ".join(f"{name} string" for name in SCHEMA.names))
    assert counted(Table.from_spark(frame, SCHEMA)) == expected()
