"""Conditions on records as users write them: texts such as ``age >= 40 and smoker``, all of which must hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.output.possible import refusal
from oracledp.data.schema import Boolean, Categorical, Moment, Ordered, Schema
from oracledp.data.schema.cells import Cells, number_in
from oracledp.data.schema.columns import MISSING
from oracledp.data.schema.named_columns import Said, meant, readings, unquoted
from oracledp.errors import ParameterError

_AND = re.compile(r"\sand\s", re.IGNORECASE)
_JOINT = re.compile(r"(?=(\sand\s))", re.IGNORECASE)  # of 'job = and and sick' both
_IS, _IS_NOT = ("=", "==", "is"), ("!=", "is not")
_TRUTHS = ("false", "true")
Conditions = str | Literal | Sequence[str | Literal]
Found = tuple[Literal, ...]


def parse_conditions(conditions: Conditions, schema: Schema) -> Found:
    """The literals of one text, one literal or a list of either.

    Beyond the literals of the schema a text may say ``>``, ``<=`` and ``=`` of numbers, dates and durations, at any
    end of a cell in which they are stored, and several conditions joined by ``and``.

    >>> schema = Schema({"age": {"kind": "integer", "lo": 0, "hi": 9, "thresholds": [5]}, "sick": {"kind": "boolean"}})
    >>> [str(literal) for literal in parse_conditions(["age > 4", "not sick"], schema)]
    ['age >= 5', 'not sick']
    >>> [str(literal) for literal in parse_conditions("age = 77", Schema({"age": "integer 0..9999 by 1"}))]
    ['age >= 77', 'age < 78']
    """
    items = [conditions] if isinstance(conditions, str | Literal) else list(conditions)
    found: list[Literal] = []
    for item in items:
        if not isinstance(item, str | Literal):
            raise ParameterError("a condition is a text such as 'age >= 40', or a Literal")
        found += [item] if isinstance(item, Literal) else _joined(item, schema)
    return tuple(found)


def _joined(text: str, schema: Schema) -> Found:
    """The whole text if it is one condition, else those that it joins: a name or a value may hold an ``and`` itself."""
    joints = [(0, 0), *(found.span(1) for found in _JOINT.finditer(text)), (len(text), len(text))]
    whole = _condition(text, schema)
    if whole is not None:
        return whole
    last = len(joints) - 1
    said: dict[int, Found | None] = {last: ()}  # what a text says from each joint on
    for begin in range(last - 1, -1, -1):
        said[begin] = None
        for end in range(begin + 1, last + 1):
            after = said[end]
            part = _condition(text[joints[begin][1] : joints[end][0]], schema) if after is not None else None
            if part is not None and after is not None:
                said[begin] = (*part, *after)
                break
    found = said[0]
    return _refused(text, schema) if found is None else found


def _refused(text: str, schema: Schema) -> Found:
    """An error about the first part that is no condition."""
    wrong = next(part.strip() for part in (*_AND.split(text), text) if _condition(part, schema) is None)
    if not wrong:
        raise ParameterError("an empty text is no condition; write one such as 'age >= 40'")
    raise ParameterError(refusal(wrong, meant(wrong, schema.columns)))


def _condition(text: str, schema: Schema) -> Found | None:
    """What one condition says; a date in its column's own format before one in the usual format."""
    if not text.strip():
        return None
    first = next(readings(text, schema.columns), None)
    own = _meaning(first) if first is not None and isinstance(first.column, Moment) else None
    if own is not None:
        return own
    try:
        return (schema.literal(text),)
    except ParameterError:
        found = (_meaning(said) for said in readings(text, schema.columns))
        return next((literals for literals in found if literals is not None), None)


def _meaning(said: Said) -> Found | None:
    """The literals that together say a test of a column; None where none do."""
    found = next((literals for value in _spellings(said.value) for literals in _tested(said, value)), None)
    if found is None or not said.negated:
        return found
    return (found[0].negated(),) if len(found) == 1 else None


def _spellings(value: str) -> tuple[str, ...]:
    """A value as it stands, then without the quotes around it."""
    return (value,) if unquoted(value) == value else (value, unquoted(value))


def _tested(said: Said, value: str) -> Iterator[Found]:
    column, test = said.column, said.test
    if value == MISSING and test in ("is", "is not") and column.nullable:
        missing = Literal.missing(column.name)
        yield (missing if test == "is" else missing.negated(),)
    if isinstance(column, Ordered) and test not in ("", "!=", "is", "is not"):
        yield from _compared(column, test, value)
    if isinstance(column, Categorical) and test in ("=", "==", "!="):
        close = [literal for literal in column.value_literals if str(literal.value).strip() == value.strip()]
        exact = [literal for literal in close if str(literal.value) == value]
        for literal in exact[:1] or (close if len(close) == 1 else []):
            yield (literal.negated() if test == "!=" else literal,)
    if isinstance(column, Boolean):
        yield from _truth(column, test, value)


def _compared(column: Ordered, test: str, value: str) -> Iterator[Found]:
    """At the ends of cells; without these at thresholds."""
    number, cells = number_in(value, column), Cells.of(column)
    found = None if number is None or cells is None else cells.literals(test, number)
    if found is not None:
        yield found
    elif number is not None and test in (">=", "<"):
        for cut, threshold in zip(column.cuts, column.value_literals, strict=True):
            if cut == float(number) and not isinstance(column, Moment):
                yield (threshold if test == ">=" else threshold.negated(),)


def _truth(column: Boolean, test: str, value: str) -> Iterator[Found]:
    """The column itself, or its opposite where nothing is missing."""
    held, present = Literal.boolean(column.name), (Literal.missing(column.name).negated(),) if column.nullable else ()
    words = [_TRUTHS] if column.spelling is None else [column.spelling, _TRUTHS]
    truth = next((bool(pair.index(word)) for pair in words for word in (value, value.lower()) if word in pair), None)
    if test == "":
        yield (held,)
    elif truth is not None and test in _IS:
        yield (held,) if truth else (held.negated(), *present)
    elif truth is not None and test in _IS_NOT and (truth or not column.nullable):
        yield (held.negated() if truth else held,)


def allowed_codes(literals: Sequence[Literal], schema: Schema) -> list[NDArray[np.bool_]]:
    """For each column, the codes at which all its literals hold."""
    allowed = [np.ones(size, dtype=np.bool_) for size in schema.sizes]
    for literal in literals:
        allowed[schema.position(literal.column)] &= schema[literal.column].holds(literal).astype(np.bool_)
    return allowed
