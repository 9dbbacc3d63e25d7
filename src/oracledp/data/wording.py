"""Tests of columns in words that people can read: nothing said twice, nothing that cannot be.

``disease >= 15 and disease >= 30`` is ``disease >= 30``, ``disease < 15 and disease >= 20`` is never so. Only words
change: a query keeps its parts. A negated test holds exactly where the test does not, missing values included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oracledp.data.literals import Literal

ALWAYS, NEVER = "always", "never"


def all_of(literals: Iterable[Literal]) -> str:
    """Literals joined by *and*, as short as they can be said.

    >>> all_of([Literal("age", ">=", 15), Literal("age", ">=", 30), Literal.boolean("smoker")])
    '(age >= 30) and smoker'
    >>> all_of([Literal("age", "<", 15), Literal("age", ">=", 20)]), all_of([])
    ('never', 'always')
    >>> all_of([Literal("age", ">=", 20), Literal.missing("age")])
    'never'
    """
    kept = reduced(literals)
    return NEVER if kept is None else joined(kept, " and ", ALWAYS)


def any_of(literals: Iterable[Literal]) -> str:
    """Literals joined by *or*, as short as they can be said.

    >>> any_of([Literal("age", ">=", 15), Literal("age", ">=", 30)]), any_of([])
    ('age >= 15', 'never')
    """
    kept = reduced(literal.negated() for literal in literals)
    return ALWAYS if kept is None else joined([literal.negated() for literal in kept], " or ", NEVER)


def joined(literals: Sequence[Literal], joint: str, empty: str) -> str:
    """Literals joined by any word: all are said."""
    return str(literals[0]) if len(literals) == 1 else joint.join(map(bracketed, literals)) or empty


def bracketed(literal: Literal) -> str:
    """A literal that stands among others: in brackets unless it is a single name."""
    return f"({literal})" if " " in str(literal) else str(literal)


def reduced(literals: Iterable[Literal]) -> list[Literal] | None:
    """The fewest of these literals that hold together exactly where all do; None where they never do.

    >>> [str(literal) for literal in reduced([Literal("job", "=", "cook"), Literal("job", "!=", "smith")])]
    ['job = cook']
    """
    kept: list[Literal] = []
    for literal in dict.fromkeys(literals):
        if any(_excludes(literal, other) for other in kept):
            return None
        if not any(_implies(other, literal) for other in kept):
            kept = [other for other in kept if not _implies(literal, other)]
            kept.append(literal)
    return kept


def _implies(one: Literal, other: Literal) -> bool:
    """Whether the other holds wherever this one does, as far as their words tell."""
    if one.column != other.column:
        return False
    if one == other:
        return True
    tests = (one.test, other.test)
    if tests in ((">=", ">="), ("<", "<")):
        return _at_least(one, other) if one.test == ">=" else _at_least(other, one)
    if one == Literal.missing(one.column):  # what is missing passes no test of a value, and so every negated one
        return other.test in ("<", "!=") or other == Literal.boolean(one.column).negated()
    if other == Literal.missing(one.column).negated():
        return one.test in (">=", "=") or one == Literal.boolean(one.column)
    return tests == ("=", "!=") and one.value != other.value


def _excludes(one: Literal, other: Literal) -> bool:
    """Whether the two never hold together: one implies the opposite of the other."""
    if one.column == other.column and one.test == other.test == "=":
        return one.value != other.value
    return _implies(one, other.negated()) or _implies(other, one.negated())


def _at_least(one: Literal, other: Literal) -> bool:
    """Whether a threshold is as great as another: numbers, or moments, whose texts are in their order."""
    if isinstance(one.value, str) and isinstance(other.value, str):
        return one.value >= other.value
    return float(one.value) >= float(other.value)
