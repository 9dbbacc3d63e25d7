"""What a schema does not know of a value, and the public code that stands for it all the same.

While records are counted a value that the schema does not know takes a code beyond the column's, its *flaw*. Afterwards
the flaws are settled by a rule that the schema alone decides, so that every row is one record whatever it holds and
whatever the other rows hold; or, where the values may be looked at, they are refused.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Categorical, Column, Moment, Ordered
from oracledp.data.schema.ordered import shown
from oracledp.errors import DataError


class Flaw(Enum):
    """Why a value has no code of its own. While records are counted, a flaw takes the code ``size + flaw.value``."""

    MISSING = 0
    MALFORMED = 1
    UNLISTED = 2
    BELOW = 3
    ABOVE = 4
    ROUNDED = 5
    """A number that an integer column rounds down. Its code lies one ``base`` above what it is rounded to."""


def base(column: Column) -> int:
    """How many codes and flaws there are; a number that was rounded down takes its code plus this."""
    return column.size + Flaw.ROUNDED.value


def span(column: Column) -> int:
    """How many codes there can be while records are counted."""
    return 2 * base(column) if column.kind == "integer" else base(column)


def flaw_code(column: Column, flaw: Flaw) -> int:
    """The code that marks a flaw until it is settled."""
    return column.size + flaw.value


def missing_code(column: Column) -> int:
    """The code of a missing value: the last one, or a flaw."""
    return column.value_size if column.nullable else flaw_code(column, Flaw.MISSING)


def malformed_code(column: Column) -> int:
    """The code of a value that cannot be read; no such value is on a list of categories."""
    return flaw_code(column, Flaw.UNLISTED if isinstance(column, Categorical) else Flaw.MALFORMED)


# ---- settling ------------------------------------------------------------------------------------------
def flaw_table(column: Column) -> NDArray[np.int8]:
    """The flaw that each code marks, -1 for none."""
    plain = np.append(np.full(column.size, -1), np.arange(Flaw.ROUNDED.value))
    rounded = np.where(plain < 0, Flaw.ROUNDED.value, plain)
    return np.append(plain, rounded)[: span(column)].astype(np.int8)


def settled_table(column: Column) -> NDArray[np.int32]:
    """The code of the column that stands for each code and flaw: the total function of docs/schema.md."""
    settled = [*range(column.size), *(_settled(column, flaw) for flaw in Flaw if flaw is not Flaw.ROUNDED)]
    return np.array(settled * 2, dtype=np.int32)[: span(column)]


def _settled(column: Column, flaw: Flaw) -> int:
    if flaw is Flaw.UNLISTED and isinstance(column, Categorical) and column.other is not None:
        return len(column.values)
    return {Flaw.BELOW: 0, Flaw.ABOVE: column.value_size - 1}.get(flaw, column.fallback)


def refused_flaws(column: Column) -> NDArray[np.bool_]:
    """Which flaws a strict reading refuses: all but those that the schema itself provides for."""
    provided = {Flaw.UNLISTED} if isinstance(column, Categorical) and column.other is not None else set()
    provided |= {Flaw.BELOW, Flaw.ABOVE} if isinstance(column, Ordered) and column.clip else set()
    return np.array([flaw not in provided for flaw in Flaw])


def refused_codes(column: Column) -> list[int]:
    """The codes that a strict reading refuses."""
    refused = np.append(refused_flaws(column), False)  # -1, no flaw, is the last
    return np.flatnonzero(refused[flaw_table(column)]).tolist()


def outcome_words(column: Column, flaw: Flaw) -> str:
    """What becomes of a value with a flaw."""
    return "rounded down" if flaw is Flaw.ROUNDED else column.labels[_settled(column, flaw)]


# ---- words ---------------------------------------------------------------------------------------------
def flaw_error(column: Column, flaws: NDArray[np.int64], first: str | None) -> DataError:
    """The error about a column with so many rows of each flaw; ``first`` says where, in a source with an order."""
    found = [
        f"{rows} {'row is' if rows == 1 else 'rows are'} {flaw_words(column, flaw)}"
        for flaw, rows in zip(Flaw, flaws.tolist(), strict=True)
        if rows
    ]
    place = "" if first is None else f"; the first at {first}"
    return DataError(f"column {column.name!r}: {'; '.join(found)}{place}")


def flaw_words(column: Column, flaw: Flaw) -> str:
    """What is wrong with a value, in words that name nothing but the schema."""
    words: dict[Any, str] = {
        Flaw.MISSING: "missing, and the column is not nullable",
        Flaw.UNLISTED: "not among the listed values",
        Flaw.ROUNDED: "not a whole number",
    }
    if isinstance(column, Ordered):
        lo, hi = (column.shown(int(n)) if isinstance(column, Moment) else shown(n) for n in (column.lo, column.hi))
        words[Flaw.BELOW], words[Flaw.ABOVE] = f"below the bound {lo}", f"above the bound {hi}"
        if isinstance(column, Moment):
            words[Flaw.MALFORMED] = f"not a {column.kind} in the format {column.format}"
    truth = column.kind == "boolean"
    return words.get(flaw, "not true or false, yes or no, 1 or 0" if truth else "not a finite number")
