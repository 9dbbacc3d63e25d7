"""Files of rows that commands write: .csv or .parquet, told by the name; what could not be written is refused early."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from oracledp.data.output.rows import PlainRows
from oracledp.errors import ParameterError

MOST_VALUES = 1 << 31  # of one synthetic table: tens of gigabytes of text


def refuse_format(out: str) -> None:
    """Only two formats are written."""
    if Path(out).suffix not in (".csv", ".parquet"):
        raise ParameterError(f"--out {out}: rows are written as .csv or .parquet")


def refuse_rows(rows: int | None, columns: int) -> None:
    """A number of synthetic rows that this machine could not hold is refused while nothing is charged."""
    if rows is None:
        return
    if rows < 1:
        raise ParameterError("--rows must be at least 1")
    if rows * columns > MOST_VALUES:
        raise ParameterError(f"--rows {rows}: at most {MOST_VALUES // columns:,} rows of {columns} columns are written")


def refuse_delimiter(delimiter: str | None) -> None:
    """One character that can separate fields."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ParameterError("--delimiter must be one character, not a quote or a line break")


def write_rows(rows: PlainRows, out: str, file: BinaryIO, delimiter: str | None = None) -> None:
    """Plain rows in the format that the name asks for; neither needs a library of its own."""
    if Path(out).suffix == ".csv":
        rows.write_csv(file, delimiter or ",")
    else:
        rows.write_parquet(file)
