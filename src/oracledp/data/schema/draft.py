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

from oracledp.data.schema.draft_files import Drafted, read_file, typed_column
from oracledp.data.schema.file_format import FileFormat
from oracledp.data.schema.moments import Date
from oracledp.data.schema.number_parsing import MOST_PLACES
from oracledp.data.schema.ordered import plain
from oracledp.data.schema.text_kinds import FORMATS, decimals, says_moment
from oracledp.errors import DataError, SchemaError

MOST_VALUES = 50  # categories that are listed; rarer ones become ``other``
SHORT_RANGE = 32  # integers that are each a code of their own
PARTS = 8  # of about equal mass, between thresholds
FEW = 50  # rows from which a column of all different values is an id


@dataclass(frozen=True)
class Draft:
    """A definition that every row of a public source follows, and the columns that it leaves out, with the reason."""

    definition: dict[str, Any]
    left_out: dict[str, str]


def draft_of(source: object, file: FileFormat = FileFormat()) -> Draft:  # noqa: B008 - frozen
    """Draft every column that can be; a source of which none can be is refused."""
    found: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    columns, spelled = _read_columns(source, file)
    for name, column in columns.items():
        try:
            found[name] = _spelled(_draft_column(column.values), column.spelling)
        except SchemaError as error:
            left_out[name] = str(error)
    if not found:
        raise SchemaError("; ".join(f"column {name!r}: {why}" for name, why in left_out.items()) or "no columns")
    return Draft({"file": spelled.to_json(), "columns": found}, left_out)


def _read_columns(source: object, file: FileFormat) -> tuple[dict[str, Drafted], FileFormat]:
    """Each column as a list, None where a value is missing."""
    if isinstance(source, str | PathLike):
        return read_file(Path(source), file)
    try:
        frame: Any = nw.from_native(source, eager_only=True)
    except TypeError:
        raise DataError(f"a frame or a file name is needed, not {type(source).__name__}") from None
    return {
        name: typed_column(
            [None if gone else value for value, gone in zip(series.to_list(), series.is_null(), strict=True)]
        )
        for name, series in ((name, frame[name]) for name in frame.columns)
    }, file


def _spelled(definition: dict[str, Any], spelling: dict[str, Any]) -> dict[str, Any]:
    """A definition with how its values are spelled, as far as its kind can say it."""
    kind, found = definition["kind"], dict(definition)
    if "missing" in spelling:
        found["missing"] = spelling["missing"]
    if kind == "boolean" and "spelling" in spelling:
        found["spelling"] = spelling["spelling"]
    places = spelling.get("places")
    if places is not None and kind in ("integer", "numeric"):
        if kind == "integer":
            found = {"resolution": 1, **found, "kind": "numeric"}
        found |= {} if places == 1 else {"places": places}
    if spelling.get("kind") == "decimal" and kind == "numeric":
        found = {**found, "kind": "decimal"}
        del found["resolution"]
    if kind in ("date", "timestamp", "duration") and "format" not in found and "stored" in spelling:
        found["stored"] = spelling["stored"]
    if "thousands" in spelling and kind in ("integer", "numeric"):
        found["thousands"] = spelling["thousands"]
    return found


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
    scale = max((-int(v.as_tuple().exponent) for v in values if isinstance(v, Decimal)), default=0)
    if 0 < scale <= MOST_PLACES and all(isinstance(value, Decimal) for value in values):
        return _draft_numbers(values, places=scale) | nullable
    whole = all(isinstance(value, Integral) or value == int(value) for value in values)
    return (_draft_integers(values) if whole else _draft_numbers(values)) | nullable


def _draft_moments(values: Sequence[Any]) -> dict[str, Any] | None:
    """A date or time stamp in the first format that reads all values: days come before months where both fit."""
    for kind, formats in FORMATS.items():
        for spelled in formats:
            column = kind(name="moment", lo=0, hi=1, format=spelled)
            if not says_moment(values[0], column) or (kind is Date and isinstance(values[0], datetime)):
                continue
            if all(says_moment(value, column) for value in values):
                known = [column.count_of(value) or 0 for value in values]
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


def _draft_numbers(values: Sequence[Any], places: int | None = None) -> dict[str, Any]:
    """Bounds rounded outwards to a tenth of the range's leading digit, at the resolution of the finest value.

    Decimals keep the places of their type.
    """
    exact = [Fraction(str(value)) for value in values]
    lo, hi = min(exact), max(exact)
    spread = hi - lo or abs(hi)
    step = Fraction(10) ** (math.floor(math.log10(spread)) - 1)
    resolution = Fraction(1, 10 ** (max(map(decimals, exact)) if places is None else places))
    step = max(step, resolution)
    low, high = math.floor(lo / step) * step, math.ceil(hi / step) * step
    high = high if high > low else low + step
    grain = {"resolution": float(resolution)} if places is None else {"places": places}
    bounds = {"lo": float(low), "hi": float(high), **grain}
    return {"kind": "numeric" if places is None else "decimal", **bounds} | _thresholds(values, low, resolution)


def _thresholds(values: Sequence[Any], lo: Fraction, resolution: Fraction) -> dict[str, Any]:
    """Quantiles on the grid: what a rule may distinguish."""
    ranked = sorted(values)
    cuts = {round((Fraction(str(ranked[len(ranked) * part // PARTS])) - lo) / resolution) for part in range(1, PARTS)}
    found = [plain(float(lo + step * resolution)) for step in sorted(cuts) if step > 0]
    return {"thresholds": found} if found else {}
