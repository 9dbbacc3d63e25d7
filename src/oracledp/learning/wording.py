"""From columns and wanted values to queries of the library's classes, which print, save and evaluate themselves."""

from __future__ import annotations

from collections.abc import Sequence

from oracledp.classes import DecisionLists, Query
from oracledp.data.literals import Literal, Literals
from oracledp.learning.conditions import Condition

Step = tuple[Condition, bool]  # where the condition holds, predict this


def decision_list(steps: Sequence[Step], default: bool, literals: Literals, *, length: int, width: int) -> Query:
    """The list whose first rule is the last override: the first condition that holds decides.

    Its class speaks only of the literals that the list uses, so it stays small whatever the table.
    """
    tests = [[_test(literals, column, wanted) for column, wanted in condition] for condition, _ in steps]
    used = Literals(tuple(dict.fromkeys(test for condition in tests for test in condition)) or literals.items[:1])
    lists = DecisionLists(used, length=length, width=width)
    place = {literal: number for number, literal in enumerate(used)}
    number = {condition: index for index, condition in enumerate(lists.conditions)}
    rules = [
        2 * number[tuple(sorted(place[test] for test in condition))] + int(label)
        for condition, (_, label) in zip(reversed(tests), reversed(steps), strict=True)
    ]
    rules += [lists.stride - 1] * (length - len(rules))  # skipped
    default_part = lists.positions * lists.stride + int(default)
    return lists.query(*(position * lists.stride + rule for position, rule in enumerate(rules)), default_part)


def _test(literals: Literals, column: int, wanted: bool) -> Literal:
    return literals[column] if wanted else literals[column].negated()
