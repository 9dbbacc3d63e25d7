"""What can be wrong with a value, and the one sentence about it: column, rows and place, never the value."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import DataError
from oracledp.schema import Categorical, Column, Ordered
from oracledp.schema.ordered import shown


class Flaw(Enum):
    """Why a value has no code. While records are counted, a flaw takes the code ``size + flaw.value``."""

    MISSING = 0
    MALFORMED = 1
    OUTSIDE = 2


def flaw_code(column: Column, flaw: Flaw) -> int:
    """The code that marks a flaw until the column is checked."""
    return column.size + flaw.value


def missing_code(column: Column) -> int:
    """The code of a missing value: the last one, or a flaw."""
    return column.value_size if column.nullable else flaw_code(column, Flaw.MISSING)


def unlisted_code(column: Categorical) -> int:
    """The code of a value that is not listed: ``other``, or a flaw."""
    return flaw_code(column, Flaw.OUTSIDE) if column.other is None else len(column.values)


def malformed_code(column: Column) -> int:
    """The code of a value that cannot be read; no such value is on a list of categories."""
    return unlisted_code(column) if isinstance(column, Categorical) else flaw_code(column, Flaw.MALFORMED)


def first_flawed(columns: Sequence[Column], codes: Sequence[NDArray[Any]]) -> int | None:
    """The first column with a flaw."""
    flawed = (index for index, column in enumerate(columns) if np.any(codes[index] >= column.size))
    return next(flawed, None)


def flaw_error(column: Column, codes: NDArray[Any], counts: NDArray[np.int64] | None, first: str | None) -> DataError:
    """The error about a flawed column; ``first`` says where the first flaw is, in a source with an order."""
    found = []
    for flaw in Flaw:
        here = codes == flaw_code(column, flaw)
        rows = int(np.count_nonzero(here)) if counts is None else int(counts[here].sum())
        if rows:
            found.append(f"{rows} {'row is' if rows == 1 else 'rows are'} {_words(column, flaw)}")
    place = "" if first is None else f"; the first at {first}"
    return DataError(f"column {column.name!r}: {'; '.join(found)}{place}")


def _words(column: Column, flaw: Flaw) -> str:
    if flaw is Flaw.MISSING:
        return "missing, and the column is not nullable"
    if flaw is Flaw.OUTSIDE and isinstance(column, Ordered):
        return f"outside the bounds {shown(column.lo)} to {shown(column.hi)}"
    if flaw is Flaw.OUTSIDE:
        return "not among the listed values"
    return {
        "boolean": "not true or false, yes or no, 1 or 0",
        "integer": "not a whole number",
        "numeric": "not a finite number",
    }[column.kind]
