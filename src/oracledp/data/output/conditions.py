"""Conditions on records as users write them: literals such as ``age >= 40``, all of which must hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema import Moment, Ordered, Schema
from oracledp.data.schema.ordered import plain
from oracledp.errors import ParameterError

_FINE = re.compile(r"\s*(.+?)\s*(>=|<)\s*([^\s<>=].*?)\s*")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
Conditions = str | Literal | Sequence[str | Literal]


def parse_conditions(conditions: Conditions, schema: Schema) -> tuple[Literal, ...]:
    """The literals of one text, one literal or a list of either; numbers at a resolution and dates take any threshold.

    >>> schema = Schema({"age": {"kind": "integer", "lo": 0, "hi": 9, "thresholds": [5]}, "sick": {"kind": "boolean"}})
    >>> [str(literal) for literal in parse_conditions(["age >= 5", "not sick"], schema)]
    ['age >= 5', 'not sick']
    >>> str(parse_conditions("age < 77", Schema({"age": "integer 0..9999 by 1"}))[0])
    'age < 77'
    """
    items = [conditions] if isinstance(conditions, str | Literal) else list(conditions)
    return tuple(_literal(item, schema) if isinstance(item, str) else item for item in items)


def _literal(text: str, schema: Schema) -> Literal:
    """A literal of the schema; of a number with a resolution also one at any other number where a cell begins."""
    try:
        return schema.literal(text)
    except ParameterError:
        found = _FINE.fullmatch(text)
        column = schema[found[1]] if found is not None and found[1] in schema else None
        if found is None or not isinstance(column, Ordered):
            raise
        number = _NUMBER.fullmatch(found[3]) is not None and not isinstance(column, Moment)
        value = plain(float(found[3])) if number else found[3]
        if column.fine_code(value) is None:
            raise
        return Literal(column.name, found[2], value)


def allowed_codes(literals: Sequence[Literal], schema: Schema) -> list[NDArray[np.bool_]]:
    """For each column, the codes at which all its literals hold."""
    allowed = [np.ones(size, dtype=np.bool_) for size in schema.sizes]
    for literal in literals:
        allowed[schema.position(literal.column)] &= schema[literal.column].holds(literal).astype(np.bool_)
    return allowed
