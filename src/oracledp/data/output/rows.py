"""Synthetic rows without any frame library: columns of plain values, written as CSV or, by DuckDB, as Parquet."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from oracledp.scratch import private_folder


@dataclass(frozen=True)
class PlainRows:
    """Columns by name, in order, with what SQL calls their types; None stands for a missing value.

    >>> PlainRows({"age": [31, None], "job": ["cook", "smith, old"]}).csv_text()
    'age,job\\n31,cook\\n,"smith, old"\\n'
    """

    columns: dict[str, list[Any]]
    types: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def write_csv(self, file: BinaryIO, delimiter: str = ",") -> None:
        """UTF-8 with a header; a missing value is an empty field."""
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        try:
            self._write(text, delimiter)
        finally:
            text.detach()  # the file is not ours to close

    def write_parquet(self, file: BinaryIO) -> None:
        """Each column in its type; JSON on the way, which tells a missing value from an empty text."""
        import duckdb

        with private_folder() as folder, duckdb.connect() as connection:
            lines = folder / "rows.json"
            with lines.open("w", encoding="utf-8") as text:
                for row in zip(*self.columns.values(), strict=True):
                    text.write(json.dumps(dict(zip(self.columns, row, strict=True))) + "\n")
            wanted = ", ".join(f"{_quoted(name)}: '{self.types[name]}'" for name in self.columns)
            read = f"read_json({_quoted(str(lines))}, format = 'newline_delimited', columns = {{{wanted}}})"
            connection.execute(
                f"COPY (SELECT * FROM {read}) TO {_quoted(str(folder / 'rows.parquet'))} (FORMAT parquet)"
            )
            with (folder / "rows.parquet").open("rb") as made:
                shutil.copyfileobj(made, file)

    def csv_text(self) -> str:
        """The same as a text."""
        text = io.StringIO()
        self._write(text, ",")
        return text.getvalue()

    def _write(self, text: Any, delimiter: str) -> None:
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*self.columns.values(), strict=True))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
