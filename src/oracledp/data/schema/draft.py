"""A first schema read off rows that are public. Never called on private ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw

from oracledp.data.schema.moments import Date, Moment, Timestamp
from oracledp.data.schema.ordered import plain
from oracledp.data.schema.text_kinds import decimals
from oracledp.errors import DataError, SchemaError

MOST_VALUES = 50  # categories that are listed; rarer ones become ``other``
SHORT_RANGE = 32  # integers that are each a code of their own
PARTS = 8  # of about equal mass, between thresholds
_MOMENT_TYPES = ("DATE", "TIMESTAMP")
FEW = 50  # rows from which a column of all different values is an id


FORMATS: dict[type[Moment], tuple[str, ...]] = {
    Date: ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d"),
    Timestamp: ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%d/%m/%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S"),
}


@dataclass(frozen=True)
class Draft:
    """A definition that every row of a public source follows, and the columns that it leaves out, with the reason."""

    definition: dict[str, Any]
    left_out: dict[str, str]


def draft_of(source: object) -> Draft:
    """Draft every column that can be; a source of which none can be is refused."""
    found: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for name, values in _read_columns(source).items():
        try:
            found[name] = _draft_column(values)
        except SchemaError as error:
            left_out[name] = str(error)
    if not found:
        raise SchemaError("; ".join(f"column {name!r}: {why}" for name, why in left_out.items()) or "no columns")
    return Draft({"columns": found}, left_out)


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
            texts = _texts_of_moments(connection, path, relation) if reader == "read_csv" else {}
        except duckdb.Error:
            raise DataError(f"{path.name}: cannot be read as {reader.removeprefix('read_')}") from None
        return {name: [row[index] for row in rows] for index, name in enumerate(relation.columns)} | texts


def _texts_of_moments(connection: Any, path: Path, relation: Any) -> dict[str, list[Any]]:
    """What DuckDB takes for dates, as the file spells them: the format is part of the schema."""
    moments = [name for name, kind in zip(relation.columns, relation.types, strict=True) if str(kind) in _MOMENT_TYPES]
    if not moments:
        return {}
    whole = connection.sql("SELECT * FROM read_csv(?, all_varchar = true)", params=[str(path)])
    rows = whole.fetchall()
    return {name: [row[whole.columns.index(name)] for row in rows] for name in moments}


def _draft_column(listed: Sequence[Any]) -> dict[str, Any]:
    values = [value for value in listed if value is not None and value == value]
    nullable = {"nullable": True} if len(values) < len(listed) else {}
    if not values:
        raise SchemaError("no value to draft from; leave the column out")
    if all(isinstance(value, bool) for value in values):
        return {"kind": "boolean"} | nullable
    moment = _draft_moments(values)
    if moment is not None:
        return moment | nullable
    if all(isinstance(value, str) for value in values):
        return _draft_texts(values) | nullable
    if any(isinstance(value, bool) or not isinstance(value, Real | Decimal) for value in values):
        raise SchemaError("neither numbers, texts nor booleans; leave it out or convert it")
    if not all(math.isfinite(value) for value in values):
        raise SchemaError("holds an infinite number")
    whole = all(isinstance(value, Integral) or value == int(value) for value in values)
    return (_draft_integers(values) if whole else _draft_numbers(values)) | nullable


def _draft_moments(values: Sequence[Any]) -> dict[str, Any] | None:
    """A date or time stamp in the first format that reads all values: days come before months where both fit."""
    for kind, formats in FORMATS.items():
        for spelled in formats:
            column = kind(name="moment", lo=0, hi=1, format=spelled)
            first = column.count_of(values[0])
            if first is None or (kind is Date and isinstance(values[0], datetime)):
                continue
            found = [column.count_of(value) for value in values]
            known = [count for count in found if count is not None]
            if len(known) == len(found):
                lo, hi = min(known), max(known)
                own = {} if spelled == kind.usual else {"format": spelled}
                return {"kind": kind.kind, "lo": column.shown(lo), "hi": column.shown(max(hi, lo + 1)), **own}
    return None


def _draft_texts(values: Sequence[str]) -> dict[str, Any]:
    ranked = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    if len(values) >= FEW and len(ranked) > max(MOST_VALUES, 0.9 * len(values)):
        raise SchemaError("nearly every row has a value of its own: an id or free text is no feature")
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
    if len(values) >= FEW and hi - lo + 1 == len(values) == len(set(values)):
        raise SchemaError("numbers the rows, each by its own: an id is no feature")
    hi = max(hi, lo + 1)
    if hi - lo < SHORT_RANGE:
        return {"kind": "integer", "lo": lo, "hi": hi}
    return {"kind": "integer", "lo": lo, "hi": hi, "resolution": 1} | _thresholds(values, Fraction(lo), Fraction(1))


def _draft_numbers(values: Sequence[Any]) -> dict[str, Any]:
    """Bounds rounded outwards to a tenth of the range's leading digit, at the resolution of the finest value."""
    exact = [Fraction(str(value)) for value in values]
    lo, hi = min(exact), max(exact)
    spread = hi - lo or abs(hi)
    step = Fraction(10) ** (math.floor(math.log10(spread)) - 1)
    resolution = Fraction(1, 10 ** max(map(decimals, exact)))
    step = max(step, resolution)
    low, high = math.floor(lo / step) * step, math.ceil(hi / step) * step
    high = high if high > low else low + step
    bounds = {"lo": float(low), "hi": float(high), "resolution": float(resolution)}
    return {"kind": "numeric", **bounds} | _thresholds(values, low, resolution)


def _thresholds(values: Sequence[Any], lo: Fraction, resolution: Fraction) -> dict[str, Any]:
    """Quantiles on the grid: what a rule may distinguish."""
    ranked = sorted(values)
    cuts = {round((Fraction(str(ranked[len(ranked) * part // PARTS])) - lo) / resolution) for part in range(1, PARTS)}
    found = [plain(float(lo + step * resolution)) for step in sorted(cuts) if step > 0]
    return {"thresholds": found} if found else {}
