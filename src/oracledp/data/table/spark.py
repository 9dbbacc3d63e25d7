"""Tables on Spark: the cluster encodes and counts; only distinct records with their counts come back.

Where two tables are joined by person, it is the kept rows with whose they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oracledp.data.schema import Schema
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.pushdown import PushDown, as_query, types_of
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError, ParameterError

WITHHELD = "failed in Spark, whose message is withheld because it may quote data"


def is_spark(thing: object, method: str = "sql") -> bool:
    """Whether an object is a Spark session, or another of Spark's with some method; pyspark is not imported."""
    return type(thing).__module__.split(".")[0] == "pyspark" and hasattr(thing, method)


def count_query_on_spark(source: str, schema: Schema, session: Any, unit: Unit = ROWS) -> Encoded:
    """The distinct records of a query or table of a session as codes and flaws, and their counts."""
    return count_on_spark(_attempt(lambda: session.sql(as_query(source)), "the query"), schema, unit, "the query")


def kept_query_on_spark(source: str, schema: Schema, session: Any, unit: Unit) -> Encoded:
    """The rows that are kept of each person in a query or table of a session, one by one, with whose they are."""
    return kept_on_spark(_attempt(lambda: session.sql(as_query(source)), "the query"), schema, unit, "the query")


def count_on_spark(frame: Any, schema: Schema, unit: Unit = ROWS, title: str = "the Spark frame") -> Encoded:
    """The distinct records of a Spark frame as codes and flaws, and their counts."""
    plan = _plan(frame, schema, unit, title)
    readings = plan.readings  # outside: a column that Spark does not read is refused in our own words
    answer = _attempt(lambda: _records(frame, plan, readings).groupBy(*plan.keys).count().toArrow(), title)
    return plan.encoded(np.column_stack([column.to_numpy() for column in answer.columns]))


def kept_on_spark(frame: Any, schema: Schema, unit: Unit, title: str = "the Spark frame") -> Encoded:
    """The rows that are kept of each person, one by one, with whose they are: for what is joined by person."""
    plan = _plan(frame, schema, unit, title)
    readings = plan.readings
    whose = "CAST(person AS BINARY)"  # as it is: nobody checked that a text of Spark is one
    answer = _attempt(lambda: _records(frame, plan, readings, "person").selectExpr(*plan.keys, whose).toArrow(), title)
    *keys, persons = answer.columns
    return plan.kept(np.column_stack([column.to_numpy() for column in keys]), persons.to_pylist())


def _plan(frame: Any, schema: Schema, unit: Unit, title: str) -> PushDown:
    if not is_spark(frame, "selectExpr"):
        raise ParameterError(f"a Spark DataFrame is needed, not {type(frame).__name__}")
    described = _attempt(lambda: frame.dtypes, title)
    types = types_of(described, schema, title, ignore_case=True, unit=unit)
    return PushDown(schema, "spark", types, title, unit)


def _records(frame: Any, plan: PushDown, readings: Sequence[str], *beside: str) -> Any:
    """Every row's packed codes, with some names beside them; of a person's rows those that are kept."""
    coded = frame.selectExpr(*readings).selectExpr(*plan.codings)
    if plan.persons is not None:
        coded = coded.where("person IS NOT NULL").selectExpr(*plan.rankings, *beside).where(plan.persons.kept)
    return coded.selectExpr(*plan.packings, *beside)


def _attempt(action: Any, title: str) -> Any:
    try:
        return action()
    except Exception as error:  # whatever comes from the cluster may quote data
        kind = type(error).__name__
    raise DataError(f"{title}: {WITHHELD} ({kind})")  # outside the handler, so that no traceback leads to it
