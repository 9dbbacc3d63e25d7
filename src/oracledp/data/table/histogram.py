"""Records of codes to distinct records with counts, in an order that tells nothing about the rows'.

A record's codes stand side by side in one word, or in a few: words sort as the records do, and are taken apart again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.exact.merging import EqualRows

_WORD = 64  # bits
_ROWS_IN_CACHE = 1 << 13

Words = NDArray[np.uint64]


def distinct(
    schema: Schema, columns: Sequence[NDArray[Any]], counts: NDArray[np.int64] | None
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct records in lexicographic order, and how many rows each stands for."""
    words = record_words(schema, columns)
    equal = EqualRows.of(words)
    totals = equal.totals(np.ones(len(words), dtype=np.int64) if counts is None else counts)
    return _codes(schema, equal.distinct(words)), totals


def record_words(schema: Schema, columns: Sequence[NDArray[Any]]) -> Words:
    """The codes of each record side by side: as many bits as a column's size asks for, no column over two words."""
    fields = list(_fields(schema))
    words = np.zeros((len(columns[0]), 1 + fields[-1][0]), dtype=np.uint64)
    for rows in _blocks(len(words)):
        for column, (word, shift, _) in zip(columns, fields, strict=True):
            words[rows, word] |= column[rows].astype(np.uint64) << np.uint64(shift)
    return words


def _codes(schema: Schema, words: Words) -> NDArray[Any]:
    """The records of their words."""
    codes = np.empty((len(words), len(schema.columns)), dtype=schema.code_dtype)
    fields = list(_fields(schema))
    for rows in _blocks(len(words)):
        for index, (word, shift, bits) in enumerate(fields):
            codes[rows, index] = words[rows, word] >> np.uint64(shift) & np.uint64((1 << bits) - 1)
    return codes


def _blocks(rows: int) -> Iterator[slice]:
    """Few rows at a time, so that what is worked out on the way stays near the processor."""
    return (slice(begin, begin + _ROWS_IN_CACHE) for begin in range(0, rows, _ROWS_IN_CACHE))


def _fields(schema: Schema) -> Iterator[tuple[int, int, int]]:
    """Of each column the word, the shift and the bits; earlier columns lie higher."""
    word, free = 0, _WORD
    for size in schema.sizes:
        bits = (size - 1).bit_length()
        if bits > free:
            word, free = word + 1, _WORD
        free -= bits
        yield word, free, bits
