"""SQL for engines without a server here: BigQuery and Snowflake.

What can be checked without them is: their grammar, as sqlglot knows it; that the text only changes on purpose
(``PYTHONPATH=tests/property python tests/engines/test_warehouse_sql.py`` writes the snapshots anew); and that its
logic is right, by running it on DuckDB after translation. How the engines themselves cast and compare stays untested.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_strategies import NUMBER_TEXTS, TEXTS, columns, schemas

from oracledp.data.schema import Categorical, Schema
from oracledp.data.table import PushDown, Table
from oracledp.data.table.dialects import DIALECTS
from oracledp.data.table.flaws import missing_code
from oracledp.data.table.pushdown import as_query
from oracledp.data.table.sql import Encoding
from oracledp.data.table.values import Family, code_of
from oracledp.errors import DataError, ParameterError

GRAMMARS = {key: "postgres" if key == "postgresql" else key for key in DIALECTS}
TYPES: dict[str, dict[str, Any]] = {
    "bigquery": {
        "STRING": pyarrow.string(),
        "INT64": pyarrow.int64(),
        "FLOAT64": pyarrow.float64(),
        "NUMERIC": pyarrow.decimal128(38, 9),
        "BOOL": pyarrow.bool_(),
    },
    "snowflake": {
        "VARCHAR(99)": pyarrow.string(),
        "NUMBER(38, 0)": pyarrow.decimal128(38, 0),
        "FLOAT": pyarrow.float64(),
        "NUMBER(20, 4)": pyarrow.decimal128(20, 4),
        "BOOLEAN": pyarrow.bool_(),
    },
}
SNAPSHOTS = Path(__file__).parent / "snapshots"
SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]},
        "hours": {"kind": "numeric", "lo": 0, "hi": 100, "bins": 2, "nullable": True},
        "sex": {"kind": "categorical", "values": ["m", "f", "it's\n\\"], "nullable": True},
        "rooms": {"kind": "categorical", "values": [1, 2], "other": "more"},
        "married": {"kind": "boolean"},
    }
)


def snapshot(dialect: str) -> str:
    """The query with every column as a text, and with every column in its most natural type."""
    text, integer, number, _, truth = TYPES[dialect]
    natural = dict(zip(SCHEMA.names, (integer, number, text, integer, truth), strict=True))
    plans = [PushDown(SCHEMA, dialect, types) for types in (dict.fromkeys(SCHEMA.names, text), natural)]
    return "".join(plan.query("people").replace(" FROM ", "\nFROM ") + ";\n" for plan in plans)


@pytest.mark.parametrize("dialect", list(TYPES))
def test_the_text_changes_only_on_purpose(dialect: str) -> None:
    assert snapshot(dialect) == (SNAPSHOTS / f"{dialect}.sql").read_text(encoding="utf-8")


@settings(derandomize=True, deadline=None, max_examples=20)
@given(schema=schemas(), data=st.data())
def test_every_query_is_one_of_its_engines_grammar(schema: Schema, data: st.DataObject) -> None:
    for key in DIALECTS:
        if key == "bigquery" and any("." in name for name in schema.names):
            continue  # its grammar takes a dot between back quotes for a path, and it has no such columns
        words = DIALECTS[key]()
        kinds = [kind for kind, family in words.families.items() if family in (Family.TEXTS, Family.INTEGERS)]
        types = {name: data.draw(st.sampled_from(kinds)) for name in schema.names}
        (statement,) = sqlglot.parse(PushDown(schema, key, types).query("people"), read=GRAMMARS[key])
        assert statement is not None
        assert not list(statement.find_all(sqlglot.exp.Command)), "not understood"
        assert statement.key == "select"
        names = {column.name for column in statement.find_all(sqlglot.exp.Column) if column.this.quoted}
        assert names == set(schema.names)


# ---- the logic -----------------------------------------------------------------------------------------------
CONNECTION = duckdb.connect()
SMALL = st.integers(-20, 20)
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    pyarrow.string(): TEXTS | NUMBER_TEXTS,
    pyarrow.int64(): st.integers(-(2**63), 2**63 - 1) | SMALL,
    pyarrow.float64(): st.floats() | SMALL.map(float) | st.sampled_from([-0.0, 2.0**62, -(2.0**63), 5e-324]),
    pyarrow.decimal128(38, 9): st.decimals(-(10**18), 10**18, places=9) | SMALL.map(Decimal),
    pyarrow.decimal128(38, 0): st.integers(-(10**37), 10**37).map(Decimal) | SMALL.map(Decimal),
    pyarrow.decimal128(20, 4): st.decimals(-(10**15), 10**15, places=4) | SMALL.map(Decimal),
    pyarrow.bool_(): st.booleans(),
}


def translated(encoding: Encoding, dialect: str) -> str:
    readings = f"SELECT {encoding.reading()} FROM source"
    query = f"SELECT {encoding.coding()} FROM ({readings}) AS readings"
    (text,) = sqlglot.transpile(query, read=GRAMMARS[dialect], write="duckdb")
    return text.replace("DECIMAL(38, 5)", "DECIMAL(38, 0)")  # DuckDB has nothing as wide as BIGNUMERIC


@settings(derandomize=True, deadline=None, max_examples=100)
@given(data=st.data())
@pytest.mark.parametrize("dialect", list(TYPES))
def test_the_logic_agrees_with_the_reference(dialect: str, data: st.DataObject) -> None:
    column = data.draw(columns("x"))
    type_name, stored = data.draw(st.sampled_from(list(TYPES[dialect].items())))
    listed = list(map(str, column.to_json().get("values", ["yes"])))
    own = st.sampled_from(listed) if stored == pyarrow.string() else VALUES[stored]
    values = data.draw(st.lists(st.none() | VALUES[stored] | own, min_size=1, max_size=20))
    encoding = Encoding(column, 0, "x", type_name, DIALECTS[dialect]())
    source = pyarrow.table({"x": pyarrow.array(values, type=stored)})
    CONNECTION.register("source", source)
    found = [code for (code,) in CONNECTION.sql(translated(encoding, dialect)).fetchall()]
    whole_numbers = isinstance(column, Categorical) and stored == pyarrow.decimal128(38, 0)
    exact = [int(value) if whole_numbers and value is not None else value for value in values]
    assert found == [missing_code(column) if value is None else code_of(column, value) for value in exact]


# ---- what comes back -----------------------------------------------------------------------------------------
def test_answers_are_unpacked_and_flaws_settled_or_refused() -> None:
    plan = PushDown(SCHEMA, "snowflake", dict.fromkeys(SCHEMA.names, "VARCHAR"))
    last = ((((1 * 8 + 2) * 9 + 3) * 8 + 1) * 7) + 1
    encoded = plan.encoded([(0, 3), (last, 4)])
    assert Table.from_pushdown(plan, [(last, 4), (0, 3)]).codes.tolist() == [[0] * 5, [1, 2, 3, 1, 1]]
    assert [column.tolist() for column in encoded.columns] == [[0, 1], [0, 2], [0, 3], [0, 1], [0, 1]]
    assert encoded.counts is not None
    assert encoded.counts.tolist() == [3, 4]
    flawed = np.array([[0, 2], [3, 7]])
    assert Table.from_pushdown(plan, flawed).counts.tolist() == [9], "what is no truth value is false"
    with pytest.raises(DataError, match=r"^column 'married': 7 rows are not true or false, yes or no, 1 or 0$"):
        Table.from_pushdown(plan, flawed, strict=True)
    assert Table.from_pushdown(plan, []).codes.shape == (0, 5)


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="dialect must be one of duckdb, postgresql, spark, bigquery, snowflake"):
        PushDown(SCHEMA, "oracle", {})
    with pytest.raises(DataError, match="column 'age' is missing from the query"):
        PushDown(SCHEMA, "bigquery", {})
    with pytest.raises(DataError, match="column 'age': the type DATE is not supported"):
        PushDown(SCHEMA, "bigquery", {"age": "DATE"})
    with pytest.raises(ParameterError, match="the query is empty"):
        as_query(" ; ")
    assert as_query(" s.people; ") == "SELECT * FROM s.people"
    assert as_query('s."Old ""people"""') == 'SELECT * FROM s."Old ""people"""'
    assert as_query("`my-project.s.people`") == "SELECT * FROM `my-project.s.people`"
    assert as_query("SELECT 1;") == "SELECT 1"
    assert as_query('SELECT "a" FROM "b"') == 'SELECT "a" FROM "b"'


if __name__ == "__main__":
    for each in TYPES:
        (SNAPSHOTS / f"{each}.sql").write_text(snapshot(each), encoding="utf-8")
