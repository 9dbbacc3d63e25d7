"""What holds in every row of a table and every synthetic one: order of columns, sums, dependencies, implications.

All of it is public, as the rest of a schema is. Real rows are not checked: a failure would tell about the data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema.columns import Column
from oracledp.data.schema.conditions import DenyRule, parse_literal, refuse_idle, write_literal
from oracledp.data.schema.grid import Grid
from oracledp.data.schema.moments import Moment
from oracledp.data.schema.ordered import Ordered
from oracledp.errors import ParameterError, SchemaError

Places = NDArray[np.float64]
Tables = Mapping[str, NDArray[np.int64]]  # of dependencies: the code of the target for each code of the source


@dataclass(frozen=True)
class AtMost:
    """``lower <= upper`` between two ordered columns; it holds where either is missing."""

    lower: str
    upper: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Both columns."""
        return self.lower, self.upper

    def to_json(self, columns: Sequence[Column]) -> Any:
        """As it is written."""
        return f"{self.lower} <= {self.upper}"


@dataclass(frozen=True)
class Sum:
    """``total = part + part``: the total follows from the parts, and is missing where one of them is."""

    total: str
    parts: tuple[str, ...]

    @property
    def derived(self) -> str:
        """The column that follows from others."""
        return self.total

    @property
    def sources(self) -> tuple[str, ...]:
        """The others."""
        return self.parts

    def to_json(self, columns: Sequence[Column]) -> Any:
        """As it is written."""
        return f"{self.total} = {' + '.join(self.parts)}"


@dataclass(frozen=True)
class Determines:
    """``source -> target``: each value of one column fixes that of another, by a public table or by what was released.

    ``table`` holds the target's code for each code of the source; without one the likeliest by the model is taken.
    """

    source: str
    target: str
    table: tuple[int, ...] | None = None

    @property
    def derived(self) -> str:
        """The column that follows from the other."""
        return self.target

    @property
    def sources(self) -> tuple[str, ...]:
        """The other."""
        return (self.source,)

    def to_json(self, columns: Sequence[Column]) -> Any:
        """As it is written, with its table if it has one."""
        words = f"{self.source} -> {self.target}"
        if self.table is None:
            return words
        source, target = (next(c for c in columns if c.name == name) for name in (self.source, self.target))
        pairs = zip(source.value_labels, self.table, strict=False)
        return {words: {label: target.value_labels[code] for label, code in pairs}}


@dataclass(frozen=True)
class Implies:
    """``literal and literal -> literal``: rows that meet the premises meet the conclusion."""

    premises: tuple[Literal, ...]
    conclusion: Literal

    @property
    def rule(self) -> DenyRule:
        """What may then not occur together."""
        return (*self.premises, self.conclusion.negated())

    def to_json(self, columns: Sequence[Column]) -> Any:
        """As a text where every literal is clear as one, else as lists."""
        parts = [write_literal(literal, columns) for literal in (*self.premises, self.conclusion)]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) < len(parts):
            raise SchemaError("key 'constraints': a literal of an implication has no clear text; use 'deny'")
        return f"{' and '.join(texts[:-1])} -> {texts[-1]}"


Constraint = AtMost | Sum | Determines | Implies
FORMS = "'a <= b', 'total = a + b', 'city -> state' (with a table or without), 'literal and literal -> literal'"


def parse_constraints(entry: object, columns: Sequence[Column]) -> tuple[Constraint, ...]:
    """The constraints of a schema: texts, or a dependency with its table as a mapping of one key."""
    if not isinstance(entry, Sequence) or isinstance(entry, str):
        raise SchemaError(f"key 'constraints': must be a list; each may be {FORMS}")
    found: list[Constraint] = []
    for number, item in enumerate(entry, start=1):
        try:
            found.append(_parse(item, {column.name: column for column in columns}))
            _refuse_tangle(found)
        except ParameterError as error:
            raise SchemaError(f"key 'constraints', number {number}: {error}") from None
    return tuple(found)


def _parse(item: object, columns: Mapping[str, Column]) -> Constraint:
    table: object = None
    if isinstance(item, Mapping) and len(item) == 1:
        ((item, table),) = item.items()
        if not isinstance(table, Mapping):
            raise ParameterError("a dependency's table must map each value of its first column to one of its second")
    if not isinstance(item, str):
        raise ParameterError(f"must be {FORMS}")
    both = [side.strip() for side in item.split("->")]
    if len(both) == 2 and all(side in columns for side in both):
        return _dependency(columns[both[0]], columns[both[1]], table)
    if table is not None:
        raise ParameterError(f"{item!r}: only 'column -> column' has a table")
    sides = [side.strip() for side in item.split("<=")]
    if len(sides) == 2 and all(side in columns for side in sides):
        return _order(columns[sides[0]], columns[sides[1]])
    total, _, rest = (side.strip() for side in item.partition("="))
    parts = [part.strip() for part in re.split(r"\s\+\s", rest)]
    if total in columns and all(part in columns for part in parts):
        return _sum(columns[total], [columns[part] for part in parts])
    if len(both) == 2:
        return _implication(both, list(columns.values()))
    raise ParameterError(f"{item!r} is none of {FORMS}; the columns are {', '.join(columns)}")


