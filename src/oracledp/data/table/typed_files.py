"""Files whose columns have types, as DuckDB relations: Parquet, folders of Parquet, Arrow.

DuckDB refuses a whole file for one text that is not UTF-8 or one time stamp out of its reach. Only where a file is read
strictly may it: elsewhere such a value is missing, and the file is read by way of Arrow. That is slower, so it is done
only where DuckDB refuses, or where it would spell other values of the column otherwise, which its public type tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
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
_ALIKE = (  # types whose values DuckDB and Arrow read alike
    *("boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"),
    *("float", "double", "decimal", "varchar", "date"),
    *("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone"),
)
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

    def by_arrow() -> Any:
        return connection.from_arrow(_by_way_of_arrow(path, files, list(relation.columns), wanted))

    if _holds_durations(connection, files[0], relation, wanted):
        return Source(by_arrow(), path.name, reopen=by_arrow)
    if strict or not _may_stop(relation, wanted):
        return Source(relation, path.name)
    return _careful_if_needed(Source(relation, path.name), Source(by_arrow(), path.name), wanted)


def _careful_if_needed(quick: Source, careful: Source, wanted: Sequence[str]) -> Source:
    """The quick source, with the other one in reserve, where both read the same of all columns that are wanted."""
    known = [dict(zip(s.relation.columns, s.relation.types, strict=True)) for s in (quick, careful)]
    alike = all(known[0][name] == known[1][name] and known[0][name].id in _ALIKE for name in wanted)
    return replace(quick, careful=lambda: careful) if alike else careful


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
    careful = tuple(part if part.careful is None else part.careful() for part in parts)
    return replace(parts[0], parts=parts, careful=lambda: replace(careful[0], parts=careful))


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


def _holds_durations(connection: Any, file: Path, relation: Any, wanted: list[str]) -> bool:
    """Whether a column that is wanted holds durations: whole numbers to Parquet, and more to whoever knows Arrow."""
    kinds = {name: kind.id for name, kind in zip(relation.columns, relation.types, strict=True)}
    whole = [name for name in wanted if kinds[name] == "bigint"]
    query = f"SELECT count(*) FROM parquet_kv_metadata({literal_path(file)}) WHERE key = 'ARROW:schema'"
    if not whole or not find_spec("pyarrow"):
        return False
    ((arrow_schemas,),) = attempt(lambda: connection.sql(query).fetchall(), file.name)
    if not arrow_schemas:
        return False
    types = optional("pyarrow.types", extra="frames")
    with _parquet_file(file) as opened:
        stored = opened.schema_arrow
    return any(types.is_duration(field.type) for field in stored if field.name in whole)


def _by_way_of_arrow(path: Path, files: list[Path], columns: list[str], wanted: list[str]) -> Any:
    """The columns that are wanted of all files, with what would stop DuckDB missing, batch by batch."""
    arrow = optional("pyarrow", extra="frames")
    parts = [_Part(file, _folders(path, file)) for file in files]
    with _parquet_file(files[0]) as opened:
        first = opened.schema_arrow
    own = {name: None if name.lower() in parts[0].folders else first.names[columns.index(name)] for name in wanted}
    types = [arrow.string() if name is None else held_type(first.field(name).type) for name in own.values()]
    schema = arrow.schema(list(zip(wanted, types, strict=True)))
    batches = (batch for part in parts for batch in part.batches(own, schema, path.name))
    return arrow.RecordBatchReader.from_batches(schema, batches)


def _parquet_file(file: Path) -> Any:
    """The file as pyarrow opens it: texts by dictionaries, which are small, and in which it lets all of them pass."""
    parquet = optional("pyarrow.parquet", extra="frames")
    with parquet.ParquetFile(file) as opened:
        paths = [opened.schema.column(place).path for place in range(len(opened.schema))]
    return parquet.ParquetFile(file, coerce_int96_timestamp_unit="us", read_dictionary=paths)


def _folders(path: Path, file: Path) -> dict[str, str | None]:
    """The columns that the folders between a path and a file name, as in ``year=2026``, in small letters."""
    named = (part.split("=", 1) for part in file.relative_to(path).parts[:-1] if "=" in part)
    return {unquote(key).lower(): None if value == _NO_PART else unquote(value) for key, value in named}


@dataclass(frozen=True)
class _Part:
    """A Parquet file, and the columns that the folders on the way to it name."""

    file: Path
    folders: Mapping[str, str | None]

    def batches(self, names: Mapping[str, str | None], schema: Any, title: str) -> Iterator[Any]:
        """The rows of these columns, of which those with a name of None are a folder's, by a schema that was held."""
        arrow = optional("pyarrow", extra="frames")
        own = [name for name in names.values() if name is not None]
        with _parquet_file(self.file) as opened:
            if any(opened.schema_arrow.get_field_index(name) < 0 for name in own):
                raise DataError(f"a part of {title} has not got every column once")
            nested = any("." in name for name in own)  # or so pyarrow would understand it
            for batch in opened.iter_batches(columns=None if nested else own):
                rows = batch.num_rows
                yield held(
                    [
                        arrow.array([self.folders[name.lower()]] * rows, arrow.string()) if of is None else batch[of]
                        for name, of in names.items()
                    ],
                    schema,
                )


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
    careful = Source(opened(_within_reach), path.name)
    try:
        return _careful_if_needed(as_it_is(), careful, careful.relation.columns)
    except DataError:  # a type that DuckDB has not got
        return careful


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
