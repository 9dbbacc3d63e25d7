"""The literals that a selection reads: few enough to search, chosen from the released one-ways alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracledp.data.literals import Literal, Literals
from oracledp.data.schema import Ordered, Schema
from oracledp.data.schema.columns import Column
from oracledp.synthesis.bins import Floats

_LEAST = 0.02  # share of records below which a literal, or its negation, can hide no large error


def chosen_literals(schema: Schema, marginals: Sequence[Floats], per_column: int, *, negations: bool) -> Literals:
    """At most ``per_column`` tests of each column: the heaviest values, or thresholds at even quantiles.

    With ``negations`` a threshold comes with its opposite, so that conjunctions can bound a column on both sides.

    >>> schema = Schema({"age": {"kind": "integer", "lo": 0, "hi": 3}, "sick": {"kind": "boolean"}})
    >>> masses = [np.full(4, 0.25), np.array([0.7, 0.3])]
    >>> [str(literal) for literal in chosen_literals(schema, masses, 2, negations=True)]
    ['age >= 2', 'age < 2', 'sick', 'not sick']
    """
    found: list[Literal] = []
    for column, mass in zip(schema.columns, marginals, strict=True):
        cut = isinstance(column, Ordered)
        tests = _thresholds(column, mass, per_column - 1) if cut else _values(column, mass, per_column)
        found += tests
        if negations and (cut or len(tests) == 1):
            found += [test.negated() for test in tests]
    # Where every column is all but constant, nothing large is left to find: any test will do.
    return Literals(tuple(found) or tuple(column.literals[0] for column in schema.columns))


def _thresholds(column: Column, mass: Floats, count: int) -> list[Literal]:
    """The thresholds nearest to even quantiles of those that hold for a share of the values that is neither tiny."""
    literals = list(column.value_literals)
    above = np.array([float(mass @ column.holds(literal)) for literal in literals])
    usable = np.flatnonzero((above >= _LEAST) & (above <= 1 - _LEAST))
    if not len(usable):
        return []
    wanted = np.arange(1, count + 1) / (count + 1)
    nearest = {int(usable[np.argmin(np.abs(above[usable] - share))]) for share in wanted}
    return [literals[place] for place in sorted(nearest)]


def _values(column: Column, mass: Floats, count: int) -> list[Literal]:
    """The heaviest values; of two complementary literals the first is enough."""
    literals = list(column.literals)
    share = np.array([float(mass @ column.holds(literal)) for literal in literals])
    heavy = [int(i) for i in np.argsort(-share, kind="stable")[:count] if _LEAST <= share[i] <= 1 - _LEAST]
    if column.size == 2:
        heavy = heavy[:1]
    return [literals[place] for place in sorted(heavy)]
