"""PostgreSQL: every storage type means the same as elsewhere, the server is only read, its messages are withheld."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schema_strategies import NUMBER_TEXTS, TEXTS, columns

from oracledp.data.schema import Column, Schema
from oracledp.data.table import Table
from oracledp.data.table.dialects import PostgreSQL
from oracledp.data.table.flaws import missing_code
from oracledp.data.table.sql import Encoding
from oracledp.data.table.values import code_of
from oracledp.errors import DataError, ParameterError

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]},
        "sex": {"kind": "categorical", "values": ["m", "f"], "nullable": True},
        "married": {"kind": "boolean"},
    }
)
ROWS = "(VALUES (20, 'm', true), (30, 'f', false), (70, NULL, true), (20, 'm', true)) AS t(age, sex, married)"
WANTED = ([[0, 0, 1], [1, 1, 0], [2, 2, 1]], [2, 1, 1])


def histogram(table: Table) -> tuple[list[list[int]], list[int]]:
    return table.codes.tolist(), table.counts.tolist()


# ---- one meaning -------------------------------------------------------------------------------------------
SMALL = st.integers(-20, 20)
NARROW = st.floats(width=32) | SMALL.map(float)
SOURCES: dict[str, st.SearchStrategy[Any]] = {
    "smallint": st.integers(-(2**15), 2**15 - 1) | SMALL,
    "bigint": st.integers(-(2**63), 2**63 - 1) | SMALL,
    "real": NARROW,
    "double precision": st.floats() | SMALL.map(float) | st.sampled_from([-0.0, 2.0**62, -(2.0**63), 5e-324]),
    "numeric": st.decimals(-(10**60), 10**60, places=9)
    | SMALL.map(Decimal)
    | st.sampled_from(["NaN", "Infinity", "-Infinity", "1e309", "2e-324", "3e-324", "-1e999", "1e99999"]).map(Decimal),
    "boolean": st.booleans(),
    "text": TEXTS | NUMBER_TEXTS.filter(lambda text: "\0" not in text),
}


def server_codes(connection: Any, column: Column, type_name: str, values: list[Any]) -> list[int]:
    encoding = Encoding(column, 0, column.name, type_name, PostgreSQL())
    rows = ", ".join(f"({index}, CAST(%s AS {type_name}))" for index in range(len(values)))
    source = psycopg.ClientCursor(connection).mogrify(f"SELECT * FROM (VALUES {rows}) AS t(row, x)", values)
    readings = f"SELECT row, {encoding.reading()} FROM ({source}) AS source{PostgreSQL.fence}"
    query = f"SELECT {encoding.coding()} FROM ({readings}) AS readings ORDER BY row"
    return [code for (code,) in connection.execute(query).fetchall()]


@settings(
    derandomize=True, deadline=None, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_every_type_of_the_server_agrees_with_the_reference(postgres: Any, data: st.DataObject) -> None:
    column, type_name = data.draw(columns("x")), data.draw(st.sampled_from(list(SOURCES)))
    listed = list(map(str, column.to_json().get("values", ["yes"])))
    own = st.sampled_from(listed) if type_name == "text" else SOURCES[type_name]
    values = data.draw(st.lists(st.none() | SOURCES[type_name] | own, min_size=1, max_size=20))
    found = server_codes(postgres, column, type_name, values)
    assert found == [missing_code(column) if value is None else code_of(column, value) for value in values]


@pytest.mark.parametrize(
    "source",
    [
        "20::smallint AS age, 'm'::varchar(3) AS sex, 1 AS married",
        "20.00::numeric(9, 2) AS age, 'm'::char(5) AS sex, '1.0' AS married",
        "'20'::text AS age, 'm'::name AS sex, 1.0 AS married",
        "20::real AS age, 'm'::mood AS sex, ' yes' AS married",
        "'20'::years AS age, 'm' COLLATE loose AS sex, true AS married",
    ],
)
def test_every_storage_of_the_server_is_read(postgres: Any, source: str) -> None:
    postgres.execute("CREATE TYPE mood AS ENUM ('f', 'm'); CREATE DOMAIN years AS integer")
    postgres.execute("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    assert histogram(Table.from_sql(f"SELECT {source}", SCHEMA, connection=postgres)) == ([[0, 0, 1]], [1])


def test_a_collation_that_ignores_case_changes_nothing(postgres: Any) -> None:
    postgres.execute("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    query = "SELECT 20 AS age, 'M' COLLATE loose AS sex, true AS married"
    with pytest.raises(DataError, match=r"column 'sex': 1 row is not among the listed values$"):
        Table.from_sql(query, SCHEMA, connection=postgres, strict=True)


def test_many_categories_and_columns(postgres: Any) -> None:
    letters = [chr(code) * 2 for code in range(33, 400)] + ["", "a", "😀", "it's", "back\\slash", "%s"]
    columns_ = {f"c{index}": {"kind": "categorical", "values": letters, "other": "?"} for index in range(9)}
    schema = Schema(columns_)
    codes = [[(row * 7 + column) % len(letters) for column in range(9)] for row in range(400)]
    postgres.execute(f"CREATE TEMP TABLE many ({', '.join(f'c{index} text' for index in range(9))})")
    with postgres.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO many VALUES ({', '.join(['%s'] * 9)})", [[letters[code] for code in row] for row in codes]
        )
    table = Table.from_sql("many", schema, connection=postgres)
    assert {tuple(record) for record in table.codes.tolist()} == {tuple(row) for row in codes}


# ---- refusals ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", r"^the query: failed in PostgreSQL, whose message is withheld.*\(SyntaxError\)$"),
        ("nowhere", r"\(UndefinedTable\)$"),
        ("SELECT s::int AS age, 'm' AS sex, true AS married FROM (VALUES ('x7777')) v(s)", "InvalidTextRepresentation"),
        ("SELECT 20 AS age, 'm' AS sex", "column 'married' is missing from the query"),
        ("SELECT 20 AS age, 21 AS age, 'm' AS sex, true AS married", "column 'age' stands twice in the query"),
        ("SELECT now() AS age, 'm' AS sex, true AS married", "column 'age': the type timestamp with .* not supported"),
        ("SELECT 20 AS age, 1.5 AS sex, true AS married", "column 'sex': 1 row is not among the listed values$"),
        ("SELECT 7777 AS age, 'm' AS sex, true AS married", "column 'age': 1 row is above the bound 90$"),
        ("SELECT 'x7777' AS age, 'm' AS sex, true AS married", "column 'age': 1 row is not a finite number$"),
        ("SELECT 77.77 AS age, 'm' AS sex, true AS married", "column 'age': 1 row is not a whole number$"),
        ("SELECT NULL::int AS age, 'm' AS sex, true AS married", "column 'age': 1 row is missing, and the column is"),
        ("SELECT 20 AS age, '7777' AS sex, true AS married", "column 'sex': 1 row is not among the listed values$"),
        ("SELECT 20 AS age, 'm' AS sex, true AS married; DROP TABLE people", "SyntaxError"),
        ("", "the query is empty"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("autocommit", [False, True])
def test_a_bad_query_is_refused_without_the_servers_message(
    postgres: Any, autocommit: bool, query: str, message: str
) -> None:
    postgres.autocommit = autocommit
    with pytest.raises((DataError, ParameterError), match=message) as caught:
        Table.from_sql(query, SCHEMA, connection=postgres, strict=True)
    assert "\n" not in str(caught.value)
    assert "7777" not in str(caught.value)
    assert caught.value.__context__ is None, "the cause would carry data into logs"
    assert postgres.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert histogram(Table.from_sql(f"SELECT * FROM {ROWS}", SCHEMA, connection=postgres)) == WANTED


def test_other_connections_and_broken_ones_are_refused(postgres_address: str) -> None:
    import sqlite3

    with pytest.raises(ParameterError, match="a connection of duckdb or psycopg"):
        Table.from_sql("people", SCHEMA, connection=sqlite3.connect(":memory:"))
    connection = psycopg.connect(postgres_address)
    with pytest.raises(psycopg.Error):
        connection.execute("SELECT 1/0")
    with pytest.raises(ParameterError, match="failed transaction; roll it back first"):
        Table.from_sql("people", SCHEMA, connection=connection)
    connection.close()
    with pytest.raises(ParameterError, match="the connection is closed"):
        Table.from_sql("people", SCHEMA, connection=connection)


# ---- only reading, only one answer ---------------------------------------------------------------------------
@pytest.mark.parametrize("autocommit", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_the_connection_is_only_read_and_left_as_it_was(postgres: Any, autocommit: bool, inside: bool) -> None:
    postgres.autocommit = True
    postgres.execute("CREATE SEQUENCE IF NOT EXISTS steps")
    postgres.autocommit = autocommit
    if inside:
        postgres.execute("BEGIN") if autocommit else None
        postgres.execute("CREATE TEMP TABLE kept AS SELECT 1 AS one")
        compiling = postgres.execute("SHOW jit").fetchone()
    before = postgres.info.transaction_status
    query = f"SELECT *, nextval('steps') FROM {ROWS}"
    with pytest.raises(DataError, match="ReadOnlySqlTransaction"):
        Table.from_sql(query.replace("nextval('steps')", "nextval('steps') + age AS age2"), SCHEMA, connection=postgres)
    assert histogram(Table.from_sql(f"SELECT * FROM {ROWS}", SCHEMA, connection=postgres)) == WANTED
    assert postgres.info.transaction_status == before
    if inside:
        assert postgres.execute("SHOW jit").fetchone() == compiling
        assert postgres.execute("SELECT one FROM kept").fetchall() == [(1,)]
        postgres.execute("INSERT INTO kept VALUES (2)")
    postgres.rollback()


def test_only_codes_and_counts_leave_the_server(postgres: Any) -> None:
    answers: list[Any] = []

    class Recorder(psycopg.Cursor):  # type: ignore[misc,name-defined,type-arg]
        def fetchmany(self, size: int = 0) -> Any:
            rows = super().fetchmany(size)
            answers.extend(rows)
            return rows

        def execute(self, query: Any, *rest: Any, **named: Any) -> Any:
            result = super().execute(query, *rest, **named)
            answers.append((query, self.rowcount))
            return result

    postgres.cursor_factory = Recorder
    Table.from_sql(f"SELECT *, 'secret' AS note FROM {ROWS}", SCHEMA, connection=postgres)
    statements = [answer for answer in answers if isinstance(answer[0], str)]
    assert [query.split()[0] for query, _ in statements] == ["SET", "SET", "SHOW", "SELECT", "SELECT", "SELECT"]
    described, catalogue, counted = statements[3:]
    assert described[0].endswith("LIMIT 0")
    assert described[1] == 0
    assert "pg_catalog.pg_type" in catalogue[0]
    assert "GROUP BY k0" in counted[0]
    rows = [answer for answer in answers if not isinstance(answer[0], str)]
    assert len(rows) == 3
    assert all(isinstance(number, int) and number < 200 for row in rows for number in row)


def test_rows_as_dictionaries_are_no_obstacle(postgres_address: str) -> None:
    with psycopg.connect(postgres_address, row_factory=psycopg.rows.dict_row) as connection:
        assert histogram(Table.from_sql(f"SELECT * FROM {ROWS}", SCHEMA, connection=connection)) == WANTED


# ---- by address ----------------------------------------------------------------------------------------------
def test_a_table_by_its_address(postgres_address: str) -> None:
    folder = dict(item.split("=") for item in postgres_address.split())["host"]
    server = f"postgresql://tester@/postgres?host={folder}"
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute(f'CREATE TABLE "Old people" AS SELECT * FROM {ROWS}')
        try:
            table = Table.from_address(f"{server}&table=%22Old%20people%22", SCHEMA)
            assert histogram(table) == WANTED
        finally:
            connection.execute('DROP TABLE "Old people"')
    with pytest.raises(DataError, match=r"UndefinedTable"):
        Table.from_address(f"{server}&table=nowhere", SCHEMA)


@pytest.mark.parametrize("address", ["postgresql://h/d", "postgres://h/d?table=", "postgresql://h/d?table=a&table=b"])
def test_an_address_names_one_table(address: str) -> None:
    with pytest.raises(ParameterError, match="must name one table"):
        Table.from_address(address, SCHEMA)


@pytest.mark.parametrize("address", ["postgresql://me:pass%2G7777@h/d?table=a", "postgresql://127.0.0.1:1/d?table=a"])
def test_a_database_out_of_reach_is_refused_without_the_password(address: str) -> None:
    with pytest.raises(DataError, match="the database cannot be reached") as caught:
        Table.from_address(address, SCHEMA)
    assert "7777" not in str(caught.value)
    assert caught.value.__context__ is None
