"""What conditions can say of a column, for whoever asked something else: always one line, and public."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from oracledp.data.schema import Boolean, Categorical, Column, Moment, Ordered
from oracledp.data.schema.cells import EQUAL, Cells, number_in
from oracledp.data.schema.columns import MISSING
from oracledp.data.schema.named_columns import Said, nearest, unquoted
from oracledp.data.schema.ordered import exactly, shown

_ORDERED_TESTS = (">=", ">", "<", "<=", *EQUAL)
_ALIKE = ("=", "==", "!=")
_LISTED = 8
_OR = re.compile(r"\sor\s", re.IGNORECASE)


def refusal(text: str, said: Said) -> str:
    """Why a text that speaks of a column is no condition on it, and what would be one."""
    column, value = said.column, unquoted(said.value)
    if said.test in ("is", "is not") and value == MISSING and not column.nullable:
        return f"'{text}': column {column.name!r} is never missing"
    number = number_in(value, column) if isinstance(column, Ordered) and said.test in _ORDERED_TESTS else None
    if number is not None and isinstance(column, Ordered):
        return f"'{text}': column {column.name!r} {_of_number(column, said, number)}"
    if isinstance(column, Categorical) and said.test in _ALIKE:
        return f"'{text}': column {column.name!r} has no value {value!r}; {_of_values(column, value)}"
    either = ", and conditions are joined by 'and' alone" if _OR.search(value) else ""
    return f"'{text}': column {column.name!r} {_usage(column)}{either}"


def _of_number(column: Ordered, said: Said, number: Fraction) -> str:
    cells = Cells.of(column)
    if cells is None:
        numbers = _thresholds_near(column, number) if said.test in (">=", "<") else []
        return _near(said, numbers) if numbers else _usage(column)
    beyond = cells.beyond(said.test, number)
    if beyond is not None:
        many = "all" if beyond != said.negated else "none"
        return f"goes from {cells.written(0)} to {cells.written(cells.last)}, so this holds for {many} of its values"
    if cells.literals(said.test, number) is not None:
        return "has no opposite of =: ask for < or for >"
    cell = cells.around(number) if said.test in EQUAL else ()
    if cell:
        name = column.name.strip()
        return f"has no cell for {said.value} alone; possible: '{' and '.join(f'{name} {end}' for end in cell)}'"
    numbers = cells.near(said.test, number)
    return _near(said, numbers) if numbers else _usage(column)


def _near(said: Said, numbers: Sequence[str]) -> str:
    return f"cannot be cut there; possible near {unquoted(said.value)}: {', '.join(dict.fromkeys(numbers))}"


def _thresholds_near(column: Ordered, number: Fraction) -> list[str]:
    below = [cut for cut in column.cuts if exactly(cut) <= number]
    return [shown(cut) for cut in (*below[-1:], *column.cuts[len(below) :][:1])]


def _of_values(column: Categorical, value: str) -> str:
    values = [str(literal.value) for literal in column.value_literals]
    close = nearest(value, values)
    if close is not None:
        return f"did you mean {close!r}?"
    return f"it takes = and != with one of {', '.join(values[:_LISTED])}{', …' if values[_LISTED:] else ''}"


def _usage(column: Column) -> str:
    """The tests of a column, and an example."""
    name = column.name.strip()
    missing = f", or '{name} is missing'" if column.nullable else ""
    if isinstance(column, Boolean):
        return f"is true or false: write '{name}' or 'not {name}'{missing}"
    if isinstance(column, Ordered):
        return f"{_comparisons(column)}{missing}"
    example = str(column.value_literals[0].value).strip()
    return f"takes = and != with one of its values, such as '{name} = {example}'{missing}"


def _comparisons(column: Ordered) -> str:
    cells, cuts = Cells.of(column), column.value_literals
    if not cuts:
        return "has no thresholds"
    tests = ">= and <" if cells is None else ">=, >, <, <= and ="
    middle = (
        str(cuts[len(cuts) // 2].value) if cells is None else cells.written(int(cells.starts[len(cells.starts) // 2]))
    )
    return f"takes {tests} with {_what(column, cells)}, such as '{column.name.strip()} >= {middle}'"


def _what(column: Ordered, cells: Cells | None) -> str:
    """What stands after a test."""
    if cells is None:
        listed = ", ".join(shown(cut) for cut in column.cuts[:_LISTED])
        return f"one of its thresholds ({listed}{', …' if column.cuts[_LISTED:] else ''})"
    word = column.kind if isinstance(column, Moment) else "number"
    return f"a {word} from {cells.written(0)} to {cells.written(cells.last)}"
