"""Synthetic rows without any frame library: columns of plain values, and how a file spells them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from oracledp.data.schema import Categorical, Column, Date, FileFormat, Moment, Numeric, Ordered, Timestamp
from oracledp.data.schema.number_marks import NumberMarks

_QUOTED = ('"', "\r", "\n")


@dataclass(frozen=True)
class Spelling:
    """How the values of a column are written: the mark of a missing one, and of a number its decimals at least and
    whether it has the file's separators of thousands. A ``moment`` reads texts that Parquet files hold as moments.
    A column that is not ``padded`` has no blanks after delimiters, whatever the file has.

    >>> euro, pay = NumberMarks(",", "."), Spelling("NA", 2, grouped=True)
    >>> pay.text(1234.5, euro), pay.text(None, euro), Spelling().text(2026, euro)
    ('1.234,50', 'NA', '2026')
    """

    mark: str = ""
    places: int | None = None
    grouped: bool = False
    moment: Moment | None = None
    padded: bool = True

    @classmethod
    def of(cls, column: Column) -> Spelling:
        """That of a column of a schema."""
        places = column.places if isinstance(column, Numeric) else None
        moment = column if isinstance(column, Date | Timestamp) and column.typed else None
        grouped = isinstance(column, Ordered) and column.grouped
        return cls(column.mark or "", places, grouped, moment, all(text.startswith(" ") for text in _listed(column)))

    def text(self, value: object, marks: NumberMarks) -> str:
        """One field, not yet quoted."""
        if value is None:
            return self.mark
        if isinstance(value, int) and self.grouped:
            return marks.spelled(str(value))
        if not isinstance(value, float):
            return str(value)
        written = repr(value) if self.places is None else decimals_at_least(value, self.places)
        return marks.spelled(written, grouped=self.grouped)


def decimals_at_least(value: float, places: int) -> str:
    """A number with all the decimals that it has, and with so many in any case.

    >>> [decimals_at_least(number, 2) for number in (3.0, 0.5, 0.125, -1e-7)]
    ['3.00', '0.50', '0.125', '-0.0000001']
    """
    written = repr(value)
    if "e" in written:
        written = f"{value:.20f}".rstrip("0") if abs(value) < 1 else f"{value:.1f}"
        shortest = (f"{value:.{digits}f}" for digits in range(30))
        written = next((text for text in shortest if float(text) == value), written)
    whole, _, tail = written.partition(".")
    tail = tail.rstrip("0").ljust(places, "0")
    return f"{whole}.{tail}" if tail else whole


def moments_in(texts: Sequence[str | None], column: Moment) -> list[date | timedelta | None]:
    """What texts in a column's format say, as Python has it."""
    known = {text: column.moment_of(text) for text in set(texts) if text is not None}
    return [None if text is None else known[text] for text in texts]


@dataclass(frozen=True)
class PlainRows:
    """Columns by name, in order, with what SQL calls their types; None stands for a missing value.

    >>> PlainRows({"age": [31, None], "job": ["cook", "smith, old"]}).csv_text()
    'age,job\\n31,cook\\n,"smith, old"\\n'
    """

    columns: Mapping[str, Sequence[Any]]
    types: Mapping[str, str] = field(default_factory=dict)
    spellings: Mapping[str, Spelling] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def csv_header(self, file: FileFormat) -> str:
        """The first line; nothing where the file has none."""
        if file.names is not None:
            return ""
        fields = [
            _after(blank, name)
            for blank, name in zip(_blanks(file.padded_header, len(self.columns)), self.columns, strict=True)
        ]
        return file.separator.join(_quoted(field, file.separator) for field in fields) + file.line_end

    def csv_lines(self, file: FileFormat) -> str:
        """The rows. A file without a header keeps the places of its columns: of those that are unknown, empty."""
        names = file.names or tuple(self.columns)
        alone = len(names) == 1  # an empty line would be no record
        blanks = zip(names, _blanks(file.padded_rows, len(names)), strict=True)
        fields = [self._fields(name, file, blank, alone=alone) for name, blank in blanks]
        separator, end = file.separator, file.line_end
        return "".join([separator.join(row) + end for row in zip(*fields, strict=True)])

    def _fields(self, name: str, file: FileFormat, blank: str, *, alone: bool) -> list[str]:
        """The column's values, each different one spelled once."""
        if name not in self.columns:
            return [""] * len(self)
        spelling, values = self.spellings.get(name, Spelling()), self.columns[name]
        written = {}
        for value in set(values):
            text = spelling.text(value, file.marks)
            empty = text == "" and (alone or value is not None)
            before = blank if spelling.padded else ""
            written[value] = '""' if empty else _quoted(_after(before, text), file.separator)
        return [written[value] for value in values]

    def csv_text(self) -> str:
        """A whole file as a text."""
        text = io.StringIO()
        text.write(self.csv_header(FileFormat()) + self.csv_lines(FileFormat()))
        return text.getvalue()


def _listed(column: Column) -> list[str]:
    """Texts that a schema lists as rows hold them, blanks included."""
    values = column.values if isinstance(column, Categorical) else ()
    return [text for text in (*values, column.mark) if isinstance(text, str) and text]


def _blanks(padded: bool, columns: int) -> list[str]:
    """What stands before the fields of a line."""
    return [""] + [" " if padded else ""] * (columns - 1)


def _after(blank: str, text: str) -> str:
    """A blank comes before what is not empty and has none of its own, as texts that begin with one have."""
    return blank + text if text and not text.startswith(" ") else text


def _quoted(text: str, separator: str) -> str:
    if separator in text or any(letter in text for letter in _QUOTED):
        return '"' + text.replace('"', '""') + '"'
    return text
