"""Records of codes to distinct records with counts, in an order that tells nothing about the rows'.

A record becomes one integer, its key. Where key and count fit into one word together, words are sorted and taken apart
again: nothing is gathered through an index, which costs more than the sort when records are millions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.exact.merging import EqualRows, run_starts, run_totals

_KEY_LIMIT = 1 << 63
_ROWS_IN_CACHE = 1 << 13

Keys = NDArray[np.int64]


def distinct(
    schema: Schema, columns: Sequence[NDArray[Any]], counts: NDArray[np.int64] | None
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct records in lexicographic order, and how many rows each stands for."""
    if not len(columns[0]):
        return np.empty((0, len(columns)), dtype=schema.code_dtype), np.empty(0, dtype=np.int64)
    keys = record_keys(schema, columns)
    room = 0 if counts is None else int(counts.max(initial=0)).bit_length()
    if schema.domain_size << room >= _KEY_LIMIT:
        return _distinct_by_order(schema, columns, keys, counts)
    if counts is None:
        keys.sort()
    else:
        words = (keys << room) | counts
        words.sort()
        keys, counts = words >> room, words & ((1 << room) - 1)
    starts = run_starts(keys)
    totals = np.diff(starts, append=len(keys)) if counts is None else run_totals(counts, starts)
    return _decoded(schema, keys if len(starts) == len(keys) else keys[starts]), totals


def record_keys(schema: Schema, columns: Sequence[NDArray[Any]]) -> Keys:
    """One integer per record that sorts as the record does: mixed radix, ranked anew before it overflows."""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column, size in zip(columns, schema.sizes, strict=True):
        if span * size >= _KEY_LIMIT:
            ranks, keys = np.unique(keys, return_inverse=True)
            span = len(ranks)
        keys *= size
        keys += column if column.dtype.itemsize < 8 else column.astype(np.int64)  # no mix of 64-bit types: a float
        span *= size
    return keys


def _distinct_by_order(
    schema: Schema, columns: Sequence[NDArray[Any]], keys: Keys, counts: NDArray[np.int64] | None
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The same for keys that leave no room for a count, or that are ranks."""
    equal = EqualRows.of_words([keys])
    first = equal.first()
    records = np.empty((len(first), len(columns)), dtype=schema.code_dtype)
    for index, column in enumerate(columns):
        records[:, index] = column[first]
    return records, equal.totals(np.ones(len(keys), dtype=np.int64) if counts is None else counts)


def _decoded(schema: Schema, keys: Keys) -> NDArray[Any]:
    """The records of their keys."""
    sizes = schema.sizes
    records = np.empty((len(keys), len(sizes)), dtype=schema.code_dtype)
    for begin in range(0, len(keys), _ROWS_IN_CACHE):
        rest = keys[begin : begin + _ROWS_IN_CACHE]
        for index in range(len(sizes) - 1, -1, -1):
            above = rest // sizes[index]
            records[begin : begin + _ROWS_IN_CACHE, index] = rest - above * sizes[index]
            rest = above
    return records
