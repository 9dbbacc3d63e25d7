"""Parquet files by themselves: the columns that each stores, and their rows by way of Arrow, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from oracledp.data.table.arrow_reach import held, stored_type
from oracledp.data.table.duck import attempt
from oracledp.errors import DataError
from oracledp.extras import optional

_NO_PART = "__HIVE_DEFAULT_PARTITION__"  # how the name of a folder says that there is no value
_TRAITS = "converted_type, duckdb_type, type, type_length, CAST(logical_type AS VARCHAR), precision, scale"


class Stored(NamedTuple):
    """A column of one file: its name, and what the file says of it and of all that is inside of it."""

    name: str
    traits: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Layout:
    """The columns of each of several files, by their names in small letters, as DuckDB tells them apart."""

    title: str
    files: tuple[Mapping[str, Stored], ...]

    @classmethod
    def of(cls, connection: Any, listed: str, title: str) -> Layout:
        """Of the files of an SQL list."""
        query = f"SELECT file_name, num_children, name, {_TRAITS} FROM parquet_schema({listed})"
        rows = attempt(lambda: connection.sql(query).fetchall(), title)
        return cls(title, tuple(_columns(list(own), title) for _, own in groupby(rows, key=itemgetter(0))))

    def mixed(self, names: Sequence[str] | None) -> str | None:
        """A column among these, or among all, that the files store as several types, if there is one."""
        first = self.files[0]
        wanted = list(first) if names is None else [name.lower() for name in names if name.lower() in first]
        for name in wanted:
            if any(name not in own for own in self.files):
                raise DataError(f"column {first[name].name!r} is missing from a part of {self.title}")
            if any(own[name].traits != first[name].traits for own in self.files):
                return first[name].name
        return None

    def wide(self, name: str) -> bool:
        """Whether a column has decimals of more digits than DuckDB's, of which it makes doubles that are a bit off."""
        stored = self.files[0].get(name.lower())
        return stored is not None and stored.traits[0][:2] == ("DECIMAL", "DOUBLE")


def _columns(rows: list[tuple[Any, ...]], title: str) -> dict[str, Stored]:
    following = iter(rows)
    _, width, *_ = next(following)
    found: dict[str, Stored] = {}
    known = set()
    for _ in range(width or 0):
        (_, _, name, *traits), *inside = _subtree(following)
        if name in known:
            raise DataError(f"column {name!r} stands twice in {title}")
        known.add(name)
        found.setdefault(name.lower(), Stored(name, (tuple(traits), *(part[1:] for part in inside))))
    return found


def _subtree(following: Iterator[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The next row, and those of all that it holds."""
    head = next(following)
    return [head, *(part for _ in range(head[1] or 0) for part in _subtree(following))]


def holds_durations(file: Path, whole: Sequence[str]) -> bool:
    """Whether one of these columns holds durations: whole numbers to Parquet, and more to whoever knows Arrow."""
    if not whole or not find_spec("pyarrow"):
        return False
    types = optional("pyarrow.types", extra="frames")
    with _parquet_file(file) as opened:
        return any(types.is_duration(field.type) for field in opened.schema_arrow if field.name in whole)


def by_way_of_arrow(
    files: Sequence[Path], columns: Sequence[str], wanted: Sequence[str], title: str, *, partitioned: bool
) -> Any:
    """Some of DuckDB's columns of all files, with what would stop it missing, batch by batch."""
    arrow = optional("pyarrow", extra="frames")
    parts = [_Part(file, _folders(file) if partitioned else {}) for file in files]
    with _parquet_file(files[0]) as opened:
        first = opened.schema_arrow
    own = {name: None if name.lower() in parts[0].folders else first.names[columns.index(name)] for name in wanted}
    types = [arrow.string() if name is None else stored_type(first.field(name).type) for name in own.values()]
    schema = arrow.schema(list(zip(wanted, types, strict=True)))
    batches = (batch for part in parts for batch in part.batches(own, schema, title))
    return arrow.RecordBatchReader.from_batches(schema, batches)


def _parquet_file(file: Path) -> Any:
    """The file as pyarrow opens it: texts by dictionaries, which are small, and in which it lets all of them pass."""
    parquet = optional("pyarrow.parquet", extra="frames")
    with parquet.ParquetFile(file) as opened:
        paths = [opened.schema.column(place).path for place in range(len(opened.schema))]
    return parquet.ParquetFile(file, coerce_int96_timestamp_unit="us", read_dictionary=paths)


def _folders(file: Path) -> dict[str, str | None]:
    """The columns that the folders above a file name, as in ``year=2026``, in small letters, as DuckDB finds them."""
    named = (part.split("=", 1) for part in file.absolute().parts[:-1] if "=" in part)
    return {unquote(key).lower(): None if value == _NO_PART else unquote(value) for key, value in named}


@dataclass(frozen=True)
class _Part:
    """A Parquet file, and the columns that the folders above it name."""

    file: Path
    folders: Mapping[str, str | None]

    def batches(self, names: Mapping[str, str | None], schema: Any, title: str) -> Iterator[Any]:
        """The rows of these columns, of which those with a name of None are a folder's, by a schema that was held."""
        arrow = optional("pyarrow", extra="frames")
        with _parquet_file(self.file) as opened:
            own = {
                name: None if of is None else _own_name(opened.schema_arrow, of, title) for name, of in names.items()
            }
            read = [name for name in own.values() if name is not None]
            nested = any("." in name for name in read)  # or so pyarrow would understand it
            for batch in opened.iter_batches(columns=None if nested else read):
                rows = batch.num_rows
                yield held(
                    [
                        arrow.array([self.folders[name.lower()]] * rows, arrow.string()) if of is None else batch[of]
                        for name, of in own.items()
                    ],
                    schema,
                )


def _own_name(schema: Any, name: str, title: str) -> str:
    """What a file calls a column, which may differ in case alone."""
    if name in schema.names:
        return name
    alike = [own for own in schema.names if own.lower() == name.lower()]
    if len(alike) != 1:
        raise DataError(f"a part of {title} has not got every column once")
    return str(alike[0])