def _order(lower: Column, upper: Column) -> AtMost:
    if not isinstance(lower, Ordered) or not isinstance(upper, Ordered) or _unit(lower) != _unit(upper):
        raise ParameterError(f"{lower.name!r} and {upper.name!r} must be two numbers, two dates or two time stamps")
    if lower.lo > upper.hi or lower.name == upper.name:
        raise ParameterError(f"no record can have {lower.name!r} at most {upper.name!r} within their bounds")
    return AtMost(lower.name, upper.name)


def _unit(column: Ordered) -> object:
    return column.unit if isinstance(column, Moment) else None


def _sum(total: Column, parts: Sequence[Column]) -> Sum:
    for column in (total, *parts):
        if not isinstance(column, Ordered) or isinstance(column, Moment) or column.grid is None:
            raise ParameterError(f"{column.name!r} must be a number with a resolution to be part of a sum")
        if column.nullable and not total.nullable:
            raise ParameterError(f"{total.name!r} must be nullable, since {column.name!r} is")
    grids, whole = [grid_of(part) for part in parts], grid_of(total)
    lo, hi = sum(grid.lo for grid in grids), sum(grid.lo + grid.last * grid.resolution for grid in grids)
    if any((step / whole.resolution).denominator > 1 for step in (lo - whole.lo, *(g.resolution for g in grids))):
        raise ParameterError(f"sums of {' + '.join(p.name for p in parts)} do not fall on the steps of {total.name!r}")
    if lo < whole.lo or hi > whole.lo + whole.last * whole.resolution:
        raise ParameterError(f"{total.name!r} must reach from {float(lo):g} to {float(hi):g}, as its parts do")
    return Sum(total.name, tuple(part.name for part in parts))


def grid_of(column: Column) -> Grid:
    """The grid of a column that was checked to have one."""
    assert isinstance(column, Ordered)
    assert column.grid is not None
    return column.grid


def _dependency(source: Column, target: Column, table: object) -> Determines:
    if source.name == target.name or isinstance(source, Ordered) or isinstance(target, Ordered):
        raise ParameterError(f"{source.name!r} and {target.name!r} must be two columns of categories or booleans")
    if source.nullable and not target.nullable:
        raise ParameterError(f"{target.name!r} must be nullable, since {source.name!r} is")
    if not isinstance(table, Mapping):
        return Determines(source.name, target.name)
    given = {_word(key): _word(value) for key, value in table.items()}
    for label in source.value_labels:
        if given.get(label) not in target.value_labels:
            raise ParameterError(f"the table has no value of {target.name!r} for {label!r}")
    for label in given.keys() - set(source.value_labels):
        raise ParameterError(f"the table has {label!r}, which is no value of {source.name!r}")
    codes = [target.value_labels.index(given[label]) for label in source.value_labels]
    missing = [target.size - 1] if source.nullable else []
    return Determines(source.name, target.name, (*codes, *missing))


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _implication(sides: Sequence[str], columns: Sequence[Column]) -> Implies:
    premises = tuple(parse_literal(part, columns) for part in re.split(r"\sand\s", sides[0]))
    found = Implies(premises, parse_literal(sides[1], columns))
    refuse_idle(found.rule, columns)
    return found


def _refuse_tangle(found: Sequence[Constraint]) -> None:
    """Refuse a column that follows from others twice, or from one that follows from it or is settled later."""
    settled: set[str] = set()
    read: set[str] = set()
    for constraint in found:
        if isinstance(constraint, Sum | Determines):
            if constraint.derived in settled or constraint.derived in read or constraint.derived in constraint.sources:
                raise ParameterError(f"{constraint.derived!r} already follows from others, or others from it")
            settled.add(constraint.derived)
            read.update(constraint.sources)


def amounts(column: Column, codes: NDArray[np.int64], places: Places) -> NDArray[np.float64]:
    """The numbers that codes stand for, as floats, and NaN where a value is missing."""
    assert isinstance(column, Ordered)
    missing = codes >= column.value_size
    numbers = column.amounts(np.where(missing, 0, codes).astype(np.uint32), places).astype(np.float64)
    return np.where(missing, np.nan, numbers)
