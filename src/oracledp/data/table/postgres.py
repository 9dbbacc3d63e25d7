"""Tables on a PostgreSQL server: two looks at its catalogue, one query, all in a read-only transaction."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.pushdown import PushDown, as_query, types_of
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError, ParameterError

Result = TypeVar("Result")

WITHHELD = "failed in PostgreSQL, whose message is withheld because it may quote data"
_BATCH = 100_000
_PERSON = "convert_to(person, 'UTF8')"  # bytes: a text may be none in the encoding of the client
_IDLE, _IN_TRANSACTION = 0, 2  # of libpq's transaction status; the others cannot run a query

_TYPES = "SELECT oid, CASE typtype WHEN 'e' THEN 'enum' ELSE format_type(oid, NULL) END FROM pg_catalog.pg_type"


def is_postgres(connection: object) -> bool:
    """Whether a connection is one of psycopg's (version 3), without importing it for those who have none."""
    driver = sys.modules.get("psycopg")
    return driver is not None and isinstance(connection, driver.Connection)


def count_on_postgres(source: str, schema: Schema, connection: Any, unit: Unit = ROWS) -> Encoded:
    """The distinct records of a query or table as codes and flaws, and their counts."""
    with _read_only(connection) as cursor:
        plan = _plan(cursor, source, schema, unit)
        _execute(cursor, plan.query(source))
        answer = _attempt(lambda: _fetch(cursor, len(plan.keys) + 1))
    return plan.encoded(answer)


def kept_on_postgres(source: str, schema: Schema, connection: Any, unit: Unit) -> Encoded:
    """The rows that are kept of each person, one by one, with whose they are: for what is joined by person.

    They come through a cursor of the server, some at a time: the driver would hold the whole answer besides ours.
    """
    persons: list[bytes] = []
    with _read_only(connection) as cursor:
        plan = _plan(cursor, source, schema, unit)
        width = len(plan.keys)
        batches = [np.empty((0, width), dtype=np.int64)]
        _execute(cursor, f"DECLARE oracledp_rows NO SCROLL CURSOR FOR {plan.kept_query(source, _PERSON)}")
        while True:
            _execute(cursor, f"FETCH {_BATCH} FROM oracledp_rows")
            if not (rows := _attempt(cursor.fetchall)):
                break
            persons += [row[-1] for row in rows]
            batches.append(np.array([row[:-1] for row in rows], dtype=np.int64))
        _execute(cursor, "CLOSE oracledp_rows")
    return plan.kept(np.concatenate(batches), persons)


def _plan(cursor: Any, source: str, schema: Schema, unit: Unit) -> PushDown:
    types = types_of(_types(cursor, as_query(source)), schema, "the query", unit=unit)
    return PushDown(schema, "postgresql", types, unit=unit)


@contextmanager
def _read_only(connection: Any) -> Iterator[Any]:
    """A cursor that can change nothing, not even by functions in the query; leaves the transaction as it was."""
    status = connection.info.transaction_status
    if status not in (_IDLE, _IN_TRANSACTION):
        raise ParameterError("the connection is closed, busy or in a failed transaction; roll it back first")
    begin = "BEGIN READ ONLY" if connection.autocommit else "SET TRANSACTION READ ONLY"
    rows = import_module("psycopg.rows").tuple_row
    with connection.cursor(binary=True, row_factory=rows) as cursor:
        for statement in ["SAVEPOINT oracledp", "SET TRANSACTION READ ONLY"] if status == _IN_TRANSACTION else [begin]:
            _execute(cursor, statement)
        _execute(cursor, "SET LOCAL jit = off")  # compiling thousands of cases takes minutes and saves nothing
        try:
            yield cursor
        finally:
            if status == _IDLE:
                _attempt(connection.rollback)
            else:
                _execute(cursor, "ROLLBACK TO SAVEPOINT oracledp")
                _execute(cursor, "RELEASE SAVEPOINT oracledp")


def _types(cursor: Any, query: str) -> list[tuple[str, str]]:
    """The columns of a query and their types, without running it."""
    _execute(cursor, "SHOW server_encoding")
    if _attempt(cursor.fetchone) != ("UTF8",):
        raise DataError(
            "the database's encoding is not UTF8, the only one in which texts have the same order everywhere"
        )
    _execute(cursor, f"SELECT * FROM ({query}) AS source LIMIT 0")
    described = [(str(field[0]), int(field[1])) for field in cursor.description]
    _execute(cursor, f"{_TYPES} WHERE oid IN ({', '.join(str(oid) for _, oid in described)})")
    type_names = dict(_attempt(cursor.fetchall))
    return [(name, type_names.get(oid, "unknown")) for name, oid in described]


def _fetch(cursor: Any, width: int) -> NDArray[np.int64]:
    """The answer in batches: rows of Python integers take many times the room."""
    batches = [np.empty((0, width), dtype=np.int64)]
    while rows := cursor.fetchmany(_BATCH):
        batches.append(np.array(rows, dtype=np.int64))
    return np.concatenate(batches)


def _execute(cursor: Any, statement: str) -> None:
    """Never as a prepared statement: its types would be those of an earlier table of the same name."""
    _attempt(lambda: cursor.execute(statement, prepare=False))


def _attempt(action: Callable[[], Result]) -> Result:
    try:
        return action()
    except Exception as error:  # whatever the driver raises may quote data
        kind = type(error).__name__
    raise DataError(f"the query: {WITHHELD} ({kind})")  # outside the handler, so that no traceback leads to it
