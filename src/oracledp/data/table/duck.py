"""One GROUP BY over the encoded columns, out of core; DuckDB's messages never get past this file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, TypeVar

import duckdb
import numpy as np

from oracledp.data.schema import Schema
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.flaws import refused_codes
from oracledp.data.table.persons import PersonsInSql
from oracledp.data.table.pushdown import as_query
from oracledp.data.table.sql import DUCKDB, Encoding
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError, ParameterError
from oracledp.scratch import private_folder

Result = TypeVar("Result")

DAMAGED = "cannot be read: damaged, truncated or of another format"
WITHHELD = "failed in DuckDB, whose message is withheld because it may quote data"

_MEMORY = re.compile(r"[0-9]+(\.[0-9]+)? ?[KMGT]i?B", re.IGNORECASE)
_CSV_LINE = re.compile(r"Invalid Input Error: CSV Error on Line: ([0-9]+)")  # ahead of any data in the message


def refuse_memory(memory: str | None) -> None:
    """Refuse what is no amount of memory."""
    if memory is not None and not _MEMORY.fullmatch(memory):
        raise ParameterError(f"memory must be a number with a unit, such as 500MB or 4GiB, got {memory!r}")


@contextmanager
def private_connection(memory: str | None = None) -> Iterator[Any]:
    """A fresh in-memory DuckDB that fetches no extension and spills to a private folder, which never outlives us.

    ``memory`` is the most that it may use before it spills, such as ``"4GB"``; most of the machine's by default.
    """
    refuse_memory(memory)
    with private_folder() as folder:
        settings = {
            "temp_directory": str(folder),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        } | ({} if memory is None else {"memory_limit": memory})
        connection = duckdb.connect(":memory:", config=settings)
        try:
            yield connection
        finally:
            connection.close()


@dataclass(frozen=True)
class Source:
    """A relation to count, what to call it in errors, and what its failure most likely means.

    ``places`` gives the relation's own name of a column where it is another; ``line_text`` is the expression
    whose line breaks place a row on a line of a file; ``reopen`` gives the relation anew where it can be read
    only once; ``unread`` says afterwards how many records could not be read at all; ``parts`` are to be counted one by
    one instead; ``header`` has the names of all its columns where the relation's own are others; ``careful`` gives the
    same in a slower way, in which no single value stops DuckDB.
    """

    relation: Any
    title: str
    places: Mapping[str, str] = field(default_factory=dict)
    line_text: str | None = None
    failure: str = DAMAGED
    reopen: Callable[[], Any] | None = None
    unread: Callable[[], int] | None = None
    parts: tuple[Source, ...] = ()
    header: tuple[str, ...] = ()
    careful: Callable[[], Source] | None = None

    def read(self, action: Callable[[Source], Result]) -> Result:
        """What an action makes of the source, and of the careful one where that fails, as one value may be why."""
        if self.careful is None:
            return action(self)
        try:
            return action(self)
        except DataError:
            other = self.careful()
        return action(other)


def count_query(source: Any, schema: Schema, connection: Any, unit: Unit = ROWS) -> Encoded:
    """Count a relation, or a query or table on a connection."""
    return count_records(query_source(source, connection), schema, unit)


def query_source(source: Any, connection: Any) -> Source:
    """A relation, or a query or table on a connection, as a source."""
    if not isinstance(source, str):
        return Source(source, "the relation", failure=WITHHELD)
    if not isinstance(connection, duckdb.DuckDBPyConnection):
        raise ParameterError(
            "a connection of duckdb or psycopg (version 3), or a Spark session, is needed,"
            f" not one of {type(connection).__module__}; for other engines see PushDown"
        )
    relation = attempt(lambda: connection.sql(as_query(source)), "the query", WITHHELD)
    return Source(relation, "the query", failure=WITHHELD)


def count_records(source: Source, schema: Schema, unit: Unit = ROWS) -> Encoded:
    """The distinct records as codes and flaws, and their counts; of a person's rows those that are kept."""
    return source.read(lambda read: _counted(read, schema, unit))


def _counted(source: Source, schema: Schema, unit: Unit) -> Encoded:
    if source.parts and unit.person is None:
        return Encoded.together([count_records(part, schema) for part in source.parts])
    encodings = _encodings(source, schema)
    names = [encoding.code for encoding in encodings]
    kept = _coded(source, encodings) if unit.person is None else _kept(source, schema, unit)
    grouped = kept.aggregate(f"{', '.join(names)}, count(*) AS n", ", ".join(names))
    result = attempt(grouped.fetchnumpy, source.title, source.failure)
    columns = [np.asarray(result[name]) for name in names]
    counts = np.asarray(result["n"], dtype=np.int64)
    found = Encoded(schema, columns, counts, lambda index: _first_place(source, encodings[index]), unit)
    if source.unread is None or unit.person is not None:  # a record that cannot be read names no person
        return found
    return found.with_unread(source.unread())


def kept_records(source: Source, schema: Schema, unit: Unit) -> Encoded:
    """The rows that are kept of each person, one by one, with whose they are: for what is joined by person."""
    return source.read(lambda read: _kept_one_by_one(read, schema, unit))


