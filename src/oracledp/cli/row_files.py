"""Files of rows that commands write: .csv or .parquet, told by the name; what could not be written is refused early."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from oracledp.data.output.row_writing import write_csv, write_parquet
from oracledp.data.output.rows import PlainRows
from oracledp.data.schema import FileFormat
from oracledp.errors import ParameterError

MOST_VALUES = 1 << 34  # of one synthetic table: hundreds of gigabytes of text
MOST_AT_ONCE = 1 << 31  # of a game's, which is made in one piece
AT_ONCE = 500_000  # rows of a part


class RowParts:
    """Rows to write, in parts that are made when they are asked for; a single part is made once."""

    def __init__(self, rows: int, make: Callable[[], Iterator[PlainRows]]) -> None:
        self.rows = rows
        self._make = make
        self._begun = make()  # now, so that what is wrong with the request shows before anything is written

    @cached_property
    def first(self) -> PlainRows:
        """The first part."""
        return next(self._begun)

    def begin(self) -> None:
        """Make the first part now: rules may leave nothing to draw, which shows only then."""
        len(self.first)

    def __iter__(self) -> Iterator[PlainRows]:
        return iter([self.first]) if self.rows <= AT_ONCE else self._make()


def refuse_format(out: str, option: str = "--out") -> None:
    """Only two formats are written."""
    if Path(out).suffix not in (".csv", ".parquet"):
        raise ParameterError(f"{option} {out}: rows are written as .csv or .parquet")


def refuse_rows(rows: int | None, columns: int, most: int = MOST_VALUES) -> None:
    """A number of synthetic rows that could not be made or stored is refused while nothing is charged."""
    if rows is None:
        return
    if rows < 1:
        raise ParameterError("--rows must be at least 1")
    if rows * columns > most:
        raise ParameterError(f"--rows {rows}: at most {most // columns:,} rows of {columns} columns are written")


def write_rows(rows: Iterable[PlainRows], out: str, file: BinaryIO, spelled: FileFormat) -> None:
    """Plain rows in the format that the name asks for; neither needs a library of its own."""
    if Path(out).suffix == ".csv":
        write_csv(rows, file, spelled)
    else:
        write_parquet(rows, file)
