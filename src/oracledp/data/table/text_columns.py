"""Rows as texts, before there is a schema: how often each text stands in each column. Private but for names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from oracledp.data.schema import Schema
from oracledp.data.schema.number_marks import POINT, NumberMarks
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError


@dataclass(frozen=True, repr=False)
class TextColumns:
    """For each column the number of rows that hold each text, None where there is no value.

    ``names`` count as public; ``counts`` are as private as the rows, and every row is in each column once. ``marks``
    are those of numbers. ``typed`` says that the kind of source stores truth values as such: here they are ``true`` and
    ``false``.
    """

    names: tuple[str, ...]
    counts: tuple[dict[str | None, int], ...] = field(repr=False)
    marks: NumberMarks = POINT
    typed: bool = False

    @property
    def rows(self) -> int:
        """The exact number of rows: public under replace-one, **private** under add/remove-one."""
        return sum(self.counts[0].values()) if self.counts else 0

    def __repr__(self) -> str:
        return f"TextColumns({', '.join(self.names)})"


@dataclass(frozen=True, repr=False)
class TextRows(ABC):
    """Rows that were read once, each with one text or none in every column. All of it is private but the names.

    What is counted of the texts and what a schema makes of them are two views of these rows: no row has another text
    in the one than in the other. ``unit`` says whose rows were bounded; the column that tells persons apart is not
    among the names.
    """

    names: tuple[str, ...]
    marks: NumberMarks = POINT
    unit: Unit = ROWS

    @abstractmethod
    def counted(self, names: Sequence[str]) -> TextColumns:
        """How often each text stands in each of these columns."""

    @abstractmethod
    def encoded(self, schema: Schema) -> Encoded:
        """The rows as codes and flaws: the schema reads these texts as those of a CSV file."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.names)})"


def distinct_names(names: Iterable[object]) -> tuple[str, ...]:
    """The names of a source's columns, which must be texts and differ."""
    listed = tuple(names)
    texts = tuple(name for name in listed if isinstance(name, str))
    if len(texts) != len(listed):
        raise DataError("the name of every column must be a text")
    if len(set(texts)) != len(texts):
        raise DataError("two columns have the same name")
    if not texts:
        raise DataError("there are no columns")
    return texts


def person_place(names: Sequence[str], unit: Unit) -> int:
    """The place of the column that tells persons apart."""
    if unit.person not in names:
        raise DataError(f"column {unit.person!r}, which tells persons apart, is missing")
    if len(names) < 2:
        raise DataError("there is no column beside the one that tells persons apart")
    return names.index(unit.person)
