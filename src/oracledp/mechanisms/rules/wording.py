"""From columns and wanted values to queries of the library's classes, which print, save and evaluate themselves."""

from __future__ import annotations

from collections.abc import Sequence

from oracledp.classes import DecisionLists, Parts, Query
from oracledp.literals import Literals
from oracledp.mechanisms.rules.conditions import Condition

Step = tuple[Condition, bool]  # where the condition holds, predict this


def _parts(condition: Condition, literals: Literals) -> Parts:
    """The numbers of the condition's tests among the literals and their negations."""
    place = {literal: number for number, literal in enumerate(literals.with_negations())}
    tests = (literals[column] if wanted else literals[column].negated() for column, wanted in condition)
    return tuple(sorted(place[test] for test in tests))


def decision_list(steps: Sequence[Step], default: bool, literals: Literals, *, length: int, width: int) -> Query:
    """The list whose first rule is the last override: the first condition that holds decides."""
    lists = DecisionLists(literals.with_negations(), length=length, width=width)
    number = {condition: place for place, condition in enumerate(lists.conditions)}
    rules = [2 * number[_parts(c, literals)] + int(label) for c, label in reversed(steps)]
    rules += [lists.stride - 1] * (length - len(rules))  # skipped
    default_part = lists.positions * lists.stride + int(default)
    return lists.query(*(place * lists.stride + rule for place, rule in enumerate(rules)), default_part)
