"""A file's rows one by one, in order, to write something beside each: for applying what was released, not for learning.

What is made of single rows is as private as they are. Mechanisms see a :class:`~oracledp.data.table.Table` instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import FileFormat, Schema
from oracledp.data.schema.number_marks import POINT, NumberMarks
from oracledp.data.table.duck import Source, attempt, code_rows, private_connection
from oracledp.data.table.files import open_file, place_of
from oracledp.data.table.sql import DUCKDB, plain_number
from oracledp.data.table.values import Family
from oracledp.errors import ParameterError


@dataclass(frozen=True)
class FileRows:
    """The rows of one file, read once and kept by DuckDB, on the disk where they do not fit into memory.

    Its table ``given`` has a column ``f0``, ``f1``, … for each of the file's, so that no name of theirs means anything.
    """

    connection: Any
    source: Source
    names: tuple[str, ...]
    marks: NumberMarks

    def codes(self, schema: Schema, *, strict: bool = False) -> NDArray[Any]:
        """Rows × columns of codes, settled as in every table (docs/schema.md), or refused if strict."""
        own = schema.spelled(decimal=self.marks.decimal, thousands=self.marks.thousands)
        columns = code_rows(self.source, own).settled(strict=strict)
        return np.stack(columns, axis=1).astype(schema.code_dtype)

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Rows × columns of numbers, true as 1 and false as 0, NaN for what is no number."""
        places = [f"f{place_of(name, names, self.names, self.source.title)}" for name in names]
        types = dict(zip(self.source.relation.columns, map(str, self.source.relation.types), strict=True))
        texts = [DUCKDB.family(types[place]) is Family.TEXTS for place in places]
        places = [_plain(place, self.marks) if text else place for place, text in zip(places, texts, strict=True)]
        truths = [f"CAST(TRY_CAST({place} AS BOOLEAN) AS DOUBLE)" for place in places]
        read = [
            f"coalesce(TRY_CAST({place} AS DOUBLE), {truth}) AS v{index}"
            for index, (place, truth) in enumerate(zip(places, truths, strict=True))
        ]
        found = attempt(self.source.relation.project(", ".join(read)).fetchnumpy, self.source.title)
        columns = [np.ma.filled(found[f"v{index}"].astype(np.float64), np.nan) for index in range(len(names))]
        return np.stack(columns, axis=1)

    def refuse_known(self, column: str) -> None:
        """A new column needs a name of its own."""
        if column.lower() in (name.lower() for name in self.names):
            raise ParameterError(f"{self.source.title} has a column {column!r}: choose another name with --column")

    def write(
        self, target: Path, column: str, labels: Sequence[Any], chosen: NDArray[np.intp], *, alone: bool,
        spelled: FileFormat,
    ) -> None:  # fmt: skip
        """The rows with one column more, ``labels[chosen]``, or that alone: CSV or Parquet by the target's name."""
        self.connection.register("numbered", {"place": np.arange(len(chosen)), "label": chosen.astype(np.int32)})
        kept = [] if alone else [f"f{index} AS {DUCKDB.name(name)}" for index, name in enumerate(self.names)]
        marks = spelled.marks if target.suffix == ".csv" else POINT
        cases = " ".join(f"WHEN {number} THEN {_written(label, marks)}" for number, label in enumerate(labels))
        columns = ", ".join([*kept, f"CASE numbered.label {cases} END AS {DUCKDB.name(column)}"])
        rows = f"SELECT {columns} FROM given JOIN numbered ON given.rowid = numbered.place ORDER BY numbered.place"
        query = f"COPY ({rows}) TO {DUCKDB.literal(str(target))} ({_options(target, spelled)})"
        attempt(lambda: self.connection.execute(query), target.name, "cannot be written")


def _plain(place: str, marks: NumberMarks) -> str:
    return plain_number(DUCKDB, f"CAST({place} AS VARCHAR)", marks)


def _options(target: Path, spelled: FileFormat) -> str:
    """What COPY must know of the format."""
    if target.suffix != ".csv":
        return "FORMAT parquet"
    return f"FORMAT csv, HEADER {spelled.names is None}, DELIMITER {DUCKDB.literal(spelled.separator)}"


def _written(label: Any, marks: NumberMarks) -> str:
    """A label as SQL has it; a number with marks of its own is a text."""
    if isinstance(label, bool | np.bool_ | int | np.integer):
        return str(label)
    if isinstance(label, float | np.floating) and marks != POINT:
        return DUCKDB.literal(marks.spelled(repr(float(label))))
    if isinstance(label, float | np.floating):
        return f"CAST({DUCKDB.literal(repr(float(label)))} AS DOUBLE)"
    return DUCKDB.literal(str(label))


@contextmanager
def open_rows(path: str | PathLike[str], schema: Schema, *, memory: str | None = None) -> Iterator[FileRows]:
    """The rows of a CSV, Parquet or Arrow file; a record that cannot be read is refused, since none may be left out."""
    with private_connection(memory) as connection:
        source = open_file(connection, Path(path), schema, strict=True)
        own = source.relation.columns
        renamed = ", ".join(f"{DUCKDB.name(name)} AS f{index}" for index, name in enumerate(own))
        attempt(lambda: source.relation.project(renamed).create("given"), source.title, source.failure)
        names = source.header or tuple(own)
        places = {name: f"f{index}" for index, name in enumerate(names)}
        yield FileRows(
            connection, replace(source, relation=connection.table("given"), places=places), names, schema.file.marks
        )
