"""Columns as texts, before there is a schema: how often each text stands in each column. Private but for names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw

from oracledp.data.schema import FileFormat
from oracledp.data.table.duck import attempt, private_connection
from oracledp.data.table.files import open_texts
from oracledp.data.table.persons import EXACT, PersonsInSql, digests, kept_rows
from oracledp.data.table.sql import DUCKDB
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError


@dataclass(frozen=True, repr=False)
class TextColumns:
    """For each column the number of rows that hold each text, None where there is no value.

    ``names`` count as public; ``counts`` are as private as the rows, and every row is in each column once. ``decimal``
    is what numbers have before their decimals.
    """

    names: tuple[str, ...]
    counts: tuple[dict[str | None, int], ...] = field(repr=False)
    decimal: str = "."

    @property
    def rows(self) -> int:
        """The exact number of rows: public under replace-one, **private** under add/remove-one."""
        return sum(self.counts[0].values()) if self.counts else 0

    def without(self, names: Collection[str]) -> TextColumns:
        """The columns that are not named."""
        kept = [(name, held) for name, held in zip(self.names, self.counts, strict=True) if name not in names]
        return TextColumns(tuple(name for name, _ in kept), tuple(held for _, held in kept), self.decimal)

    def __repr__(self) -> str:
        return f"TextColumns({', '.join(self.names)})"

    @classmethod
    def read(cls, source: object, *, file: FileFormat = FileFormat(), unit: Unit = ROWS) -> TextColumns:  # noqa: B008
        """The columns of a file (CSV, Parquet, Arrow) or of a pandas, polars or pyarrow table.

        With a unit of persons, of each so many rows at most, and the column that tells them apart is left out.
        """
        if isinstance(source, str | PathLike):
            return _of_file(Path(source), file, unit)
        return _of_frame(source, unit)


def _of_file(path: Path, file: FileFormat, unit: Unit) -> TextColumns:
    with private_connection() as connection:
        opened, names = open_texts(connection, path, file)
        relation, columns = opened.relation, _distinct(names)
        if unit.person is not None:
            relation, columns = attempt(lambda: _kept(relation, columns, unit), opened.title, opened.failure)
        found = []
        for place in relation.columns:
            quoted = DUCKDB.name(place)
            query = relation.aggregate(f"CAST({quoted} AS VARCHAR) AS text, count(*) AS n", quoted)
            found.append({row[0]: int(row[1]) for row in attempt(query.fetchall, opened.title, opened.failure)})
        unread = 0 if opened.unread is None or unit.person is not None else opened.unread()
    for counts in found:
        counts[None] = counts.get(None, 0) + unread
    return TextColumns(columns, tuple(found), opened.decimal)


def _kept(relation: Any, names: tuple[str, ...], unit: Unit) -> tuple[Any, tuple[str, ...]]:
    """The rows that are kept of each person, as texts, without the column of ids."""
    place = relation.columns[_person_in(names, unit)]
    persons = PersonsInSql(unit, place, str(relation.types[_person_in(names, unit)]), DUCKDB)
    others = [one for one in relation.columns if one != place]
    texts = [f"CAST({DUCKDB.name(one)} AS VARCHAR) AS t{number}" for number, one in enumerate(others)]
    codes = [code for number in range(len(others)) for code in (f"coalesce(t{number}, '')", f"t{number} IS NULL")]
    named = relation.project(", ".join([*texts, persons.reading()])).filter("person IS NOT NULL")
    kept = named.project(f"*, {persons.ranking(codes)}").filter(persons.kept)
    kept.project(", ".join(f"t{number}" for number in range(len(others)))).create("kept_rows")
    return kept.query("kept", "SELECT * FROM kept_rows"), tuple(name for name in names if name != unit.person)


def _person_in(names: Sequence[str], unit: Unit) -> int:
    """The place of the column that tells persons apart."""
    if unit.person not in names:
        raise DataError(f"column {unit.person!r}, which tells persons apart, is missing")
    if len(names) < 2:
        raise DataError("there is no column beside the one that tells persons apart")
    return names.index(unit.person)


def _of_frame(frame: object, unit: Unit) -> TextColumns:
    try:
        native: Any = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(f"a frame or a file name is needed, not {type(frame).__name__}") from None
    names = _distinct(native.columns)
    texts = {name: list(_texts(native[place].to_list())) for name, place in zip(names, native.columns, strict=True)}
    if unit.person is not None:
        ids = native[native.columns[_person_in(names, unit)]].to_list()
        names = tuple(name for name in names if name != unit.person)
        places = kept_rows(unit, ids, [digests(texts[name]) for name in names])
        texts = {name: [texts[name][place] for place in places] for name in names}
    return TextColumns(names, tuple(dict(Counter(texts[name])) for name in names))


def _distinct(names: Iterable[object]) -> tuple[str, ...]:
    listed = tuple(map(str, names))
    if len(set(listed)) != len(listed):
        raise DataError("two columns have the same name")
    if not listed:
        raise DataError("there are no columns")
    return listed


def _texts(values: Iterable[object]) -> Iterator[str | None]:
    """Each value as a file would spell it. What cannot be spelled is missing: no value may stop a run."""
    for value in values:
        try:
            yield _spelled(value)
        except Exception:  # a comparison or a spelling of the value's own
            yield None


def _spelled(value: object) -> str | None:
    """Whole numbers stored as floats are written as whole numbers, those that floats do not hold as floats say them.

    One row without a value makes floats of a whole column in pandas, and no other row may be spelled otherwise for it.
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    large = isinstance(value, Integral) and EXACT < abs(int(value)) < 1 << 64
    if isinstance(value, Real) and (large or not isinstance(value, Integral)) and float(value).is_integer():
        return f"{float(value):.0f}"
    return str(value)
