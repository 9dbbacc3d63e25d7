"""Spark: every storage type means the same as elsewhere, in every mode; its messages are withheld."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schema_strategies import GOOD_NUMBERS, HUGE_NUMBERS, LONG_NUMBERS, NO_NUMBERS, NUMBER_TEXTS, TEXTS, TRUTHS, columns

from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.data.table.dialects import Spark
from oracledp.data.table.flaws import missing_code
from oracledp.data.table.sql import Encoding
from oracledp.data.table.values import code_of
from oracledp.errors import DataError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]},
        "sex": {"kind": "categorical", "values": ["m", "f"], "nullable": True},
        "married": {"kind": "boolean"},
    }
)
ROWS = "VALUES (20, 'm', true), (30, 'f', false), (70, NULL, true), (20, 'm', true) AS t(age, sex, married)"
WANTED = ([[0, 0, 1], [1, 1, 0], [2, 2, 1]], [2, 1, 1])


def histogram(table: Table) -> tuple[list[list[int]], list[int]]:
    return table.codes.tolist(), table.counts.tolist()


@pytest.fixture(params=[True, False], ids=["ansi", "lenient"])
def mode(request: pytest.FixtureRequest, spark: Any) -> Any:
    """A session that raises on bad casts, and one that does not, reads backslashes otherwise and compiles nothing."""
    changed = {
        "spark.sql.ansi.enabled": request.param,
        "spark.sql.parser.escapedStringLiterals": not request.param,
        "spark.sql.codegen.wholeStage": request.param,
        "spark.sql.codegen.factoryMode": "FALLBACK" if request.param else "NO_CODEGEN",
    }
    before = {key: spark.conf.get(key) for key in changed}
    for key, value in changed.items():
        spark.conf.set(key, value)
    yield spark
    for key, value in before.items():
        spark.conf.set(key, value)


# ---- one meaning: each job encodes many columns of many types, since starting one is slow ------------------------
SMALL = st.integers(-20, 20)
TYPES: dict[str, st.SearchStrategy[Any]] = {
    "tinyint": st.integers(-128, 127),
    "bigint": st.integers(-(2**63), 2**63 - 1) | SMALL,
    "float": st.floats(width=32) | SMALL.map(float),
    "double": st.floats() | SMALL.map(float) | st.sampled_from([-0.0, 2.0**62, -(2.0**63), 5e-324, 0.1 + 0.2]),
    "decimal(38,4)": st.decimals(-(10**33), 10**33, places=4) | SMALL.map(Decimal),
    "decimal(38,30)": st.decimals(-(10**7), 10**7, places=30) | SMALL.map(Decimal),
    "decimal(9,2)": st.decimals(-(10**6), 10**6, places=2) | SMALL.map(Decimal),
    "boolean": st.booleans(),
    "string": TEXTS | NUMBER_TEXTS,
}
FIXED = [*GOOD_NUMBERS, *HUGE_NUMBERS, *LONG_NUMBERS, *NO_NUMBERS, *TRUTHS]
LENGTH = 80


def stored_rows(data: st.DataObject, listed: list[str]) -> list[tuple[Any, ...]]:
    pools = []
    for name, values in TYPES.items():
        pool = data.draw(st.lists(st.none() | values, min_size=LENGTH // 2, max_size=LENGTH // 2))
        pool += [None, *FIXED, *listed] if name == "string" else []
        pools.append((pool * LENGTH)[: len(FIXED) + LENGTH])
    return list(zip(*pools, strict=True))


@settings(
    derandomize=True,
    deadline=None,
    max_examples=2,
    phases=[Phase.generate],  # shrinking takes one job per step
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_every_type_of_spark_agrees_with_the_reference(mode: Any, data: st.DataObject) -> None:
    drawn = [data.draw(columns("x")) for _ in range(10)]
    listed = [str(value) for column in drawn for value in column.to_json().get("values", [])][:30]
    rows = stored_rows(data, listed)
    frame = mode.createDataFrame(rows, ", ".join(f"`{name}` {name}" for name in TYPES))
    encodings = []
    for column in drawn:
        for name, type_name in frame.dtypes:
            encodings.append(Encoding(column, len(encodings), name, type_name, Spark()))
    readings = frame.selectExpr(*(expression for encoding in encodings for expression in encoding.readings()))
    found = readings.selectExpr(*(encoding.coding() for encoding in encodings)).collect()
    places = {name: place for place, name in enumerate(TYPES)}
    for index, encoding in enumerate(encodings):
        column, values = encoding.column, [row[places[encoding.place]] for row in rows]
        wanted = [missing_code(column) if value is None else code_of(column, value) for value in values]
        differing = [
            (value, row[index], code)
            for value, row, code in zip(values, found, wanted, strict=True)
            if row[index] != code
        ]
        assert not differing, (column, encoding.place)


def test_a_collation_that_ignores_case_changes_nothing(spark: Any) -> None:
    table = Table.from_spark(spark.sql("SELECT 20 AS age, 'm' COLLATE UTF8_LCASE AS sex, true AS married"), SCHEMA)
    assert histogram(table) == ([[0, 0, 1]], [1])
    frame = spark.sql("SELECT 20 AS age, 'M' COLLATE UTF8_LCASE AS sex, true AS married")
    with pytest.raises(DataError, match=r"column 'sex': 1 row is not among the listed values$"):
        Table.from_spark(frame, SCHEMA, strict=True)


def test_many_categories_and_columns(mode: Any) -> None:
    letters = [chr(code) * 2 for code in range(33, 200)] + ["", "a", "😀", "it's", "back\\slash", "\\'", "%s"]
    awkward = ["a.b", "c`d"]
    numbered = ['say "x"', "é", "e", "f", "g", "h", "i"]
    schema = Schema(
        {name: {"kind": "categorical", "values": letters, "other": "?"} for name in awkward}
        | {name: {"kind": "integer", "lo": 0, "hi": 999} for name in numbered}
    )
    codes = [[row % len(letters), row * 7 % len(letters), *range(row, row + 7)] for row in range(200)]
    rows = [[letters[first], letters[second], *rest] for first, second, *rest in codes]
    table = Table.from_spark(mode.createDataFrame(rows, awkward + numbered), schema)
    assert sorted(map(tuple, table.codes.tolist())) == sorted(map(tuple, codes))


# ---- sources and refusals ------------------------------------------------------------------------------------
def test_frames_queries_and_tables(mode: Any) -> None:
    frame = mode.sql(f"SELECT * FROM {ROWS}")
    frame.createOrReplaceTempView("people")
    assert histogram(Table.from_spark(frame, SCHEMA)) == WANTED
    assert histogram(Table.from_sql("people", SCHEMA, connection=mode)) == WANTED
    assert histogram(Table.from_sql("SELECT *, 1 AS more FROM people;", SCHEMA, connection=mode)) == WANTED
    assert [row.tableName for row in mode.sql("SHOW TABLES").collect()] == ["people"]
    mode.catalog.dropTempView("people")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", r"^the query: failed in Spark, whose message is withheld.*\(ParseException\)$"),
        ("nowhere", r"\(AnalysisException\)$"),
        ("SELECT CAST(raise_error('7777') AS INT) AS age, 'm' AS sex, true AS married", r"failed in Spark"),
        ("SELECT 20 AS age, 'm' AS sex", "column 'married' is missing from the query"),
        ("SELECT 20 AS age, 21 AS AGE, 'm' AS sex, true AS married", "column 'age' stands twice in the query, where"),
        ("SELECT current_date() AS age, 'm' AS sex, true AS married", "column 'age': the type date is not supported"),
        ("SELECT 20 AS age, 1.5D AS sex, true AS married", "column 'sex': 1 row is not among the listed values$"),
        ("SELECT 7777 AS age, 'm' AS sex, true AS married", "column 'age': 1 row is above the bound 90$"),
        ("SELECT 'x7777' AS age, 'm' AS sex, true AS married", "column 'age': 1 row is not a finite number$"),
        ("SELECT NULL AS age, 'm' AS sex, true AS married", "column 'age': 1 row is missing, and the column is"),
        ("SELECT 20 AS age, '7777' AS sex, true AS married", "column 'sex': 1 row is not among the listed values$"),
    ],
)  # fmt: skip
def test_a_bad_query_is_refused_without_sparks_message(spark: Any, query: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        Table.from_sql(query, SCHEMA, connection=spark, strict=True)
    assert "\n" not in str(caught.value)
    assert "7777" not in str(caught.value)
    assert caught.value.__context__ is None, "the cause would carry data into logs"


def test_other_frames_are_refused(spark: Any) -> None:
    with pytest.raises(ParameterError, match="a Spark DataFrame is needed, not DataFrame"):
        Table.from_spark(pandas.DataFrame({"age": [20]}), SCHEMA)
    with pytest.raises(DataError, match=r"a pandas, polars or pyarrow table is needed, not pyspark\."):
        Table.from_frame(spark.sql("SELECT 20 AS age"), SCHEMA)
    dated = spark.createDataFrame([(datetime.date(2020, 1, 1), "m", True)], "age date, sex string, married boolean")
    with pytest.raises(DataError, match="column 'age': the type date is not supported; convert it to text first"):
        Table.from_spark(dated, SCHEMA)
