"""Frames as rows of texts, in memory: every value as a file would spell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.schema.number_marks import NumberMarks
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.frame_values import values_of
from oracledp.data.table.midnights import due, timed
from oracledp.data.table.persons import digests, kept_rows
from oracledp.data.table.text_columns import TextColumns, TextRows, distinct_names, person_place
from oracledp.data.table.unit import Unit
from oracledp.data.table.value_texts import text_of
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
            texts = [timed(text) for text in held.texts] if due(column) else held.texts
            codes = np.array([code_of(column, text, schema.file.marks) for text in texts], dtype=np.int32)
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
    """Each value by itself. What cannot be spelled is missing: no value may stop a run."""
    for value in values:
        try:
            yield text_of(value, marks)
        except Exception:  # a comparison or a spelling of the value's own
            yield None
