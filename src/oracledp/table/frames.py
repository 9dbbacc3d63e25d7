"""Frames of any library to codes, through narwhals: pandas, polars, pyarrow."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from oracledp.errors import DataError
from oracledp.schema import Column, Schema
from oracledp.table.arrays import CODE, encode_array
from oracledp.table.flaws import first_flawed, flaw_error, missing_code
from oracledp.table.values import Family, code_of, refuse_family


def encode_frame(frame: object, schema: Schema) -> list[NDArray[np.int32]]:
    """The codes of a frame, column by column, in the schema's order; refused at the first flaw."""
    native: nw.DataFrame[Any] | None = None
    problem = f"a pandas, polars or pyarrow table is needed, not {type(frame).__module__}.{type(frame).__name__}"
    try:
        native = nw.from_native(frame, eager_only=True)
    except nw.exceptions.DuplicateError:
        problem = "two columns of the frame have the same name"
    except (TypeError, nw.exceptions.NarwhalsError):
        pass
    if native is None:
        raise DataError(problem)
    present = set(native.columns)
    for column in schema.columns:
        if column.name not in present:
            raise DataError(f"column {column.name!r} is missing from the frame")
    codes = [encode_series(native[column.name], column) for column in schema.columns]
    flawed = first_flawed(schema.columns, codes)
    if flawed is not None:
        column = schema.columns[flawed]
        row = int(np.argmax(codes[flawed] >= column.size)) + 1
        raise flaw_error(column, codes[flawed], None, f"row {row}")
    return codes


def encode_series(series: nw.Series[Any], column: Column) -> NDArray[np.int32]:
    """The code of each entry, flaws included."""
    family = _family(series.dtype)
    refuse_family(column, family, str(series.dtype))
    missing = series.is_null().to_numpy().astype(np.bool_)
    if family in (Family.BOOLEANS, Family.INTEGERS, Family.FLOATS):
        filled = series.fill_null(False if family is Family.BOOLEANS else 0)
        return encode_array(column, filled.to_numpy(), missing)
    return _encode_objects(column, series.to_list(), missing)


def _family(dtype: nw.dtypes.DType) -> Family | None:
    if isinstance(dtype, nw.Int128 | nw.UInt128 | nw.Object | nw.Unknown | nw.Categorical | nw.Enum):
        return Family.OBJECTS
    if dtype == nw.Boolean:
        return Family.BOOLEANS
    if dtype.is_integer():
        return Family.INTEGERS
    if dtype.is_float():
        return Family.FLOATS
    if dtype.is_decimal():
        return Family.DECIMALS
    return Family.TEXTS if dtype == nw.String else None


class _Memo(dict[Any, int]):
    """The code of each different value, worked out once. True, 1 and 1.0 are different here."""

    def __init__(self, column: Column) -> None:
        self.column = column

    def __missing__(self, typed: tuple[type, object]) -> int:
        self[typed] = code = code_of(self.column, typed[1])
        return code


def _encode_objects(column: Column, values: list[object], missing: NDArray[np.bool_]) -> NDArray[np.int32]:
    memo = _Memo(column)
    absent = missing_code(column)
    pairs = zip(values, missing.tolist(), strict=True)
    codes = (absent if gone else _code(memo, value) for value, gone in pairs)
    return np.fromiter(codes, dtype=CODE, count=len(values))


def _code(memo: _Memo, value: object) -> int:
    try:
        return memo[type(value), value]
    except TypeError:  # a list or another unhashable object
        return code_of(memo.column, value)
