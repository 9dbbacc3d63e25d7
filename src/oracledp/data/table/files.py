"""Files as DuckDB relations, their format told by their names: CSV here, with nothing guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from oracledp.data.schema import FileFormat, Schema
from oracledp.data.schema.file_format import uncut
from oracledp.data.table.duck import Source, attempt
from oracledp.data.table.sql import DUCKDB
from oracledp.data.table.transcoding import CSV_ENDINGS, as_utf8, header_of, is_utf8
from oracledp.data.table.typed_files import ARROW, PARQUET, literal_path, open_arrow, open_folder, open_parquet
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError

_MOST_FIELDS = 10_000  # of a CSV file: the engine's time grows with their square


def open_file(connection: Any, path: Path, schema: Schema, *, strict: bool, unit: Unit = ROWS) -> Source:
    """The file as a source to count, its format told by its name; a CSV file is spelled as the schema says."""
    names = (*schema.names, *([] if unit.person is None else [unit.person]))
    ending, packed = _ending(path)
    if ending in CSV_ENDINGS:
        opened = _read_csv(connection, path, _usual(schema.file, ending), packed, strict=strict)
        return replace(opened, places=_places(path, list(opened.header), names))
    return _open_typed(connection, path, names, strict=strict)


def open_texts(connection: Any, path: Path, file: FileFormat) -> tuple[Source, tuple[str, ...]]:
    """The file as a source without a schema, and the names of its columns."""
    ending, packed = _ending(path)
    if ending in CSV_ENDINGS:
        opened = _read_csv(connection, path, _usual(file, ending), packed, strict=False)
        return opened, file.named(opened.header)
    opened = _open_typed(connection, path, None, strict=False)
    return opened, tuple(opened.relation.columns)


def _ending(path: Path) -> tuple[str, bool]:
    """What the name of a file says of its format, and whether it is packed; nothing of a folder."""
    if not path.exists():
        raise DataError(f"{path}: no such file")
    packed = path.suffix.lower() == ".gz"
    return ("" if path.is_dir() else Path(path.stem if packed else path.name).suffix.lower()), packed


def _open_typed(connection: Any, path: Path, names: Sequence[str] | None, *, strict: bool) -> Source:
    """A file whose columns have types, or a folder of such."""
    if path.is_dir():
        return open_folder(connection, path, names, strict=strict)
    if path.suffix.lower() in PARQUET:
        return open_parquet(connection, path, [path], names, strict=strict)
    if path.suffix.lower() in ARROW:
        return open_arrow(connection, path, strict=strict)
    known = ", ".join((*CSV_ENDINGS, *(f"{known}.gz" for known in CSV_ENDINGS), *PARQUET, *ARROW))
    raise DataError(f"{path.name}: the format is told by the name, which must end in {known}")


def _usual(file: FileFormat, ending: str) -> FileFormat:
    """With the delimiter that the file's name says, unless the format says another."""
    return file if file.delimiter is not None else file.changed(delimiter="\t" if ending == ".tsv" else ",")


# ---- CSV -----------------------------------------------------------------------------------------------
def _read_csv(connection: Any, path: Path, file: FileFormat, packed: bool, *, strict: bool) -> Source:
    """Every field as text under names of our own, so that DuckDB guesses neither types nor names.

    Unless strict, a record that cannot be read (too few fields, not UTF-8, too long) is set aside and counted. One
    scanner reads from the first byte to the last: several of them begin anew every few megabytes, also inside of
    quotes, so that one record more would move others.
    """
    title = path.name
    if not is_utf8(file.encoding):
        path, packed = as_utf8(connection, path, file.encoding, packed), False
    header = list(file.names or header_of(path, title, file.separator, packed))
    if len(header) > _MOST_FIELDS:
        raise DataError(f"{title}: line 1 names {len(header):,} columns, at most {_MOST_FIELDS:,} are read")
    fields = ", ".join(f"'f{index}': 'VARCHAR'" for index in range(len(header)))

    def scanned(*options: str) -> Any:
        given = (
            f"{literal_path(path)}, auto_detect = false, header = {str(file.names is None).lower()},"
            f" columns = {{{fields}}}, delim = {DUCKDB.literal(file.separator)}, quote = '\"', escape = '\"',"
            f" nullstr = '', allow_quoted_nulls = false, compression = '{'gzip' if packed else 'none'}'"
        )
        return attempt(lambda: connection.sql(f"SELECT * FROM read_csv({', '.join([given, *options])})"), title)

    lenient = () if strict else ("strict_mode = false", "store_rejects = true", "rejects_limit = 0")
    relation = scanned("parallel = false", *lenient)
    if strict:
        _refuse_open_quote(scanned, relation, title)
    every_field = ", ".join(f"f{index}" for index in range(len(header)))
    unread = None if strict else (lambda: _set_aside(connection, title))
    text = f"concat({every_field})"
    return Source(relation, title, line_text=text, unread=unread, header=tuple(header))


def _refuse_open_quote(scanned: Callable[..., Any], relation: Any, title: str) -> None:
    """Refuse a file that ends within quotes: one scanner alone leaves out its last record, and says nothing."""
    every = scanned("parallel = false", "strict_mode = false", "ignore_errors = true")
    if _counted(every, title) != _counted(relation, title):
        _counted(scanned("parallel = true"), title)  # several say on which line it is
        raise DataError(f"{title}: not a record of this CSV file: a quote left open")


def _counted(relation: Any, title: str) -> int:
    ((rows,),) = attempt(lambda: relation.count("*").fetchall(), title)
    return int(rows)


def _set_aside(connection: Any, title: str) -> int:
    """How many records of the file could not be read; each may be there for several reasons."""
    query = "SELECT count(DISTINCT (scan_id, file_id, line)) FROM reject_errors"
    ((rows,),) = attempt(lambda: connection.sql(query).fetchall(), title)
    return int(rows)


def _places(path: Path, header: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The field of each column that is wanted."""
    return {column: f"f{place_of(column, names, header, path.name)}" for column in names}


def place_of(column: str, names: Sequence[str], header: Sequence[str], title: str) -> int:
    """Where a name stands or, if it does not, the one name that differs by blanks at its ends and is no other's.

    Names that are not wanted are not shown: they could be data without a header.
    """
    places = [place for place, name in enumerate(header) if name == column]
    if not places:
        alike = [place for place, name in enumerate(header) if name.strip(" ") == column.strip(" ")]
        places = [place for place in alike if header[place] not in names]
    if len(places) != 1:
        problem = "is missing from" if not places else "stands twice in"
        why = uncut(header)
        raise DataError(f"column {column!r} {problem} {title}" + (f": {why}" if why else ""))
    return places[0]