def _kept_one_by_one(source: Source, schema: Schema, unit: Unit) -> Encoded:
    names = [f"c{index}" for index in range(len(schema.columns))]
    rows = _kept(source, schema, unit).project(", ".join([*names, "person"]))
    result = attempt(rows.fetchnumpy, source.title, source.failure)
    columns, encodings = [np.asarray(result[name]) for name in names], _encodings(source, schema)
    persons = np.asarray(result["person"]).tolist()
    return Encoded(schema, columns, None, lambda index: _first_place(source, encodings[index]), unit, persons)


def _kept(source: Source, schema: Schema, unit: Unit) -> Any:
    """The coded rows that are kept of each person, over all parts of the source."""
    coded = [_coded_persons(part, schema, unit) for part in source.parts or (source,)]
    whole, persons = reduce(lambda one, other: one.union(other), (rows for rows, _ in coded)), coded[0][1]
    codes = [f"c{index}" for index in range(len(schema.columns))]
    return whole.filter("person IS NOT NULL").project(f"*, {persons.ranking(codes)}").filter(persons.kept)


def _coded_persons(source: Source, schema: Schema, unit: Unit) -> tuple[Any, PersonsInSql]:
    encodings, name = _encodings(source, schema), unit.person or ""
    types = dict(zip(source.relation.columns, map(str, source.relation.types), strict=True))
    place = _place(source, name, types)
    persons = PersonsInSql(unit, place, types[place], DUCKDB)
    readings = ", ".join([*(encoding.reading() for encoding in encodings), persons.reading()])
    codings = ", ".join([*(encoding.coding() for encoding in encodings), "person"])
    return source.relation.project(readings).project(codings), persons


def code_rows(source: Source, schema: Schema) -> Encoded:
    """Every row as codes and flaws, in the order of the source: for what is written beside its own row."""
    encodings = _encodings(source, schema)
    result = attempt(_coded(source, encodings).fetchnumpy, source.title, source.failure)
    columns = [np.asarray(result[encoding.code]) for encoding in encodings]
    return Encoded(schema, columns, None, lambda index: _first_place(source, encodings[index]))


def _coded(source: Source, encodings: list[Encoding]) -> Any:
    readings = source.relation.project(", ".join(encoding.reading() for encoding in encodings))
    return readings.project(", ".join(encoding.coding() for encoding in encodings))


def _encodings(source: Source, schema: Schema) -> list[Encoding]:
    types = dict(zip(source.relation.columns, map(str, source.relation.types), strict=True))
    places = [_place(source, column.name, types) for column in schema.columns]
    return [
        Encoding(column, index, place, types[place], marks=schema.file.marks)
        for index, (column, place) in enumerate(zip(schema.columns, places, strict=True))
    ]


def _place(source: Source, name: str, types: Mapping[str, str]) -> str:
    """The relation's own name of a column that it has exactly once."""
    place = source.places.get(name, name)
    if place not in types:
        raise DataError(f"column {name!r} is missing from {source.title}")
    if sum(known.lower() == place.lower() for known in source.relation.columns) > 1:
        raise DataError(f"column {name!r} stands twice in {source.title}, where case is ignored")
    return place


def _first_place(source: Source, encoding: Encoding) -> str:
    """Where the first flaw of a column is: a second look at the source, only made when it is refused."""
    text = source.line_text or "''"
    breaks = f"sum(length({text}) - length(replace({text}, chr(10), '')))"
    before = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    relation = source.relation if source.reopen is None else source.reopen()
    numbered = relation.project(
        f"{encoding.reading()}, row_number() OVER () AS row, coalesce({breaks} OVER ({before}), 0) AS breaks"
    ).project(f"{encoding.coding()}, row, breaks")
    refused = ", ".join(map(str, refused_codes(encoding.column)))
    flawed = numbered.filter(f"{encoding.code} IN ({refused})")
    ((row, breaks_before),) = attempt(flawed.aggregate("min(row), min_by(breaks, row)").fetchall, source.title)
    return f"row {row}" if source.line_text is None else f"line {row + 1 + int(breaks_before)}"


def attempt(action: Callable[[], Result], title: str, failure: str = DAMAGED) -> Result:
    """Run a query; its failure becomes one line without DuckDB's message, which may quote data."""
    try:
        return action()
    except duckdb.Error as error:
        message = _explain(error, failure)
    except RuntimeError as error:  # what DuckDB makes of a signal that came during a query
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from None
    raise DataError(f"{title}: {message}")  # outside the handler, so that no traceback leads to the message


def _explain(error: duckdb.Error, failure: str) -> str:
    text, kind = str(error), type(error).__name__
    line = _CSV_LINE.match(text)
    where = f"line {line[1]}: " if line else ""
    if kind == "OutOfMemoryException":
        return "out of memory, or out of disk space for temporary files"
    if kind == "ResourceInUseException":
        return "the connection has an unfinished result; fetch it to the end first"
    if "Invalid unicode" in text:
        return f"{where}not UTF-8 text"
    if line:
        return f"{where}not a record of this CSV file: a wrong number of fields, or a quote left open"
    return f"{failure} ({kind})"
