"""Files of rows that commands write: .csv or .parquet, told by the name; what could not be written is refused early."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from oracledp.errors import ParameterError
from oracledp.extras import optional

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


def refuse_missing_libraries(out: str) -> None:
    """What writing a frame takes."""
    for library in ("pandas", *(["pyarrow"] if Path(out).suffix == ".parquet" else [])):
        optional(library, extra="frames")


def write_frame(frame: Any, out: str, file: BinaryIO) -> None:
    """A pandas frame in the format that the name asks for."""
    if Path(out).suffix == ".csv":
        frame.to_csv(file, index=False, mode="wb")
    else:
        frame.to_parquet(file, index=False)
