"""The meaning of one value: what counts as a number, a truth value, a category or missing.

This is the reference that the array and SQL encoders agree with. Text is matched verbatim for categories;
numbers and truth values may stand between blanks, and an empty text or NaN there is a missing value. Every value of
every type has a meaning; what the schema does not know is a flaw (``flaws``).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from enum import Enum
from numbers import Integral

import numpy as np

from oracledp.data.schema import Boolean, Categorical, Column, Integer, Moment, Ordered
from oracledp.data.schema.number_marks import LONGEST_NUMBER, POINT, NumberMarks
from oracledp.data.schema.ordered import REACH
from oracledp.data.table.flaws import Flaw, base, flaw_code, missing_code

# The same patterns serve Python and every SQL engine, always over the whole text: hence no backslash, which each
# engine's literals treat otherwise, only plain groups, and no flag for upper and lower case, which engines fold
# differently outside ASCII. 38 digits are what 128-bit integers and decimals always hold; the length and the exponent
# of a number are kept within what PostgreSQL's numeric holds.
_BLANKS = "[ \t]*"
LONGEST_INTEGER = 38  # digits
INTEGER_TEXT = f"{_BLANKS}[+-]?[0-9]{{1,{LONGEST_INTEGER}}}([.]0*)?{_BLANKS}"
NUMBER_TEXT = f"{_BLANKS}[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{{1,4}})?{_BLANKS}"
TRUE_TEXT = f"{_BLANKS}([Tt][Rr][Uu][Ee]|[Yy][Ee][Ss]|1([.]0)?){_BLANKS}"
FALSE_TEXT = f"{_BLANKS}([Ff][Aa][Ll][Ss][Ee]|[Nn][Oo]|0([.]0)?){_BLANKS}"
NO_VALUE_TEXT = f"{_BLANKS}([Nn][Aa][Nn])?{_BLANKS}"


class Family(Enum):
    """The storage types that a source may have, in words."""

    BOOLEANS = "booleans"
    INTEGERS = "integers"
    FLOATS = "floating-point numbers"
    DECIMALS = "decimal numbers"
    TEXTS = "texts"
    OBJECTS = "objects of any type"


def says_numbers(column: Column) -> bool:
    """Whether texts in a column are numbers, with the marks of the schema's files."""
    if isinstance(column, Categorical):
        return column.numbers
    return isinstance(column, Ordered) and not isinstance(column, Moment)


def code_of(column: Column, value: object, marks: NumberMarks = POINT) -> int:
    """The code of one value, or of its flaw; numbers in texts have these marks."""
    if isinstance(value, complex | np.complexfloating) and value.imag == 0:
        value = value.real  # one complex number makes a whole column of numpy's complex
    if isinstance(value, str) and value == column.mark:
        return missing_code(column)
    if isinstance(value, str) and says_numbers(column):
        value = marks.plain(value)
    if isinstance(column, Categorical):
        return _category(column, value)
    if isinstance(column, Moment):
        found: object = _moment(column, value)
    elif isinstance(column, Boolean):
        found = _truth(value)
    else:
        found = _floor(value) if isinstance(column, Integer) else _number(value)
    if found is None:
        return missing_code(column)
    if isinstance(found, Flaw):
        return flaw_code(column, found)
    if isinstance(found, _Rounded):
        return base(column) + _place(column, found.down)
    return int(found is True) if isinstance(column, Boolean) else _place(column, found)


def _moment(column: Moment, value: object) -> int | Flaw | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    found = column.count_of(value)
    if found is None:
        return _no_value(value) if isinstance(value, str) else Flaw.MALFORMED
    return found


def _place(column: Column, number: object) -> int:
    assert isinstance(column, Ordered)
    assert isinstance(number, int | float)
    if not column.lo <= number <= column.hi:
        return flaw_code(column, Flaw.BELOW if number < column.lo else Flaw.ABOVE)
    if column.grid is None:
        return bisect_right(column.cuts, number)
    return int(column.place(np.array([number]))[0])


def _category(column: Categorical, value: object) -> int:
    if column.numbers:
        found = _floor(value)
        if found is None:
            return missing_code(column)
        return _listed(column, _digits(found))
    text = _text(value)
    if text is None or (text == "" and "" not in column.code_of_text):
        return missing_code(column)
    return _listed(column, text)


def _listed(column: Categorical, text: str) -> int:
    return column.code_of_text.get(text, flaw_code(column, Flaw.UNLISTED))


def _text(value: object) -> str | None:
    """A text, or the digits of a whole number; anything else is no listed text (NUL is refused in schemas)."""
    if isinstance(value, str):
        return value
    whole = _floor(value)
    return None if whole is None else _digits(whole)


def _digits(whole: object) -> str:
    """Python writes no integer of more than 4,300 digits, and no schema lists one."""
    return str(whole) if isinstance(whole, int) and whole.bit_length() < 1024 else "\0"


def _truth(value: object) -> bool | Flaw | None:
    if isinstance(value, str):
        true, false = (re.fullmatch(pattern, value) for pattern in (TRUE_TEXT, FALSE_TEXT))
        return bool(true) if true or false else _no_value(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    number = _number(value)
    if number is None or isinstance(number, Flaw):
        return number
    return value == 1 if value in (0, 1) else Flaw.MALFORMED  # a decimal near 1 is not 1


@dataclass(frozen=True)
class _Rounded:
    """A number that is not whole, rounded down."""

    down: int


def _floor(value: object) -> int | _Rounded | Flaw | None:
    """A whole number, however it is stored, or what a number is rounded down to; None where there is none."""
    if isinstance(value, str):
        if re.fullmatch(INTEGER_TEXT, value):
            return int(value.partition(".")[0])
        number = _number(value)
        return _Rounded(_clamped(Decimal(number))) if isinstance(number, float) else number
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if not isinstance(value, float | Decimal | np.floating):
        return None if value is None else Flaw.MALFORMED
    exact = Decimal(float(value)) if not isinstance(value, Decimal) else value  # may be beyond every float
    if exact.is_nan():
        return None
    if not exact.is_finite():
        return Flaw.MALFORMED
    whole = exact == exact.to_integral_value()
    return _clamped(exact) if whole else _Rounded(_clamped(exact))


def _clamped(exact: Decimal) -> int:
    """Rounded down, and beyond every bound of a schema where it is larger."""
    return int(max(min(exact, Decimal(REACH)), Decimal(-REACH)).to_integral_value(ROUND_FLOOR))


def _number(value: object) -> float | Flaw | None:
    """A finite 64-bit float, however it is stored; None where there is none."""
    if isinstance(value, str):
        if len(value) > LONGEST_NUMBER or not re.fullmatch(NUMBER_TEXT, value):
            return _no_value(value)
    elif isinstance(value, bool) or not isinstance(value, Integral | float | Decimal | np.floating):
        return None if value is None else Flaw.MALFORMED
    if isinstance(value, Decimal) and value.is_nan():
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        return Flaw.MALFORMED
    if math.isnan(number):
        return None
    return number if math.isfinite(number) else Flaw.MALFORMED


def _no_value(text: str) -> Flaw | None:
    return None if re.fullmatch(NO_VALUE_TEXT, text) else Flaw.MALFORMED
