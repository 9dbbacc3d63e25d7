"""Frames as rows of texts, in memory: every value as a file would spell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.schema.number_marks import NumberMarks
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.frame_values import UNHELD, values_of
from oracledp.data.table.persons import EXACT, digests, kept_rows
from oracledp.data.table.text_columns import TextColumns, TextRows, distinct_names, person_place
from oracledp.data.table.unit import Unit
from oracledp.data.table.values import code_of
from oracledp.errors import DataError


@dataclass(frozen=True)
class _Held:
    """One column: the texts that occur, and which of them each row has."""

    texts: tuple[str | None, ...]
    rows: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> _Held:
        places: dict[str | None, int] = {}
        rows = np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int64)
        return cls(tuple(places), rows)

    def counts(self) -> dict[str | None, int]:
        found = np.bincount(self.rows, minlength=len(self.texts)).tolist()
        return dict(zip(self.texts, found, strict=True))


@dataclass(frozen=True, repr=False, kw_only=True)
class FrameTexts(TextRows):
    """The rows of a frame: for each column the texts that occur, and which of them each row has."""

    held: dict[str, _Held]

    def counted(self, names: Sequence[str]) -> TextColumns:
        """A tally of each column."""
        return TextColumns(tuple(names), tuple(self.held[name].counts() for name in names), self.marks, typed=True)

    def encoded(self, schema: Schema) -> Encoded:
        """Each text is looked up once."""
        columns = []
        for column in schema.columns:
            held = self.held[column.name]
            codes = np.array([code_of(column, text, schema.file.marks) for text in held.texts], dtype=np.int32)
            columns.append(codes[held.rows])
        return Encoded(schema, columns, unit=self.unit)


def frame_texts(frame: object, marks: NumberMarks, unit: Unit) -> FrameTexts:
    """The rows of a pandas, polars or pyarrow table; of a person's rows those that are kept."""
    try:
        native: Any = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(f"a frame or a file name is needed, not {type(frame).__name__}") from None
    names = distinct_names(native.columns)
    texts = {name: list(_texts(values_of(native[name]), marks)) for name in names}
    if unit.person is not None:
        ids = values_of(native[names[person_place(names, unit)]])
        names = tuple(name for name in names if name != unit.person)
        places = kept_rows(unit, ids, [digests(texts[name]) for name in names])
        texts = {name: [texts[name][place] for place in places] for name in names}
    return FrameTexts(names, marks, unit, held={name: _Held.of(texts[name]) for name in names})


def _texts(values: Iterable[object], marks: NumberMarks) -> Iterator[str | None]:
    """Each value as a file would spell it. What cannot be spelled is missing: no value may stop a run."""
    for value in values:
        try:
            yield _spelled(value, marks)
        except Exception:  # a comparison or a spelling of the value's own
            yield None


def _spelled(value: object, marks: NumberMarks) -> str | None:
    """Whole numbers stored as floats are written as whole numbers, those that floats do not hold as floats say them.

    One row without a value makes floats of a whole column in pandas, and no other row may be spelled otherwise for it.
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value is UNHELD or value != value:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    large = isinstance(value, Integral) and EXACT < abs(int(value)) < 1 << 64
    if isinstance(value, Real) and (large or not isinstance(value, Integral)) and float(value).is_integer():
        return f"{float(value) + 0:.0f}"  # -0.0 is 0
    return marks.spelled(str(value), grouped=False) if isinstance(value, Real | Decimal) else str(value)
