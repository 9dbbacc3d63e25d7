"""The same rows give the same table, bit for bit, from every frame, file, database and cluster; strictly read, the
same table or the same refusal."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from row_strategies import Rows, arrow_table, expected, follows, histogram, schemas_with_rows, write_csv
from schema_strategies import TEXTS

from oracledp.data.schema import Boolean, Categorical, Column, Integer, Schema
from oracledp.data.table import Table
from oracledp.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

Case = tuple[Schema, Rows]
Make = Callable[[bool], Table]
FIXTURES = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


# ---- rows, some of them bad --------------------------------------------------------------------------------
def wrong_values_of(column: Column) -> st.SearchStrategy[Any]:
    """Values of the column's storage type, most of which its schema refuses."""
    if isinstance(column, Boolean):
        return st.none()
    if isinstance(column, Categorical):
        return st.none() | (st.integers(-(2**63), 2**63 - 1) if column.numbers else TEXTS)
    if isinstance(column, Integer):
        return st.none() | st.sampled_from([column.lo - 1, column.hi + 1, 2**63 - 1, -(2**63)])
    beyond = [math.nextafter(column.lo, -math.inf), math.nextafter(column.hi, math.inf)]  # type: ignore[attr-defined]
    return st.sampled_from([None, math.nan, math.inf, -math.inf, *beyond])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Rows that follow their schema, or nearly, or no rows at all."""
    schema, rows = draw(schemas_with_rows().filter(lambda case: named_for_sql(case[0])))
    if draw(st.integers(0, 9)) == 0:
        return schema, {name: [] for name in rows}
    if draw(st.booleans()):
        for _ in range(draw(st.integers(1, 3))):
            column = draw(st.sampled_from(schema.columns))
            place = draw(st.integers(0, len(rows[column.name]) - 1))
            rows[column.name][place] = draw(wrong_values_of(column))
    return schema, rows


def named_for_sql(schema: Schema) -> bool:
    """DuckDB and Spark ignore case in names; PostgreSQL holds 63 bytes of them."""
    alike = len({name.casefold() for name in schema.names}) < len(schema.names)
    return not alike and all(len(name.encode()) < 64 for name in schema.names)


# ---- what comes out ------------------------------------------------------------------------------------------
def outcome(make: Make) -> list[tuple[Any, ...]]:
    """What the total reading and the strict one give: the bytes of a table and what was mapped, or a refusal.

    Of a refusal its column and number of rows; places differ where rows have no order.
    """
    found: list[tuple[Any, ...]] = []
    for strict in (False, True):
        try:
            table = make(strict)
        except DataError as error:
            assert strict, "the total reading refuses no value"
            found.append((re.sub("; the first at (row|line) [0-9]+$", "", str(error)),))
        else:
            assert table.mapped is not None
            arrays = (table.codes, table.counts, table.mapped)
            found.append(tuple((array.dtype, array.shape, array.tobytes()) for array in arrays))
    return found


def reference(case: Case) -> list[tuple[Any, ...]]:
    """The outcome of a pyarrow table, itself checked against a plain loop."""
    schema, rows = case
    arrow = arrow_table(schema, rows)
    total, strict = outcome(lambda strict: Table.from_frame(arrow, schema, strict=strict))
    assert histogram(Table.from_frame(arrow, schema)) == expected(schema, rows)
    if all(follows(column, value) for column in schema.columns for value in rows[column.name]):
        assert strict == total
    else:
        assert re.match("^column .*: [0-9]+ rows? (is|are) ", strict[0], re.DOTALL)
    return [total, strict]


# ---- the sources ---------------------------------------------------------------------------------------------
def frames(schema: Schema, rows: Rows) -> Iterator[Make]:
    arrow = arrow_table(schema, rows)
    for frame in (
        polars.DataFrame(rows, schema=polars.from_arrow(arrow).schema),
        pandas.DataFrame(rows, dtype=object),
        arrow.to_pandas(types_mapper=pandas.ArrowDtype),
    ):
        yield lambda strict, frame=frame: Table.from_frame(frame, schema, strict=strict)  # type: ignore[misc]


def write_files(folder: Path, schema: Schema, rows: Rows, newline: str) -> list[Path]:
    arrow = arrow_table(schema, rows)
    write_csv(folder / "rows.csv", rows, newline)
    (folder / "rows.csv.gz").write_bytes(gzip.compress((folder / "rows.csv").read_bytes(), mtime=0))
    pyarrow.parquet.write_table(arrow, folder / "rows.parquet")
    (folder / "parts" / "deep").mkdir(parents=True)
    half = len(arrow) // 2
    pyarrow.parquet.write_table(arrow[:half], folder / "parts" / "one.parquet")
    pyarrow.parquet.write_table(arrow[half:], folder / "parts" / "deep" / "two.parquet")
    pyarrow.feather.write_feather(arrow, folder / "rows.arrow")
    with pyarrow.ipc.new_stream(folder / "rows.arrows", arrow.schema) as stream:
        stream.write_table(arrow, max_chunksize=3)
    return sorted(folder.iterdir())


def load_postgres(connection: Any, schema: Schema, rows: Rows) -> None:
    names = {"bool": "boolean", "int64": "bigint", "string": "text", "double": "double precision"}
    arrow = arrow_table(schema, rows)
    quoted = ['"' + name.replace('"', '""') + '"' for name in schema.names]
    types = [names[str(kind)] for kind in arrow.schema.types]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, types, strict=True))
    connection.execute("DROP TABLE IF EXISTS people")
    connection.execute(f"CREATE TEMP TABLE people ({columns})")
    with connection.cursor() as cursor, cursor.copy("COPY people FROM STDIN") as copy:
        for record in zip(*rows.values(), strict=True):
            copy.write_row(record)


def spark_frame(session: Any, schema: Schema, rows: Rows) -> Any:
    from pyspark.sql import types

    kinds = {"bool": types.BooleanType(), "int64": types.LongType(), "string": types.StringType()}
    arrow = arrow_table(schema, rows)
    fields = [
        types.StructField(name, kinds.get(str(kind), types.DoubleType()))
        for name, kind in zip(schema.names, arrow.schema.types, strict=True)
    ]
    return session.createDataFrame(list(zip(*rows.values(), strict=True)), types.StructType(fields))


# ---- equal ---------------------------------------------------------------------------------------------------
@settings(derandomize=True, deadline=None, max_examples=40)
@given(case=cases(), newline=st.sampled_from(["\n", "\r\n"]))
def test_frames_files_and_duckdb(case: Case, newline: str) -> None:
    schema, rows = case
    wanted = reference(case)
    for make in frames(schema, rows):
        assert outcome(make) == wanted
    with TemporaryDirectory() as folder:
        for path in write_files(Path(folder), schema, rows, newline):
            made = lambda strict, path=path: Table.from_file(path, schema, strict=strict)  # noqa: E731
            assert outcome(made) == wanted, path.name
    with duckdb.connect() as connection:
        connection.register("people", arrow_table(schema, rows))
        assert outcome(lambda strict: Table.from_sql("people", schema, connection=connection, strict=strict)) == wanted
        assert outcome(lambda strict: Table.from_sql(connection.table("people"), schema, strict=strict)) == wanted


@settings(derandomize=True, deadline=None, max_examples=100, suppress_health_check=FIXTURES)
@given(case=cases())
def test_postgresql(postgres: Any, case: Case) -> None:
    schema, rows = case
    load_postgres(postgres, schema, rows)
    found = outcome(lambda strict: Table.from_sql("people", schema, connection=postgres, strict=strict))
    assert found == reference(case)


@settings(
    derandomize=True,
    deadline=None,
    max_examples=12,
    phases=[Phase.generate],  # shrinking takes one job per step
    suppress_health_check=FIXTURES,
)
@given(case=cases())
def test_spark(spark: Any, case: Case) -> None:
    schema, rows = case
    frame = spark_frame(spark, schema, rows)
    assert outcome(lambda strict: Table.from_spark(frame, schema, strict=strict)) == reference(case)
