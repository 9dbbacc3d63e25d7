"""Which rows of a person are kept: a choice that looks random, is fixed, and knows no other person's rows.

A person's rows are ranked by a digest of the id and the encoded row, and the first few are kept. The digest holds no
secret, so every engine, and every reading of the same rows in any order, keeps the same ones. What is no id
(missing, empty, a truth value, a number that is not whole or too large to be exact everywhere) leaves a row out:
rows of unknown persons put together would let one person's rows push out another's (proofs/persons.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import md5
from numbers import Integral
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from oracledp.data.table.dialects import Dialect
from oracledp.data.table.unit import Unit
from oracledp.data.table.values import Family
from oracledp.errors import DataError

EXACT = (1 << 53) - 1  # a column of integers becomes one of floats where one is missing: beyond, ids would run together
_TRUTH = {"true": 1.0, "false": 0.0}
_WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")  # integers that are read as digits elsewhere


# ---- rows in memory ----------------------------------------------------------------------------------
def kept_rows(unit: Unit, ids: Sequence[object], columns: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
    """The places of the rows that are kept, of rows with these ids and codes.

    >>> kept_rows(Unit("id"), ["a", "b", "a", None, 7], [np.array([1, 1, 0, 1, 1])]).tolist()
    [0, 1, 4]
    """
    rows: dict[str, list[int]] = {}
    for place, value in enumerate(ids):
        if (person := id_text(value)) is not None:
            rows.setdefault(person, []).append(place)
    kept: list[int] = []
    for person, places in rows.items():
        if len(places) > unit.rows:
            records = [(_rank(person, record), record, place) for place in places for record in [_at(columns, place)]]
            places = [place for _, _, place in sorted(records)[: unit.rows]]
        kept += places
    return np.array(sorted(kept), dtype=np.intp)


def digests(values: Sequence[object]) -> NDArray[np.int64]:
    """A number for what each value says, for values that have no code.

    It is the same whatever type a library gave the column because of other rows: 7, 7.0 and "7" are one.

    >>> one, two, three, other = digests([7, 7.0, "7", "a"]).tolist()
    >>> one == two == three, one == other
    (True, False)
    """
    return np.array([_number(value) for value in values], dtype=np.int64)


def _number(value: object) -> int:
    try:
        number = float(_TRUTH.get(str(value).lower(), value))  # type: ignore[arg-type]
        said = "" if number != number else repr(number)
    except Exception:  # no number, or whatever a value does when it is asked
        said = f"={value}" if isinstance(value, str) else ""
    return int(md5(said.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:15], 16)


def id_text(value: object) -> str | None:
    """What a value says as an id: a text as it is, a whole number by its digits; None if it is no id.

    >>> [id_text(value) for value in ("7", 7, 7.0, Decimal("7.0"), 7 + 0j, 7.5, "", True, None, 2**60, 7j)]
    ['7', '7', '7', '7', '7', None, None, None, None, None, None]
    """
    try:
        return _id(value)
    except Exception:  # whatever a value does when it is asked
        return None


def _id(value: object) -> str | None:
    if isinstance(value, complex | np.complexfloating) and value.imag == 0:
        value = value.real  # one complex number makes complex ones of a whole column
    if isinstance(value, str):
        return str.__str__(value) or None  # not a text of a type of its own, which may fail where it is looked up
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral | float | Decimal | np.floating):
        return None
    number = (
        value if isinstance(value, Decimal) else Decimal(int(value) if isinstance(value, Integral) else float(value))
    )
    if not number.is_finite() or abs(number) > EXACT or number != number.to_integral_value():
        return None
    return str(int(number))


def _at(columns: Sequence[NDArray[Any]], place: int) -> tuple[int, ...]:
    return tuple(int(codes[place]) for codes in columns)


def _rank(person: str, record: tuple[int, ...]) -> str:
    text = f"{person}|{','.join(map(str, record))}"
    return md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


# ---- rows in an engine -------------------------------------------------------------------------------
@dataclass(frozen=True)
class PersonsInSql:
    """The same choice as SQL: an id beside every row, ranks within an id, and the condition on them."""

    unit: Unit
    place: str
    type_name: str
    dialect: Dialect

    def __post_init__(self) -> None:
        if self.dialect.family(self.type_name) is None and self._kind != "UUID":
            raise DataError(
                f"column {self.unit.person!r}: the type {self.type_name} is not supported; convert it to text first"
            )

    @property
    def _kind(self) -> str:
        return self.type_name.upper().split("(")[0].strip()

    def reading(self) -> str:
        """``id AS person``, NULL where there is none."""
        return f"{self._text()} AS person"

    def ranking(self, codes: Sequence[str]) -> str:
        """``rank AS place`` among the rows of a person; rows that tie are equal."""
        words = self.dialect
        digits = " || ',' || ".join(f"CAST({code} AS {words.text_type})" for code in codes)
        rank = words.digest(f"person || '|' || {digits}")
        return f"row_number() OVER (PARTITION BY person ORDER BY {rank}, {', '.join(codes)}) AS place"

    @property
    def kept(self) -> str:
        """The condition on ranked rows."""
        return f"place <= {self.unit.rows}"

    def _text(self) -> str:
        words, column = self.dialect, self.dialect.name(self.place)
        nothing = f"CAST(NULL AS {words.text_type})"
        family = words.family(self.type_name)
        if self._kind in _WIDE or family is Family.INTEGERS:
            digits = words.as_text(column)
            return digits if words.declared else f"CASE WHEN {_exact(column)} THEN {digits} ELSE {nothing} END"
        source = words.source(self.type_name, column)
        if family is Family.BOOLEANS:
            return nothing
        if family is Family.TEXTS:
            return f"NULLIF({source}, '')"
        if family is None:
            return words.as_text(column)
        if family is Family.FLOATS:
            condition, whole = words.whole_of_float(source)
        else:
            condition, whole = words.is_whole(source), words.whole_of_decimal(source)
        return f"CASE WHEN {condition} AND {_exact(source)} THEN {words.as_text(whole)} ELSE {nothing} END"


def _exact(number: str) -> str:
    return f"{number} BETWEEN -{EXACT} AND {EXACT}"
