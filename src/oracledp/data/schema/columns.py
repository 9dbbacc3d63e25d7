"""What every column offers, and the two kinds without an order: boolean and categorical.

A column turns a value into a code ``0 .. size-1`` and a code into literals. Both are fixed by the schema,
so neither says anything about the data. A missing value is one extra code, the last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals
from oracledp.data.schema.trees import Tree
from oracledp.errors import ParameterError, SchemaError

Codes = NDArray[np.unsignedinteger[Any]]

MAX_SIZE = 10_000  # codes per column: literal tables are size × literals bytes
MISSING = "missing"


@dataclass(frozen=True, kw_only=True)
class Column(ABC):
    """One column of a schema. ``mark`` is the text that stands for a missing value in files, besides an empty one."""

    name: str
    nullable: bool = False
    mark: str | None = None
    kind: ClassVar[str]

    # ---- what a kind defines ---------------------------------------------------------------------
    @property
    @abstractmethod
    def value_labels(self) -> tuple[str, ...]:
        """How each code of a value is printed, in the order of the codes."""

    @property
    @abstractmethod
    def value_literals(self) -> tuple[Literal, ...]:
        """The literals of the values; each is false where the value is missing."""

    @abstractmethod
    def codes_where(self, literal: Literal) -> range | None:
        """The codes where a literal of this kind holds, or None when the schema has no such literal."""

    @abstractmethod
    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """A value for each code of a value; ``places`` in [0, 1) say where inside a bin."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The definition that parses back to this column."""

    # ---- what follows ----------------------------------------------------------------------------
    @cached_property
    def value_size(self) -> int:
        """How many codes stand for values."""
        return len(self.value_labels)

    @property
    def ordered(self) -> bool:
        """Whether the values are in the order of their codes, so that neighbours are alike."""
        return False

    @property
    def size(self) -> int:
        """How many codes there are: the values', and one more where the column may be missing."""
        return self.value_size + self.nullable

    @property
    def fallback(self) -> int:
        """The code of what cannot be read or is missing where it may not be: missing, else the first code."""
        return self.value_size if self.nullable else 0

    @property
    def labels(self) -> tuple[str, ...]:
        """How each code is printed."""
        return self.value_labels + ((MISSING,) if self.nullable else ())

    @cached_property
    def literals(self) -> Literals:
        """The column's literals in the order of its codes, ``is missing`` last."""
        return Literals(self.value_literals + ((Literal.missing(self.name),) if self.nullable else ()))

    def holds(self, literal: Literal) -> NDArray[np.uint8]:
        """Whether a literal of this column, or its negation, holds at each code.

        A negation is the exact complement: ``age < 40`` holds where age is missing, as ``not (age >= 40)``.
        """
        negative = literal.test in ("!=", "<", "is not")
        positive = literal.negated() if negative else literal
        where = self._where(positive)
        if where is None:
            raise ParameterError(f"column {self.name!r} of the schema has no literal '{literal}'")
        table = np.full(self.size, int(negative), dtype=np.uint8)
        table[where.start : where.stop] = int(not negative)
        return table

    def _where(self, positive: Literal) -> range | None:
        if positive == Literal.missing(self.name):
            return range(self.value_size, self.size) if self.nullable else None
        return self.codes_where(positive) if positive.column == self.name else None

    def literal_table(self) -> NDArray[np.uint8]:
        """Which of the column's literals hold at each code: size × literals, 0 or 1."""
        columns = [self.holds(literal) for literal in self.literals]
        return np.stack(columns, axis=1) if columns else np.zeros((self.size, 0), dtype=np.uint8)

    def decode(self, codes: Codes, places: NDArray[np.float64] | None = None) -> NDArray[Any]:
        """A value for each code, None for missing. The type follows the schema, never the codes.

        ``places`` in [0, 1) say where inside its bin a number lies; the middle by default. Whatever the
        place, the value encodes back to its code.
        """
        if codes.size and int(codes.max()) >= self.size:
            raise ParameterError(f"column {self.name!r} has the codes 0 to {self.size - 1} only")
        inside = np.full(codes.shape, 0.5) if places is None else places
        if not self.nullable:
            return self.decode_values(codes, inside)
        missing = codes == self.value_size
        values = self.decode_values(np.where(missing, 0, codes).astype(codes.dtype), inside).astype(object)
        values[missing] = None
        return values

    def _options(self, **given: Any) -> dict[str, Any]:
        """A definition with the defaults left out."""
        options = {**given, "nullable": self.nullable, "missing": self.mark}
        return {"kind": self.kind} | {
            key: value for key, value in options.items() if value is not None and value is not False
        }

    def refuse_size(self) -> None:
        """Refuse a column that says nothing, or too much for its tables to be held."""
        if not 2 <= self.size <= MAX_SIZE:
            why = "give it an 'other' or leave it out" if self.size == 1 else f"the most is {MAX_SIZE:,}"
            counted = "a single code" if self.size == 1 else f"{self.size:,} codes"
            raise SchemaError(f"column {self.name!r} has {counted}: {why}")


