"""Records of codes to distinct records with counts, in an order that tells nothing about the rows'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.schema import Schema

_KEY_LIMIT = 1 << 63


def distinct(
    schema: Schema, columns: Sequence[NDArray[Any]], counts: NDArray[np.int64] | None
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct records in lexicographic order, and how many rows each stands for."""
    keys = record_keys(schema, columns)
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    stops = np.append(starts[1:], len(keys))
    totals = stops - starts if counts is None else np.add.reduceat(counts[order], starts)
    first = order[starts]
    records = np.empty((len(first), len(columns)), dtype=schema.code_dtype)
    for index, column in enumerate(columns):
        records[:, index] = column[first]
    return records, totals.astype(np.int64)


def record_keys(schema: Schema, columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """One integer per record that sorts as the record does: mixed radix, ranked anew before it overflows."""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column, size in zip(columns, schema.sizes, strict=True):
        if span * size >= _KEY_LIMIT:
            ranks, keys = np.unique(keys, return_inverse=True)
            span = len(ranks)
        keys = keys * size + column
        span *= size
    return keys
