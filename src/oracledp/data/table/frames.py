"""Frames of any library to codes, through narwhals: pandas, polars, pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Column, Schema
from oracledp.data.schema.number_marks import POINT, NumberMarks
from oracledp.data.table.arrays import CODE, encode_array
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.flaws import malformed_code, refused_codes
from oracledp.data.table.frame_values import values_of
from oracledp.data.table.persons import EXACT, id_text, kept_rows
from oracledp.data.table.unit import ROWS, Unit
from oracledp.data.table.values import Family, code_of
from oracledp.errors import DataError

_NOTHING = ("NAType", "NaTType")  # how pandas says that there is no value, besides None and NaN


def encode_frame(frame: object, schema: Schema, unit: Unit = ROWS) -> Encoded:
    """A frame's rows as codes and flaws, in the schema's order of columns; of a person's rows those that are kept."""
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
    _refuse_missing(set(native.columns), schema, unit, "the frame")
    marks = schema.file.marks
    codes = [encode_series(native[column.name], column, marks) for column in schema.columns]
    return _bounded(schema, codes, unit, None if unit.person is None else values_of(native[unit.person]))


def encode_columns(columns: Mapping[str, Sequence[object]], schema: Schema, unit: Unit = ROWS) -> Encoded:
    """The same for columns of plain values."""
    _refuse_missing(set(columns), schema, unit, "the columns")
    codes = [_encode_objects(column, list(columns[column.name]), schema.file.marks) for column in schema.columns]
    return _bounded(schema, codes, unit, None if unit.person is None else columns[unit.person])


def _refuse_missing(present: set[str], schema: Schema, unit: Unit, title: str) -> None:
    for name in (*schema.names, *([] if unit.person is None else [unit.person])):
        if name not in present:
            raise DataError(f"column {name!r} is missing from {title}")


def _bounded(schema: Schema, codes: list[NDArray[np.int32]], unit: Unit, ids: Sequence[object] | None) -> Encoded:
    """The rows, or of each person's rows those that are kept."""
    rows, persons = codes, []
    if ids is not None:
        places = kept_rows(unit, ids, codes)
        rows, persons = [column[places] for column in codes], [id_text(ids[place]) or "" for place in places]
    return Encoded(schema, rows, None, lambda index: _first_row(schema.columns[index], codes[index]), unit, persons)


def _first_row(column: Column, codes: NDArray[np.int32]) -> str:
    return f"row {int(np.argmax(np.isin(codes, refused_codes(column)))) + 1}"


def encode_series(series: nw.Series[Any], column: Column, marks: NumberMarks = POINT) -> NDArray[np.int32]:
    """The code of each entry, flaws included. The type of a frame's column follows from its values: none is refused.

    In pandas one row without a value makes doubles of a column of whole numbers, and nobody's code may hang on that: so
    those that doubles do not hold are read there as doubles, however they are stored.
    """
    family, rounds = _family(series.dtype), series.implementation.is_pandas()
    if family is Family.OBJECTS:
        values = values_of(series)
        return _encode_objects(column, [_as_double(value) for value in values] if rounds else values, marks)
    missing = series.is_null().to_numpy().astype(np.bool_)
    numbers = series.fill_null(False if family is Family.BOOLEANS else 0).to_numpy()
    codes = encode_array(column, numbers, missing)
    if family is Family.INTEGERS and rounds:
        large = (numbers > EXACT) | (numbers < -EXACT)
        codes[large] = encode_array(column, numbers[large].astype(np.float64), missing[large])
    return codes


def _as_double(value: object) -> object:
    """Numbers of more than 64 bits are stored as objects whatever the other rows hold."""
    return float(value) if isinstance(value, Integral) and EXACT < abs(int(value)) < 1 << 64 else value


def _family(dtype: nw.dtypes.DType) -> Family:
    if isinstance(dtype, nw.Int128 | nw.UInt128):
        return Family.OBJECTS
    if dtype == nw.Boolean:
        return Family.BOOLEANS
    if dtype.is_integer():
        return Family.INTEGERS
    if dtype.is_float():
        return Family.FLOATS
    return Family.OBJECTS


class _Memo(dict[Any, int]):
    """The code of each different value, worked out once. True, 1 and 1.0 are different here."""

    def __init__(self, column: Column, marks: NumberMarks) -> None:
        self.column, self.marks = column, marks

    def __missing__(self, typed: tuple[type, object]) -> int:
        kind, value = typed
        self[typed] = code = code_of(self.column, None if kind.__name__ in _NOTHING else value, self.marks)
        return code


def _encode_objects(column: Column, values: list[object], marks: NumberMarks) -> NDArray[np.int32]:
    memo = _Memo(column, marks)
    return np.fromiter((_code(memo, value) for value in values), dtype=CODE, count=len(values))


def _code(memo: _Memo, value: object) -> int:
    with suppress(Exception):
        return memo[type(value), value]
    with suppress(Exception):  # a list, or another object that has no hash, or fails to tell it
        return code_of(memo.column, value, memo.marks)
    return malformed_code(memo.column)
