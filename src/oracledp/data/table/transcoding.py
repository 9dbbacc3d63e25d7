"""CSV files before their records are read: their headers, and other encodings as UTF-8 in a private folder."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from pathlib import Path
from typing import Any
from uuid import uuid4

from oracledp.errors import DataError

_CHUNK = 1 << 20  # characters

CSV_ENDINGS = (".csv", ".tsv", ".txt")
LONGEST_HEADER = 1 << 24  # bytes


def is_utf8(encoding: str) -> bool:
    """Whether a file needs no translation.

    >>> is_utf8("UTF8"), is_utf8("latin-1")
    (True, False)
    """
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")


def as_utf8(connection: Any, path: Path, encoding: str, packed: bool) -> Path:
    """A copy of the file in UTF-8, where DuckDB spills, which goes when the connection does.

    What the encoding does not know becomes a replacement character: no byte may stop a run.
    """
    ((folder,),) = connection.sql("SELECT current_setting('temp_directory')").fetchall()
    Path(folder).mkdir(parents=True, exist_ok=True)
    copy = Path(folder) / f"{uuid4().hex}.csv"
    opener: Any = gzip.open if packed else open
    try:
        with (
            opener(path, "rb") as raw,
            io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            while part := text.read(_CHUNK):
                target.write(part)
    except (OSError, EOFError, zlib.error, UnicodeError):  # a file of UTF-16 may lack the mark of its byte order
        copy.unlink(missing_ok=True)
    if not copy.exists():  # outside the handler: a decoding error carries the data
        raise DataError(f"{path.name}: cannot be read as {encoding}: damaged or of another encoding")
    return copy


def header_line(path: Path) -> bytes:
    """Line 1 of a CSV file with its line end, as far as it can be read; of other files nothing."""
    packed = path.suffix.lower() == ".gz"
    if not path.is_file() or Path(path.stem if packed else path.name).suffix.lower() not in CSV_ENDINGS:
        return b""
    try:
        with (gzip.open if packed else open)(path, "rb") as stream:
            return bytes(stream.readline(LONGEST_HEADER))
    except (OSError, EOFError, zlib.error):
        return b""  # whoever reads the rows says why


def header_of(path: Path, title: str, delimiter: str, packed: bool) -> list[str]:
    """The names in line 1, and not a byte of a record: what those hold may not decide here."""
    opener = gzip.open if packed else open
    problem = "line 1 must be a header with the columns' names"
    try:
        with opener(path, "rb") as stream:
            line = re.split(rb"[\r\n]", stream.readline(LONGEST_HEADER), maxsplit=1)[0]
        header = next(csv.reader([line.decode("utf-8-sig")], delimiter=delimiter, strict=True), [])
        if header:
            return header
    except UnicodeDecodeError:
        problem = "not UTF-8 text; say its encoding, such as cp1252"
    except csv.Error:
        pass
    except (OSError, EOFError, zlib.error):
        problem = "the header cannot be read: damaged or truncated"
    raise DataError(f"{title}: {problem}")  # outside the handler: a decoding error carries the data
