"""Conditions on records as users write them: literals such as ``age >= 40``, all of which must hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema import Schema

Conditions = str | Literal | Sequence[str | Literal]


def parse_conditions(conditions: Conditions, schema: Schema) -> tuple[Literal, ...]:
    """The literals of one text, one literal or a list of either.

    >>> schema = Schema({"age": {"kind": "integer", "lo": 0, "hi": 9, "thresholds": [5]}, "sick": {"kind": "boolean"}})
    >>> [str(literal) for literal in parse_conditions(["age >= 5", "not sick"], schema)]
    ['age >= 5', 'not sick']
    """
    items = [conditions] if isinstance(conditions, str | Literal) else list(conditions)
    return tuple(schema.literal(item) if isinstance(item, str) else item for item in items)


def allowed_codes(literals: Sequence[Literal], schema: Schema) -> list[NDArray[np.bool_]]:
    """For each column, the codes at which all its literals hold."""
    allowed = [np.ones(size, dtype=np.bool_) for size in schema.sizes]
    for literal in literals:
        allowed[schema.position(literal.column)] &= schema[literal.column].holds(literal).astype(np.bool_)
    return allowed
