"""Files of rows written part by part, so that there is never more of them in memory than one part."""

from __future__ import annotations

import codecs
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from oracledp.data.output.rows import PlainRows, Spelling, moments_in
from oracledp.data.schema import FileFormat
from oracledp.scratch import private_folder

_STORED: dict[str, tuple[Any, Any]] = {  # numpy's type, and what stands in for a missing value
    "BOOLEAN": (np.bool_, False),
    "BIGINT": (np.int64, 0),
    "DOUBLE": (np.float64, 0.0),
    "DATE": ("datetime64[s]", np.datetime64(0, "s")),
    "TIMESTAMP": ("datetime64[s]", np.datetime64(0, "s")),
}


def write_csv(parts: Iterable[PlainRows], file: BinaryIO, spelled: FileFormat) -> None:
    """CSV as the format says; an empty field, or the column's own mark, is a missing value."""
    encode = codecs.getincrementalencoder(spelled.encoding)()
    for number, part in enumerate(parts):
        head = "" if number else part.csv_header(spelled)
        file.write(encode.encode(head + part.csv_lines(spelled)))
    file.write(encode.encode("", True))


def write_parquet(parts: Iterable[PlainRows], file: BinaryIO) -> None:
    """Parquet by DuckDB: each part as a file of its own first, on the disk."""
    import duckdb

    with private_folder() as folder, duckdb.connect(config={"temp_directory": str(folder)}) as connection:
        connection.execute("SET preserve_insertion_order = true")
        made = [_write_part(connection, part, folder / f"{number}.parquet") for number, part in enumerate(parts)]
        whole = made[0]
        if len(made) > 1:
            whole, listed = folder / "rows.parquet", ", ".join(_text(str(path)) for path in made)
            connection.execute(f"COPY (SELECT * FROM read_parquet([{listed}])) TO {_text(str(whole))} (FORMAT parquet)")
        with whole.open("rb") as rows:
            shutil.copyfileobj(rows, file)


def _write_part(connection: Any, part: PlainRows, path: Path) -> Path:
    arrays: dict[str, Any] = {}
    wanted = []
    for place, (name, values) in enumerate(part.columns.items()):
        kind = part.types[name]
        stored, stand_in = _STORED.get(kind, (np.float64, 0.0) if kind.startswith("DECIMAL") else (object, ""))
        moment = part.spellings.get(name, Spelling()).moment
        held = values if moment is None else moments_in(values, moment)
        arrays[f"v{place}"] = np.array([stand_in if value is None else value for value in held], dtype=stored)
        arrays[f"m{place}"] = np.array([value is None for value in held], dtype=np.bool_)
        wanted.append(f"CASE WHEN m{place} THEN NULL ELSE CAST(v{place} AS {kind}) END AS {_name(name)}")
    connection.register("part", arrays)
    connection.execute(f"COPY (SELECT {', '.join(wanted)} FROM part) TO {_text(str(path))} (FORMAT parquet)")
    connection.unregister("part")
    return path


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