@dataclass(frozen=True, kw_only=True)
class Boolean(Column):
    """True or false: one literal, the column itself. ``spelling`` has the words for false and true in synthetic rows.

    >>> [str(literal) for literal in Boolean(name="married", nullable=True).literals]
    ['married', 'married is missing']
    """

    spelling: tuple[str, str] | None = None
    kind: ClassVar[str] = "boolean"

    @property
    def value_labels(self) -> tuple[str, ...]:
        """False, then true."""
        return ("false", "true")

    @property
    def value_literals(self) -> tuple[Literal, ...]:
        """The column itself."""
        return (Literal.boolean(self.name),)

    def codes_where(self, literal: Literal) -> range | None:
        """Code 1 for the column itself."""
        return range(1, 2) if literal == Literal.boolean(self.name) else None

    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """Code 1 is true; in the column's own words where it has some."""
        return np.equal(codes, 1) if self.spelling is None else np.array(self.spelling, dtype=object)[codes]

    def to_json(self) -> dict[str, Any]:
        """``{"kind": "boolean"}``, with ``spelling`` and ``nullable`` where set."""
        return self._options(spelling=None if self.spelling is None else list(self.spelling))


@dataclass(frozen=True, kw_only=True)
class Categorical(Column):
    """One of a list of values, all texts or all integers; ``other`` stands for everything not listed.

    Every value has a literal, also when there are only two: rules then speak of either by name. ``in_order`` says that
    the values are listed in an order that means something, such as grades. A ``tree`` has literals for its groups, too.

    >>> column = Categorical(name="education", values=("HS-grad", "Masters"), other="Other")
    >>> column.labels, str(column.literals[1])
    (('HS-grad', 'Masters', 'Other'), 'education = Masters')
    """

    values: tuple[str, ...] | tuple[int, ...]
    other: str | None = None
    in_order: bool = False
    tree: Tree | None = None
    kind: ClassVar[str] = "categorical"

    @property
    def ordered(self) -> bool:
        """As the schema says; in a tree neighbours are of one group, so that they merge first."""
        return self.in_order or self.tree is not None

    @property
    def numbers(self) -> bool:
        """Whether the listed values are integers, read as an integer column's are."""
        return isinstance(self.values[0], int)

    @cached_property
    def choices(self) -> tuple[str | int, ...]:
        """The listed values, then ``other`` where there is one: one per code."""
        return (*self.values, *(() if self.other is None else (self.other,)))

    @property
    def fallback(self) -> int:
        """Missing, else ``other``, else the first listed value."""
        return super().fallback if self.nullable or self.other is None else len(self.values)

    @cached_property
    def code_of_text(self) -> dict[str, int]:
        """The code of each listed value, by its text."""
        return {str(value): code for code, value in enumerate(self.values)}

    @property
    def value_labels(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(str(choice) for choice in self.choices)

    @property
    def value_literals(self) -> tuple[Literal, ...]:
        """``column = value`` for every value, ``other`` included, and for every group of its tree."""
        return tuple(Literal(self.name, "=", choice) for choice in (*self.choices, *self._groups))

    @cached_property
    def _groups(self) -> dict[str, range]:
        return {} if self.tree is None else dict(self.tree.groups)

    def codes_where(self, literal: Literal) -> range | None:
        """The one code of the value, or the codes of the group."""
        text = str(literal.value)
        if literal.test == "=" and text in self._groups:
            return self._groups[text]
        code = len(self.values) if text == self.other else self.code_of_text.get(text)
        return None if code is None or literal.test != "=" else range(code, code + 1)

    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """The values themselves."""
        dtype = np.int64 if self.numbers and self.other is None else object
        return np.array(self.choices, dtype=dtype)[codes]

    def to_json(self) -> dict[str, Any]:
        """The values, and ``other`` and ``nullable`` where set."""
        listed = list(self.values)
        if self.tree is None:
            return self._options(values=listed, other=self.other, ordered=self.in_order)
        written = self.tree.to_json()
        return self._options(values=listed if isinstance(written, str) else None, hierarchy=written, other=self.other)
