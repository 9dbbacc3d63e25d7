"""Which tests of a column have only one outcome left once another test of the same column has had its own."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals

_NEGATIVE = {"!=": "=", "<": ">=", "is not": "is"}


def decides(known: Literal, outcome: bool, other: Literal) -> bool:
    """Whether the outcome of one test decides the other, by what the two say alone.

    >>> forty, thirty = Literal("age", ">=", 40), Literal("age", ">=", 30)
    >>> decides(forty, True, thirty), decides(forty, False, thirty)
    (True, False)
    """
    if known.column != other.column:
        return False
    if known.test in _NEGATIVE:
        known, outcome = known.negated(), not outcome
    if other.test in _NEGATIVE:
        other = other.negated()
    if known == other:
        return True
    if known.test == other.test == ">=":
        return other.value <= known.value if outcome else other.value >= known.value  # type: ignore[operator]
    if known.test in ("=", "is") and outcome:  # it has this value, or none: every other test is known
        return True
    return outcome and other == Literal.missing(other.column)


def decided_table(literals: Literals) -> NDArray[np.uint8]:
    """``[f, outcome, g]``: whether this outcome of literal f decides literal g; every literal decides itself."""
    columns: dict[str, list[int]] = {}
    for number, literal in enumerate(literals):
        columns.setdefault(literal.column, []).append(number)
    found = np.zeros((len(literals), 2, len(literals)), dtype=np.uint8)
    for same in columns.values():
        for f, outcome, g in product(same, (0, 1), same):
            found[f, outcome, g] = decides(literals[f], bool(outcome), literals[g])
    return found


def count_trees(decided: NDArray[np.uint8], depth: int, labels: int) -> int:
    """How many trees of at most this depth there are, if no path makes a test that it has decided.

    Below a node all that matters is which tests are open there; sets of them are integers here.

    >>> count_trees(decided_table(Literals.named("a", "b")), 1, 2)
    10
    """
    literals = len(decided)
    kept = [[~sum(1 << g for g in range(literals) if decided[f, o, g]) for o in (0, 1)] for f in range(literals)]

    @cache
    def count(open_tests: int, left: int) -> int:
        if left == 0:
            return labels
        if left == 1:
            return labels + open_tests.bit_count() * labels * labels
        tests = (f for f in range(literals) if open_tests >> f & 1)
        return labels + sum(
            count(open_tests & kept[f][0], left - 1) * count(open_tests & kept[f][1], left - 1) for f in tests
        )

    return count((1 << literals) - 1, depth)
