"""Columns as texts, before there is a schema: how often each text stands in each column. Private but for names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
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
    def read(cls, source: object, *, file: FileFormat = FileFormat()) -> TextColumns:  # noqa: B008 - frozen
        """The columns of a file (CSV, Parquet, Arrow) or of a pandas, polars or pyarrow table."""
        if isinstance(source, str | PathLike):
            return _of_file(Path(source), file)
        return _of_frame(source)


def _of_file(path: Path, file: FileFormat) -> TextColumns:
    with private_connection() as connection:
        opened, names = open_texts(connection, path, file)
        found = []
        for place in opened.relation.columns:
            quoted = '"' + place.replace('"', '""') + '"'
            query = opened.relation.aggregate(f"CAST({quoted} AS VARCHAR) AS text, count(*) AS n", quoted)
            found.append({row[0]: int(row[1]) for row in attempt(query.fetchall, opened.title, opened.failure)})
        unread = 0 if opened.unread is None else opened.unread()
    for counts in found:
        counts[None] = counts.get(None, 0) + unread
    return TextColumns(_distinct(names), tuple(found), opened.decimal)


def _of_frame(frame: object) -> TextColumns:
    try:
        native: Any = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(f"a frame or a file name is needed, not {type(frame).__name__}") from None
    counts = tuple(dict(Counter(_texts(native[name].to_list()))) for name in native.columns)
    return TextColumns(_distinct(native.columns), counts)


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
    """Whole numbers stored as floats are written as whole numbers."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, Real) and not isinstance(value, Integral) and float(value).is_integer():
        return f"{float(value):.0f}"
    return str(value)
