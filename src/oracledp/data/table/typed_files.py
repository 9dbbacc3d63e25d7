"""Files whose columns have types, as DuckDB relations: Parquet, folders of Parquet, Arrow.

DuckDB refuses a whole file for one text that is not UTF-8 or one time stamp out of its reach. Only where a file is read
strictly may it: elsewhere such a value is missing, and the file is read by way of Arrow. That is slower, so it is done
only where DuckDB refuses, or where it would spell other values of the column otherwise, which its public type tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from oracledp.data.table.arrow_reach import held, held_schema
from oracledp.data.table.duck import Source, attempt
from oracledp.data.table.parquet_files import Layout, by_way_of_arrow, holds_durations
from oracledp.data.table.sql import DUCKDB
from oracledp.errors import DataError
from oracledp.extras import optional

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".arrows", ".feather", ".ipc")
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_ALIKE = (  # types whose values DuckDB and Arrow read alike
    *("boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"),
    *("float", "double", "decimal", "varchar", "date", "null"),
    *("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone"),
)
_MAY_STOP = ("varchar", "timestamp", "timestamp with time zone")  # of these; all others are read by way of Arrow


def literal_path(path: Path) -> str:
    """An absolute path as an SQL literal, in which no character is a wildcard."""
    special = str.maketrans({"[": "[[]", "*": "[*]", "?": "[?]"})
    return DUCKDB.literal(str(path.absolute()).translate(special))


# ---- Parquet -------------------------------------------------------------------------------------------
def open_parquet(
    connection: Any, path: Path, files: Sequence[Path], names: Sequence[str] | None, *, strict: bool
) -> Source:
    """Files at or below a path as one, of which the columns with these names are read, or all.

    Where types differ, which may be the work of a single missing value, each is read by itself: DuckDB would cast later
    files to the first one's types, rounding on the way.
    """
    listed = "[" + ", ".join(map(literal_path, files)) + "]"
    layout = Layout.of(connection, listed, path.name)
    mixed = layout.mixed(names)
    if mixed is not None and strict:
        raise DataError(f"{path.name}: the files disagree on the type of column {mixed!r}")
    if mixed is not None:
        return _one_by_one(tuple(open_parquet(connection, path, [file], names, strict=False) for file in files))
    partitioned = any("=" in part for file in files for part in file.relative_to(path).parts[:-1])
    options = f"hive_partitioning = {str(partitioned).lower()}, hive_types_autocast = false"
    query = f"SELECT * FROM read_parquet({listed}, {options})"
    quick = Source(attempt(lambda: connection.sql(query), path.name), path.name)
    kinds = dict(zip(quick.relation.columns, quick.relation.types, strict=True))
    wanted = [name for name in kinds if names is None or name in names]
    whole = [name for name in wanted if kinds[name].id == "bigint"]
    spans, wide = holds_durations(files[0], whole), any(map(layout.wide, wanted))
    alike = not wide and all(kinds[name].id in _ALIKE and kinds[name].id not in _MAY_STOP for name in wanted)
    if not spans and (strict or alike):
        return quick

    def opened() -> Any:
        batches = by_way_of_arrow(files, list(kinds), wanted, path.name, partitioned=partitioned)
        return attempt(lambda: connection.from_arrow(batches), path.name)

    return _with_care(None if spans or wide else quick, lambda: Source(opened(), path.name, reopen=opened), wanted)


def _with_care(quick: Source | None, careful: Callable[[], Source], wanted: Sequence[str]) -> Source:
    """The quick source, if both read the same of all columns that are wanted; the careful one is made anew each time.

    So how a column is read follows from its own type, and neither from a value nor from the type of another column.
    """
    other = careful()
    known = [dict(zip(s.relation.columns, s.relation.types, strict=True)) for s in (quick or other, other)]
    alike = all(known[0][name] == known[1][name] and known[0][name].id in _ALIKE for name in wanted)
    return replace(quick if quick is not None and alike else other, careful=careful)


def _one_by_one(parts: tuple[Source, ...]) -> Source:
    """Parts of several types, all of which are opened anew where one value stops one of them."""

    def careful() -> Source:
        opened = tuple(part if part.careful is None else part.careful() for part in parts)
        return replace(opened[0], parts=opened)

    return replace(parts[0], parts=parts, careful=careful)


def open_folder(connection: Any, path: Path, names: Sequence[str] | None, *, strict: bool) -> Source:
    """All Parquet files of a folder as one."""
    files = sorted(file for ending in PARQUET for file in path.rglob(f"*{ending}") if file.is_file())
    visible = [file for file in files if not any(part.startswith(".") for part in file.relative_to(path).parts)]
    if not visible:
        raise DataError(f"{path}: holds no Parquet file")
    return open_parquet(connection, path, visible, names, strict=strict)


# ---- Arrow ---------------------------------------------------------------------------------------------
def open_arrow(connection: Any, path: Path, *, strict: bool) -> Source:
    """An IPC file, which knows its own end, or an IPC stream, which must carry the mark of its end."""
    arrow = optional("pyarrow", extra="frames")
    whole = _is_arrow_file(path) or _ends_as_stream(path)

    def opened(read: Callable[[Path], Any]) -> Any:
        try:
            batches = read(path) if whole else None
        except (arrow.ArrowException, OSError):
            batches = None
        if batches is None:
            raise DataError(f"{path.name}: cannot be read: damaged, truncated or not an Arrow IPC file or stream")
        return attempt(lambda: connection.from_arrow(batches), path.name)

    def as_it_is() -> Source:
        return Source(opened(_as_it_is), path.name, reopen=lambda: opened(_as_it_is))

    if strict:
        return as_it_is()

    def careful() -> Source:
        return Source(opened(_within_reach), path.name)

    quick = None
    with suppress(DataError):  # a type that DuckDB has not got
        quick = as_it_is()
    return _with_care(quick, careful, careful().relation.columns)


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
