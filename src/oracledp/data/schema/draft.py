"""A first schema read off rows that are public. Never called on private ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw

from oracledp.errors import DataError, SchemaError

MOST_VALUES = 50  # categories that are listed; rarer ones become ``other``
SHORT_RANGE = 32  # integers that are each a code of their own
BINS = 10


def draft_definition(source: object) -> dict[str, Any]:
    """A definition that every row of the source follows."""
    columns = _read_columns(source)
    return {"columns": {name: _draft_column(name, values) for name, values in columns.items()}}


def _read_columns(source: object) -> dict[str, list[Any]]:
    """Each column as a list, None where a value is missing."""
    if isinstance(source, str | PathLike):
        return _read_file(Path(source))
    try:
        frame: Any = nw.from_native(source, eager_only=True)
    except TypeError:
        raise DataError(f"a frame or a file name is needed, not {type(source).__name__}") from None
    return {
        name: [None if gone else value for value, gone in zip(series.to_list(), series.is_null(), strict=True)]
        for name, series in ((name, frame[name]) for name in frame.columns)
    }


def _read_file(path: Path) -> dict[str, list[Any]]:
    """A CSV or Parquet file with the types that DuckDB finds; the rows are public, so it may look."""
    import duckdb

    if not path.is_file():
        raise DataError(f"{path}: no such file")
    reader = "read_parquet" if path.suffix in (".parquet", ".pq") else "read_csv"
    with duckdb.connect(":memory:") as connection:
        try:
            relation = connection.sql(f"SELECT * FROM {reader}(?)", params=[str(path)])
            rows = relation.fetchall()
        except duckdb.Error:
            raise DataError(f"{path.name}: cannot be read as {reader.removeprefix('read_')}") from None
        return {name: [row[index] for row in rows] for index, name in enumerate(relation.columns)}


def _draft_column(name: str, listed: Sequence[Any]) -> dict[str, Any]:
    values = [value for value in listed if value is not None and value == value]
    nullable = {"nullable": True} if len(values) < len(listed) else {}
    if not values:
        raise SchemaError(f"column {name!r}: no value to draft from; leave the column out")
    if all(isinstance(value, bool) for value in values):
        return {"kind": "boolean"} | nullable
    if all(isinstance(value, str) for value in values):
        return _draft_texts(values) | nullable
    if any(isinstance(value, bool) or not isinstance(value, Real | Decimal) for value in values):
        raise SchemaError(f"column {name!r}: neither numbers, texts nor booleans; leave it out or convert it")
    if not all(math.isfinite(value) for value in values):
        raise SchemaError(f"column {name!r}: holds an infinite number")
    whole = all(isinstance(value, Integral) or value == int(value) for value in values)
    return (_draft_integers(values) if whole else _draft_numbers(values)) | nullable


def _draft_texts(values: Sequence[str]) -> dict[str, Any]:
    ranked = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    listed = sorted(value for value, _ in ranked[:MOST_VALUES])
    if 1 < len(ranked) <= MOST_VALUES:
        return {"kind": "categorical", "values": listed}
    other = "other"
    while other in listed:
        other += " values"
    return {"kind": "categorical", "values": listed, "other": other}


def _draft_integers(values: Sequence[Any]) -> dict[str, Any]:
    lo, hi = int(min(values)), int(max(values))
    if (lo, hi) == (0, 1):
        return {"kind": "boolean"}
    hi = max(hi, lo + 1)
    return {"kind": "integer", "lo": lo, "hi": hi} | ({} if hi - lo < SHORT_RANGE else {"bins": BINS})


def _draft_numbers(values: Sequence[Any]) -> dict[str, Any]:
    """Bounds rounded outwards to a tenth of the range's leading digit."""
    lo, hi = Fraction(min(values)), Fraction(max(values))
    spread = hi - lo or abs(hi)
    step = Fraction(10) ** (math.floor(math.log10(spread)) - 1)
    low, high = math.floor(lo / step) * step, math.ceil(hi / step) * step
    high = high if high > low else low + step
    return {"kind": "numeric", "lo": float(low), "hi": float(high), "bins": BINS}
