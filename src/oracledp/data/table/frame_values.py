"""The values of a frame's column as Python objects; what Python cannot hold stops nothing, and is never shown."""

from __future__ import annotations

from datetime import date
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
