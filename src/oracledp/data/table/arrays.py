"""Whole columns of numbers and truth values to codes at once, without leaving integer arithmetic for integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Boolean, Categorical, Column, Integer, Moment, Ordered
from oracledp.data.schema.ordered import REACH
from oracledp.data.table.flaws import Flaw, base, flaw_code, malformed_code, missing_code

Mask = NDArray[np.bool_]
CODE = np.int32  # holds every code and every flaw of every column


def encode_array(column: Column, values: NDArray[Any], missing: Mask) -> NDArray[np.int32]:
    """The code of each number or truth value, flaws included; ``missing`` entries of ``values`` are ignored."""
    if values.dtype.kind == "f":
        missing = missing | np.isnan(values)
    if isinstance(column, Moment) or (values.dtype.kind == "b" and not isinstance(column, Boolean)):
        codes = np.full(len(values), malformed_code(column), dtype=CODE)
    elif isinstance(column, Ordered) and not isinstance(column, Integer):
        codes = _encode_numbers(column, values)
    else:
        codes = _encode_whole(column, values, missing)
    codes[missing] = missing_code(column)
    return codes


def _encode_whole(column: Column, values: NDArray[Any], missing: Mask) -> NDArray[np.int32]:
    whole, rounded, malformed = _floor(values, missing)
    if isinstance(column, Ordered):
        codes = _place(column, whole)
        codes[rounded] += base(column)
    else:
        codes = _look_up(column, whole)
        malformed = malformed | rounded
    codes[malformed] = malformed_code(column)
    return codes


def _floor(values: NDArray[Any], missing: Mask) -> tuple[NDArray[np.int64], Mask, Mask]:
    """Numbers rounded down and clamped to ±REACH, beyond every bound; where one was not whole; where not finite."""
    if values.dtype.kind == "f":
        malformed = ~missing & ~np.isfinite(values)
        usable = np.where(malformed | missing, 0.0, values)
        near = np.clip(usable, -float(REACH), float(REACH))
        down = np.floor(near)
        return down.astype(np.int64), near != down, malformed
    if values.dtype == np.uint64:
        values = np.minimum(values, np.uint64(REACH))
    none = np.zeros(len(values), dtype=np.bool_)
    return np.clip(values.astype(np.int64), -REACH, REACH), none, none


def _encode_numbers(column: Ordered, values: NDArray[Any]) -> NDArray[np.int32]:
    numbers = values.astype(np.float64)
    finite = np.isfinite(numbers)
    codes = _place(column, np.where(finite, numbers, column.lo))
    codes[~finite] = flaw_code(column, Flaw.MALFORMED)
    return codes


def _place(column: Ordered, numbers: NDArray[Any]) -> NDArray[np.int32]:
    codes = column.place(np.clip(numbers, column.lo, column.hi)).astype(CODE)
    codes[numbers < column.lo] = flaw_code(column, Flaw.BELOW)
    codes[numbers > column.hi] = flaw_code(column, Flaw.ABOVE)
    return codes


def _look_up(column: Column, whole: NDArray[np.int64]) -> NDArray[np.int32]:
    """Codes of a boolean or categorical column from whole numbers."""
    known = sorted(_code_of_integer(column).items())
    codes = np.full(len(whole), malformed_code(column), dtype=CODE)
    if known:
        keys, found = (np.array(side, dtype=np.int64) for side in zip(*known, strict=True))
        nearest = np.minimum(np.searchsorted(keys, whole), len(keys) - 1)
        hit = keys[nearest] == whole
        codes[hit] = found[nearest[hit]]
    return codes


def _code_of_integer(column: Column) -> dict[int, int]:
    if not isinstance(column, Categorical):
        return {0: 0, 1: 1}
    texts = column.code_of_text.items()
    digits = ((text, code) for text, code in texts if text.removeprefix("-").isdecimal() and text.isascii())
    return {int(text): code for text, code in digits if str(int(text)) == text and abs(int(text)) < REACH}
