"""Files as rows of texts: read once into a private DuckDB, which spills to a private folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from oracledp.data.schema import FileFormat, Schema
from oracledp.data.schema.number_marks import NumberMarks
from oracledp.data.table.duck import Source, attempt, count_records, private_connection
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.files import open_texts
from oracledp.data.table.midnights import due, timed_in_sql
from oracledp.data.table.persons import PersonsInSql
from oracledp.data.table.sql import DUCKDB
from oracledp.data.table.text_columns import TextColumns, TextRows, distinct_names, person_place
from oracledp.data.table.unit import Unit
from oracledp.data.table.value_sql import text_in_sql
from oracledp.errors import DataError

_ROWS = "text_rows"  # the table that holds them


@dataclass(frozen=True, repr=False, kw_only=True)
class FileTexts(TextRows):
    """The rows of a file as a table of texts in a private DuckDB, for as long as its connection is open."""

    connection: Any
    title: str
    typed: bool

    @property
    def texts(self) -> Source:
        """The table. Nothing keeps it: a relation would hold on to the rows after the connection is closed."""
        places = {name: f"t{number}" for number, name in enumerate(self.names)}
        return Source(self.connection.table(_ROWS), self.title, places)

    def counted(self, names: Sequence[str]) -> TextColumns:
        """One GROUP BY for each column."""
        found, texts = [], self.texts
        for name in names:
            query = texts.relation.aggregate(f"{texts.places[name]}, count(*)", texts.places[name])
            found.append({row[0]: int(row[1]) for row in attempt(query.fetchall, self.title)})
        return TextColumns(tuple(names), tuple(found), self.marks, self.typed)

    def encoded(self, schema: Schema) -> Encoded:
        """One GROUP BY over the encoded columns; whose rows are bounded was settled before."""
        texts = self.texts
        timed = {texts.places[column.name] for column in schema.columns if self.typed and due(column)}
        read = ", ".join(f"{timed_in_sql(p)} AS {p}" if p in timed else p for p in texts.places.values())
        return replace(count_records(replace(texts, relation=texts.relation.project(read)), schema), unit=self.unit)


@contextmanager
def file_texts(path: Path, file: FileFormat, unit: Unit, memory: str | None = None) -> Iterator[FileTexts]:
    """The rows of a file, in one scan: a stream cannot be read twice, and odd records may not be counted twice."""
    with private_connection(memory) as connection:
        opened, found = open_texts(connection, path, file)
        names = distinct_names(found)
        opened.read(lambda source: _create(source, names, unit, file.marks))
        kept = tuple(name for name in names if name != unit.person)
        if opened.unread is not None and unit.person is None:  # a record that cannot be read names no person
            nothing = ", ".join(["NULL"] * len(kept))
            added = f"INSERT INTO {_ROWS} SELECT {nothing} FROM range({opened.unread()})"
            attempt(lambda: connection.execute(added), opened.title)
        yield FileTexts(
            kept, file.marks, unit, connection=connection, title=opened.title, typed=not opened.header
        )  # of a CSV file alone there is a header


def _create(opened: Source, names: tuple[str, ...], unit: Unit, marks: NumberMarks) -> None:
    attempt(lambda: _texts(opened, names, unit, marks).create(_ROWS), opened.title, opened.failure)


def _texts(opened: Source, names: tuple[str, ...], unit: Unit, marks: NumberMarks) -> Any:
    """Every row as texts; of a person's rows those that are kept. Each part is read by the types that it has."""
    parts = [_of_part(part, opened.relation.columns, names, unit, marks) for part in opened.parts or (opened,)]
    whole = reduce(lambda one, other: one.union(other), (texts for texts, _ in parts))
    persons = parts[0][1]
    if persons is None:
        return whole
    places = [place for place in whole.columns if place != "person"]
    codes = [code for place in places for code in (f"coalesce({place}, '')", f"{place} IS NULL")]
    ranked = whole.filter("person IS NOT NULL").project(f"*, {persons.ranking(codes)}")
    return ranked.filter(persons.kept).project(", ".join(places))


def _of_part(
    part: Source, columns: Sequence[str], names: tuple[str, ...], unit: Unit, marks: NumberMarks
) -> tuple[Any, PersonsInSql | None]:
    """The columns of a part as texts ``t0``, ``t1`` and so on, beside the person that a row belongs to."""
    types = dict(zip(part.relation.columns, part.relation.types, strict=True))
    for name, place in zip(names, columns, strict=True):
        if place not in types:
            raise DataError(f"column {name!r} is missing from a part of {part.title}")
    own = None if unit.person is None else columns[person_place(names, unit)]
    others = [place for place in columns if place != own]
    texts = [
        f"{text_in_sql(DUCKDB.name(place), types[place], marks)} AS t{number}" for number, place in enumerate(others)
    ]
    if own is None:
        return part.relation.project(", ".join(texts)), None
    persons = PersonsInSql(unit, own, str(types[own]), DUCKDB)
    return part.relation.project(", ".join([*texts, persons.reading()])), persons
