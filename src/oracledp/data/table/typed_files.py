"""Files whose columns have types, as DuckDB relations: Parquet, folders of Parquet, Arrow.

DuckDB refuses a whole file for one text that is not UTF-8 or one time stamp out of its reach. Only where a file is read
strictly may it: elsewhere such a value is missing, and what may hold one is read by way of Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from oracledp.data.table.arrow_reach import held, held_schema, held_type
from oracledp.data.table.duck import Source, attempt
from oracledp.data.table.sql import DUCKDB
from oracledp.errors import DataError
from oracledp.extras import optional

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".arrows", ".feather", ".ipc")
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_NO_PART = "__HIVE_DEFAULT_PARTITION__"  # how the name of a folder says that there is no value
_MAY_STOP = ("varchar", "time", "timestamp", "timestamp with time zone", "interval", "list", "struct", "map", "array")


def literal_path(path: Path) -> str:
    """An absolute path as an SQL literal, in which no character is a wildcard."""
    special = str.maketrans({"[": "[[]", "*": "[*]", "?": "[?]"})
    return DUCKDB.literal(str(path.absolute()).translate(special))


# ---- Parquet -------------------------------------------------------------------------------------------
def open_parquet(
    connection: Any, path: Path, files: list[Path], names: Sequence[str] | None, *, strict: bool
) -> Source:
    """Files at or below a path whose columns have the same types; of them those with these names, or all."""
    listed = _listed(files)
    partitioned = any("=" in part for file in files for part in file.relative_to(path).parts[:-1])
    options = f"hive_partitioning = {str(partitioned).lower()}, hive_types_autocast = false"
    query = f"SELECT * FROM read_parquet({listed}, {options})"
    relation = attempt(lambda: connection.sql(query), path.name)
    wanted = [name for name in relation.columns if names is None or name in names]
    if not strict and _may_stop(relation, wanted):
        relation = connection.from_arrow(_by_way_of_arrow(path, files, list(relation.columns), wanted))
    return Source(relation, path.name)


def open_folder(connection: Any, path: Path, names: Sequence[str] | None, *, strict: bool) -> Source:
    """All files as one; each by itself where types differ, which may be the work of a single missing value.

    DuckDB would cast later files to the first one's types, rounding on the way.
    """
    files = _parquet_files(path)
    mixed = _mixed_column(connection, path, _listed(files))
    if mixed is None:
        return open_parquet(connection, path, files, names, strict=strict)
    if strict:
        raise DataError(f"{path.name}: the files disagree on the type of column {mixed!r}")
    parts = tuple(open_parquet(connection, path, [file], names, strict=strict) for file in files)
    return replace(parts[0], parts=parts)


def _parquet_files(folder: Path) -> list[Path]:
    files = sorted(file for ending in PARQUET for file in folder.rglob(f"*{ending}") if file.is_file())
    visible = [file for file in files if not any(part.startswith(".") for part in file.relative_to(folder).parts)]
    if not visible:
        raise DataError(f"{folder}: holds no Parquet file")
    return visible


def _listed(files: list[Path]) -> str:
    return "[" + ", ".join(map(literal_path, files)) + "]"


def _mixed_column(connection: Any, path: Path, listed: str) -> str | None:
    """A column that is stored as several types."""
    traits = "type, converted_type, CAST(logical_type AS VARCHAR), precision, scale"
    query = (
        f"SELECT min(name) FROM (SELECT name FROM parquet_schema({listed}) WHERE num_children IS NULL"
        f" GROUP BY name HAVING count(DISTINCT row({traits})) > 1)"
    )
    ((mixed,),) = attempt(lambda: connection.sql(query).fetchall(), path.name)
    return None if mixed is None else str(mixed)


def _may_stop(relation: Any, wanted: list[str]) -> bool:
    """Whether the type of a column that is wanted lets one of its values stop DuckDB: the types are public."""
    kinds = {name: kind.id for name, kind in zip(relation.columns, relation.types, strict=True)}
    return any(kinds[name] in _MAY_STOP for name in wanted)


def _by_way_of_arrow(path: Path, files: list[Path], columns: list[str], wanted: list[str]) -> Any:
    """The columns that are wanted of all files, with what would stop DuckDB missing, batch by batch."""
    arrow = optional("pyarrow", extra="frames")
    opened = [_Part(_parquet_file(file), _folders(path, file)) for file in files]
    first = opened[0].file.schema_arrow
    names = {name: None if name.lower() in opened[0].folders else first.names[columns.index(name)] for name in wanted}
    for part in opened:
        part.refuse_without(names, path.name)
    types = [arrow.string() if own is None else held_type(first.field(own).type) for own in names.values()]
    schema = arrow.schema(list(zip(wanted, types, strict=True)))
    return arrow.RecordBatchReader.from_batches(schema, (b for part in opened for b in part.batches(names, schema)))


def _parquet_file(file: Path) -> Any:
    """The file as pyarrow opens it, which checks no text that the file says to be read by a dictionary of its own."""
    parquet = optional("pyarrow.parquet", extra="frames")
    opened = parquet.ParquetFile(file, coerce_int96_timestamp_unit="us")
    coded = [field.name for field in opened.schema_arrow if "dictionary<" in str(field.type)]
    paths = [opened.schema.column(place).path for place in range(len(opened.schema))]
    texts = [path for path in paths if any(path == name or path.startswith(f"{name}.") for name in coded)]
    if not texts:
        return opened
    opened.close()
    return parquet.ParquetFile(file, coerce_int96_timestamp_unit="us", read_dictionary=texts)


def _folders(path: Path, file: Path) -> dict[str, str | None]:
    """The columns that the folders between a path and a file name, as in ``year=2026``, in small letters."""
    named = (part.split("=", 1) for part in file.relative_to(path).parts[:-1] if "=" in part)
    return {unquote(key).lower(): None if value == _NO_PART else unquote(value) for key, value in named}


@dataclass(frozen=True)
class _Part:
    """A Parquet file as pyarrow opens it, and the columns that the folders on the way to it name."""

    file: Any
    folders: Mapping[str, str | None]

    def refuse_without(self, names: Mapping[str, str | None], title: str) -> None:
        """Refuse a file that has not got each of the columns once; a name of None is that of a folder."""
        for name, own in names.items():
            if own is not None and self.file.schema_arrow.get_field_index(own) < 0:
                raise DataError(f"column {name!r} is not there once in every part of {title}")

    def batches(self, names: Mapping[str, str | None], schema: Any) -> Iterator[Any]:
        """The rows, with a schema that was held."""
        arrow = optional("pyarrow", extra="frames")
        own = [name for name in names.values() if name is not None]
        nested = any("." in name for name in own)  # or so pyarrow would understand it
        for batch in self.file.iter_batches(columns=None if nested else own):
            rows = batch.num_rows
            yield held(
                [
                    arrow.array([self.folders[name.lower()]] * rows, arrow.string()) if own is None else batch[own]
                    for name, own in names.items()
                ],
                schema,
            )


# ---- Arrow ---------------------------------------------------------------------------------------------
def open_arrow(connection: Any, path: Path, *, strict: bool) -> Source:
    """An IPC file, which knows its own end, or an IPC stream, which must carry the mark of its end."""
    arrow = optional("pyarrow", extra="frames")
    whole = _is_arrow_file(path) or _ends_as_stream(path)

    def reopen() -> Any:
        read = _as_it_is(path) if strict else _within_reach(path)
        return attempt(lambda: connection.from_arrow(read), path.name)

    try:
        relation = reopen() if whole else None
    except (arrow.ArrowException, OSError):
        relation = None
    if relation is None:
        raise DataError(f"{path.name}: cannot be read: damaged, truncated or not an Arrow IPC file or stream")
    return Source(relation, path.name, reopen=reopen)


def _as_it_is(path: Path) -> Any:
    datasets, ipc = (optional(f"pyarrow.{module}", extra="frames") for module in ("dataset", "ipc"))
    return datasets.dataset(path, format="ipc") if _is_arrow_file(path) else ipc.open_stream(path)


def _within_reach(path: Path) -> Any:
    """The file batch by batch, with what would stop DuckDB missing."""
    arrow, ipc = optional("pyarrow", extra="frames"), optional("pyarrow.ipc", extra="frames")
    file: Any
    if _is_arrow_file(path):
        file = ipc.open_file(path)
        batches: Iterator[Any] = (file.get_batch(place) for place in range(file.num_record_batches))
    else:
        file = ipc.open_stream(path)
        batches = iter(file)
    schema = held_schema(file.schema)
    return arrow.RecordBatchReader.from_batches(schema, (held(batch.columns, schema) for batch in batches))


def _is_arrow_file(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_ARROW_FILE)) == _ARROW_FILE


def _ends_as_stream(path: Path) -> bool:
    """A stream without its end may be cut between two batches, where no reader would notice."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - len(_ARROW_STREAM_END)))
        return stream.read() == _ARROW_STREAM_END
