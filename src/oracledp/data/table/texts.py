"""The rows of a file or a frame as texts, before there is a schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from oracledp.data.schema import FileFormat
from oracledp.data.table.duck import refuse_memory
from oracledp.data.table.text_columns import TextColumns, TextRows
from oracledp.data.table.text_files import file_texts
from oracledp.data.table.text_frames import frame_texts
from oracledp.data.table.unit import ROWS, Unit


@contextmanager
def text_rows(source: object, *, file: FileFormat, unit: Unit = ROWS, memory: str | None = None) -> Iterator[TextRows]:
    """The rows of a file (CSV, Parquet, Arrow) or of a pandas, polars or pyarrow table.

    With a unit of persons, of each so many rows at most, and the column that tells them apart is left out. ``memory``
    is where the rows of a file begin to spill to a private folder.
    """
    refuse_memory(memory)
    if isinstance(source, str | PathLike):
        with file_texts(Path(source), file, unit, memory) as rows:
            yield rows
    else:
        yield frame_texts(source, file.marks, unit)


def read_texts(source: object, *, file: FileFormat = FileFormat(), unit: Unit = ROWS) -> TextColumns:  # noqa: B008
    """How often each text stands in each column.

    >>> import pandas
    >>> read_texts(pandas.DataFrame({"age": [20, 30, None, 30]})).counts
    ({'20': 1, '30': 2, None: 1},)
    """
    with text_rows(source, file=file, unit=unit) as rows:
        return rows.counted(rows.names)
