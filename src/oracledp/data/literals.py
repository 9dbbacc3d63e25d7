"""Named boolean inputs: what a query class sees of a schema, and how a rule is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from oracledp.errors import ModelError, ParameterError

_OPPOSITE = {"=": "!=", "!=": "=", ">=": "<", "<": ">=", "is": "is not", "is not": "is"}


@dataclass(frozen=True)
class Literal:
    """A test of one column: ``age >= 40``, ``education = Masters``, ``smoker is true``, ``income is missing``.

    >>> str(Literal("age", ">=", 40)), str(Literal("age", ">=", 40).negated())
    ('age >= 40', 'age < 40')
    """

    column: str
    test: str
    value: str | int | float

    def __post_init__(self) -> None:
        if self.test not in _OPPOSITE:
            raise ParameterError(f"unknown test {self.test!r} in a literal; known: {', '.join(_OPPOSITE)}")

    @classmethod
    def boolean(cls, column: str) -> Literal:
        """The literal that is the boolean column itself."""
        return cls(column, "is", "true")

    @classmethod
    def missing(cls, column: str) -> Literal:
        """The literal that holds where a nullable column has no value."""
        return cls(column, "is", "missing")

    def negated(self) -> Literal:
        """The opposite test."""
        return Literal(self.column, _OPPOSITE[self.test], self.value)

    def __str__(self) -> str:
        if self.test == "is" and self.value == "true":
            return self.column
        if self.test == "is not" and self.value == "true":
            return f"not {self.column}"
        return f"{self.column} {self.test} {self.value}"


@dataclass(frozen=True)
class Literals(Sequence[Literal]):
    """An ordered set of distinct literals: the boolean coordinates of a query class.

    >>> [str(literal) for literal in Literals.named("a", "b").with_negations()]
    ['a', 'b', 'not a', 'not b']
    """

    items: tuple[Literal, ...]

    def __post_init__(self) -> None:
        if len(set(self.items)) != len(self.items):
            raise ParameterError("literals must be distinct")

    @classmethod
    def named(cls, *columns: str) -> Literals:
        """Plain boolean columns."""
        return cls(tuple(Literal.boolean(column) for column in columns))

    def with_negations(self) -> Literals:
        """These literals followed by the negation of each that is not already there."""
        present = set(self.items)
        negated = (literal.negated() for literal in self.items)
        return Literals(self.items + tuple(literal for literal in negated if literal not in present))

    def without(self, column: str) -> Literals:
        """These literals but for those of one column (the target, say)."""
        return Literals(tuple(literal for literal in self.items if literal.column != column))

    @overload
    def __getitem__(self, index: int) -> Literal: ...
    @overload
    def __getitem__(self, index: slice) -> Literals: ...
    def __getitem__(self, index: int | slice) -> Literal | Literals:
        return Literals(self.items[index]) if isinstance(index, slice) else self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Literal]:
        return iter(self.items)

    def to_json(self) -> list[list[Any]]:
        """``[column, test, value]`` for each literal."""
        return [[literal.column, literal.test, literal.value] for literal in self.items]

    @classmethod
    def from_json(cls, data: Iterable[Sequence[Any]]) -> Literals:
        """Read what :meth:`to_json` wrote."""
        try:
            return cls(tuple(Literal(str(column), str(test), value) for column, test, value in data))
        except (TypeError, ValueError) as error:
            raise ModelError("literals must be a list of [column, test, value]") from error
