"""Unit: whose rows stand or fall together, each row by itself or all rows of a person (proofs/persons.md)."""

from __future__ import annotations

from dataclasses import dataclass

from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.exact.numbers import whole

MOST_ROWS_PER_PERSON = 1000


@dataclass(frozen=True)
class Unit:
    """What a guarantee protects: a row, or a person, told by the column ``person``, with at most ``rows`` rows kept.

    >>> Unit(), Unit("patient_id", 3)
    (Unit(person=None, rows=1), Unit(person='patient_id', rows=3))
    """

    person: str | None = None
    rows: int = 1

    @classmethod
    def of(cls, person: str | None, rows_per_person: int | None, schema: Schema | None) -> Unit:
        """What a user asked for; a column that tells persons apart is never one to learn from."""
        if person is None:
            if rows_per_person is not None:
                raise ParameterError("rows_per_person needs person, the column that tells persons apart")
            return ROWS
        if not isinstance(person, str) or not person:
            raise ParameterError("person must be the name of a column")
        if schema is not None and person.lower() in (name.lower() for name in schema.names):
            raise ParameterError(f"column {person!r} tells persons apart: take it out of the schema")
        rows = 1 if rows_per_person is None else rows_per_person
        return cls(person, whole(rows, "rows_per_person", most=MOST_ROWS_PER_PERSON))

    @property
    def name(self) -> str:
        """How a ledger names it."""
        return "row" if self.person is None else "person"


ROWS = Unit()
