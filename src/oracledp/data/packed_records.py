"""Records of literals in packed words: made once from codes, merged as they are, and handed to the engine so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.errors import ParameterError
from oracledp.exact.merging import EqualRows

Words = NDArray[np.uint64]
CodeTable = tuple[int, Words]  # a column of codes, and the words that each of its codes stands for

_HIGHEST = 63  # a record's first literal is the highest bit of its first word, so records sort as their words do


@dataclass(frozen=True, eq=False, repr=False)
class PackedRecords:
    """Rows of 0/1 values, 64 to a word. They say as much as the matrix, so of private rows they are **private**.

    Nothing can be written to them. :meth:`matrix` unpacks them, once, for whoever reads records as a matrix, and
    numpy does so by itself where it is given packed records. Bits past the last column are zero. A pickle holds the
    words alone.

    >>> records = PackedRecords.of(np.array([[1, 0, 1], [0, 1, 1]], dtype=np.uint8))
    >>> len(records), records.shape, records
    (2, (2, 3), PackedRecords(3 columns))
    >>> records[[1]].matrix().tolist(), records.select([2, 0], negated=[False, True]).matrix().tolist()
    ([[0, 1, 1]], [[1, 0], [1, 1]])
    """

    words: Words
    columns: int

    def __post_init__(self) -> None:
        if self.words.ndim != 2 or self.words.shape[1] != words_for(self.columns):
            raise ParameterError("packed records need whole words for all of their columns")
        self.words.flags.writeable = False

    @classmethod
    def of(cls, records: PackedRecords | NDArray[Any]) -> PackedRecords:
        """The rows of a matrix, zero or not, packed; packed records as they are."""
        if isinstance(records, PackedRecords):
            return records
        if records.ndim != 2:
            raise ParameterError("records need two dimensions")
        bits = records if records.dtype == np.uint8 else np.asarray(records != 0).astype(np.uint8)
        return cls(_engine.pack_matrix(bits), records.shape[1])

    @classmethod
    def of_codes(cls, codes: NDArray[Any], tables: Sequence[CodeTable], columns: int) -> PackedRecords:
        """Each row of codes as the union of what its codes stand for."""
        small = codes if codes.dtype.kind == "u" and codes.dtype.itemsize <= 4 else codes.astype(np.uint32)
        return cls(_engine.pack_codes(small, list(tables), words_for(columns)), columns)

    @classmethod
    def together(cls, parts: Sequence[PackedRecords | NDArray[Any]]) -> PackedRecords:
        """The rows of several records over the same literals, one after the other."""
        packed = [cls.of(part) for part in parts]
        if len({part.columns for part in packed}) != 1:
            raise ParameterError("records need one column per literal of the class")
        return cls(np.concatenate([part.words for part in packed]), packed[0].columns)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, as of the matrix."""
        return len(self.words), self.columns

    def matrix(self) -> NDArray[np.uint8]:
        """The values as bytes, one row per record: read-only, and kept."""
        return self._matrix

    @cached_property
    def _matrix(self) -> NDArray[np.uint8]:
        matrix = _engine.unpack_matrix(self)
        matrix.flags.writeable = False
        return matrix

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.matrix(), dtype=dtype, copy=copy)

    def __getitem__(self, rows: Any) -> PackedRecords:
        """Some of the rows, by an index that numpy would take for rows alone."""
        if isinstance(rows, tuple | int | np.integer):
            raise TypeError("packed records are cut by rows; read matrix() for single values")
        return PackedRecords(np.ascontiguousarray(self.words[rows]), self.columns)

    def column(self, number: int) -> NDArray[np.bool_]:
        """The values of one column; a negative number counts from the last."""
        word, place = divmod(range(self.columns)[number], 64)
        return np.asarray(self.words[:, word] >> np.uint64(_HIGHEST - place) & np.uint64(1), dtype=np.bool_)

    def octets(self) -> NDArray[np.uint8]:
        """Eight columns to a byte, the first in its highest bit: rows × whole words of bytes."""
        return self.words.astype(">u8").view(np.uint8)

    def column_words(self) -> Words:
        """Column after column, 64 rows to a word."""
        return _engine.column_words(self)

    def first(self, columns: int) -> PackedRecords:
        """The first so many columns."""
        kept = self.words[:, : words_for(columns)] & _mask(columns)
        return PackedRecords(kept, columns)

    def negated(self) -> PackedRecords:
        """Every value turned round."""
        return PackedRecords(self.words ^ _mask(self.columns), self.columns)

    def with_column(self, values: NDArray[np.bool_]) -> PackedRecords:
        """One more column at the end."""
        word, place = divmod(self.columns, 64)
        words = np.zeros((len(self), words_for(self.columns + 1)), dtype=np.uint64)
        words[:, : self.words.shape[1]] = self.words
        words[:, word] |= values.astype(np.uint64) << np.uint64(_HIGHEST - place)
        return PackedRecords(words, self.columns + 1)

    def select(self, columns: Sequence[int], *, negated: Sequence[bool] = ()) -> PackedRecords:
        """Some columns in this order, turned round where ``negated`` says so."""
        tables: dict[int, Words] = {}
        length = words_for(len(columns))
        values = np.arange(256, dtype=np.uint64)
        for target, source in enumerate(columns):
            byte, place = divmod(source, 8)
            table = tables.setdefault(byte, np.zeros((256, length), dtype=np.uint64))
            held = values >> np.uint64(7 - place) & np.uint64(1)
            table[:, target // 64] |= held << np.uint64(_HIGHEST - target % 64)
        packed = _engine.pack_codes(self.octets(), list(tables.items()), length)
        if any(negated):
            packed ^= PackedRecords.of(np.array([list(negated)], dtype=np.uint8)).words
        return PackedRecords(packed, len(columns))

    def equal(self, *, apart: Sequence[NDArray[np.int64]] = ()) -> EqualRows:
        """Which records are equal, in lexicographic order; ``apart`` are numbers >= 0 that keep records apart too."""
        if not apart:
            return EqualRows.of(self.words)
        return EqualRows.of(np.column_stack([self.words, *(numbers.astype(np.uint64) for numbers in apart)]))

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedRecords, (self.words, self.columns)

    def __repr__(self) -> str:
        return f"PackedRecords({self.columns} columns)"


def words_for(columns: int) -> int:
    """How many words a record takes: at least one."""
    return max(1, -(-columns // 64))


def _mask(columns: int) -> Words:
    """The words of a record that has every column."""
    return PackedRecords.of(np.ones((1, columns), dtype=np.uint8)).words
