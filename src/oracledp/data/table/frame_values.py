"""The values of a frame's column as Python objects; what Python cannot hold stops nothing, and is never shown."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import narwhals as nw

_EPOCH = date(1970, 1, 1).toordinal()
_DAYS = date.min.toordinal() - _EPOCH + 1, date.max.toordinal() - _EPOCH - 1  # a day less: zones may shift them
_PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_REACH = (1 << 63) - 1


class Unheld:
    """Stands for a value that Python cannot hold, such as a date in the year 20000 or a text that is not UTF-8."""


UNHELD = Unheld()


def values_of(series: nw.Series[Any]) -> list[object]:
    """Every value, :data:`UNHELD` where there is one that cannot be had."""
    if series.implementation.is_polars() and series.dtype in (nw.Date, nw.Datetime):
        unit = getattr(series.dtype, "time_unit", None)
        return _polars_moments(series.to_native(), 1 if unit is None else _PER_DAY[unit])
    if series.implementation.is_polars() and _counted(series.dtype) != series.dtype:
        return _polars_nested(series)
    return _listed(series)


def _listed(series: nw.Series[Any]) -> list[object]:
    """All at once or, where that fails, one half and the other: no value is had in another way for its neighbours."""
    try:
        return list(series.to_list())
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # a library written in Rust panics with no Exception
        middle = len(series) // 2
    return [*_listed(series[:middle]), *_listed(series[middle:])] if middle else [UNHELD]


def _polars_moments(series: Any, per_day: int) -> list[object]:
    """Moments far off are sorted out before they are asked for: of each the library would report on the screen."""
    first, last = (min(max(day * per_day, -_REACH), _REACH) for day in _DAYS)
    held = series.to_physical().is_between(first, last).fill_null(True)
    values = series.zip_with(held, series.clear(len(series))).to_list()
    return [value if known else UNHELD for value, known in zip(values, held.to_list(), strict=True)]


# ---- moments inside of lists and records -------------------------------------------------------------
def _polars_nested(series: nw.Series[Any]) -> list[object]:
    """Asked for as counts of days and of units since 1970, of which the library reports none; zones are left out."""
    return [_row_meant(row, series.dtype) for row in _listed(series.cast(_counted(series.dtype)))]


def _counted(dtype: nw.dtypes.DType) -> nw.dtypes.DType:
    """The type with numbers in the place of moments."""
    if isinstance(dtype, nw.List):
        return nw.List(_counted(_made(dtype.inner)))
    if isinstance(dtype, nw.Array):
        return nw.Array(_counted(_made(dtype.inner)), dtype.size)
    if isinstance(dtype, nw.Struct):
        return nw.Struct({field.name: _counted(_made(field.dtype)) for field in dtype.fields})
    return nw.Int64() if isinstance(dtype, nw.Date | nw.Datetime) else dtype


def _made(dtype: Any) -> nw.dtypes.DType:
    """A type, of which the class may stand for it."""
    made: nw.dtypes.DType = dtype() if isinstance(dtype, type) else dtype
    return made


def _row_meant(row: object, dtype: nw.dtypes.DType) -> object:
    try:
        return _meant(row, dtype)
    except OverflowError:
        return UNHELD


def _meant(value: Any, dtype: nw.dtypes.DType) -> object:
    """What a count means, at any depth."""
    if value is None or value is UNHELD:
        return value
    if isinstance(dtype, nw.List | nw.Array):
        return [_meant(part, _made(dtype.inner)) for part in value]
    if isinstance(dtype, nw.Struct):
        return {field.name: _meant(value[field.name], _made(field.dtype)) for field in dtype.fields}
    if isinstance(dtype, nw.Date):
        return date(1970, 1, 1) + timedelta(days=value)
    if isinstance(dtype, nw.Datetime):
        return datetime(1970, 1, 1) + timedelta(microseconds=value * _PER_DAY["us"] // _PER_DAY[dtype.time_unit])
    return value
