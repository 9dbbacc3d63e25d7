"""Literals written as text, and the deny rules that are conjunctions of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from oracledp.data.literals import Literal
from oracledp.data.schema.columns import Boolean, Column
from oracledp.data.schema.named_columns import meant, spoken
from oracledp.data.schema.ordered import Ordered
from oracledp.errors import ParameterError, SchemaError

_MOST_LOOKED, _MOST_NAMES = 100_000, 200  # partial records that are looked at, and columns that rules may name for it

DenyRule = tuple[Literal, ...]

_HUGE = re.compile(r"[eE][+-]?[0-9]{4}")
_TEST = re.compile(r"\s*(!=|=|>=|<(?!=)|is\s+not\b|is\b)(.*)", re.DOTALL)


def parse_literal(text: str, columns: Sequence[Column]) -> Literal:
    """The literal of these columns that a text means: ``married``, ``not married``, ``age >= 25``, ``income=>50K``.

    Names may hold spaces and signs; where several names fit, the longest wins. Blanks around a value do not
    matter unless two values differ by them alone.
    """
    bare = text.strip()
    for name, column in spoken(columns):
        found = _of_column(bare, text, name, column)
        if found is None and bare.startswith("not "):
            found = _of_column(bare.removeprefix("not ").lstrip(), text, name, column)
            found = None if found is None else found.negated()
        if found is not None:
            return found
    raise ParameterError(f"'{text}' is not a literal of the schema; {_offered(meant(text, columns).column)}")


def _of_column(bare: str, text: str, name: str, column: Column) -> Literal | None:
    if bare == name and isinstance(column, Boolean):
        return Literal.boolean(column.name)
    parsed = _TEST.fullmatch(bare.removeprefix(name)) if bare.startswith(name) else None
    if parsed is None:
        return None
    test, value = " ".join(parsed[1].split()), parsed[2].strip()
    both = (sign for literal in column.literals for sign in (literal, literal.negated()))
    close = [literal for literal in both if literal.test == test and _same(value, literal.value, column)]
    verbatim = [literal for literal in close if str(literal) == text]
    return verbatim[0] if verbatim else close[0] if len(close) == 1 else None


def _same(text: str, value: str | int | float, column: Column) -> bool:
    if not isinstance(column, Ordered) or isinstance(value, str):  # the text of a missing value
        return text == str(value).strip()
    if _HUGE.search(text):  # no number of a schema, and slow to read
        return False
    try:
        return (float(text) if isinstance(value, float) else Fraction(text)) == value
    except (ValueError, ZeroDivisionError):
        return False


def _offered(column: Column) -> str:
    """What rules may say of a column."""
    if isinstance(column, Ordered):
        return f"the thresholds of {column.name!r} are {', '.join(str(found.value) for found in column.value_literals)}"
    return f"the literals of {column.name!r} are {', '.join(str(literal) for literal in column.literals)}"


def write_literal(literal: Literal, columns: Sequence[Column]) -> str | list[Any]:
    """The literal's text, or ``[column, test, value]`` where odd names make the text mean another one."""
    try:
        clear = parse_literal(str(literal), columns) == literal
    except ParameterError:
        clear = False
    return str(literal) if clear else [literal.column, literal.test, literal.value]


def parse_deny(entry: object, columns: Sequence[Column]) -> tuple[DenyRule, ...]:
    """The deny rules of a schema: each a list of literals that no record may satisfy together."""
    if not isinstance(entry, Sequence) or isinstance(entry, str):
        raise SchemaError("key 'deny': must be a list of rules, each a list of literals")
    rules = tuple(_parse_rule(number, rule, columns) for number, rule in enumerate(entry, start=1))
    refuse_contradiction(rules, columns)
    return rules


def refuse_contradiction(rules: Sequence[DenyRule], columns: Sequence[Column]) -> None:
    """Refuse rules that leave no record at all: otherwise a release would be paid for before that shows.

    Codes of a column that no rule tells apart count as one. Rules that take too long to look through pass.
    """
    known = {column.name: column for column in columns}
    names = sorted({literal.column for rule in rules for literal in rule})
    tests = {name: sorted({lit for rule in rules for lit in rule if lit.column == name}, key=str) for name in names}
    held = {
        name: np.unique(np.stack([known[name].holds(test) for test in tests[name]], axis=1), axis=0).tolist()
        for name in names
    }
    looked = 0

    def leaves_a_record(place: int, open_rules: Sequence[DenyRule]) -> bool:
        nonlocal looked
        looked += 1
        if not open_rules or looked > _MOST_LOOKED:
            return True
        if place == len(names):
            return False
        name = names[place]
        for pattern in held[name]:
            true = {test for test, holds in zip(tests[name], pattern, strict=True) if holds}
            kept = [rule for rule in open_rules if all(lit in true for lit in rule if lit.column == name)]
            if leaves_a_record(place + 1, kept):
                return True
        return False

    if rules and len(names) <= _MOST_NAMES and not leaves_a_record(0, rules):
        raise SchemaError("key 'deny': the rules together forbid every record")


def _parse_rule(number: int, rule: Any, columns: Sequence[Column]) -> DenyRule:
    where = f"key 'deny', rule {number}"
    if not isinstance(rule, Sequence) or isinstance(rule, str) or not rule:
        raise SchemaError(f"{where}: must be a list of literals such as [married, age < 25]")
    try:
        literals = tuple(_read_literal(item, columns) for item in rule)
        refuse_idle(literals, columns)
    except ParameterError as error:
        raise SchemaError(f"{where}: {error}") from None
    return literals


def _read_literal(item: Any, columns: Sequence[Column]) -> Literal:
    if isinstance(item, str):
        return parse_literal(item, columns)
    if isinstance(item, Sequence) and len(item) == 3 and all(isinstance(part, str) for part in item[:2]):
        return Literal(*item)
    raise ParameterError("every literal must be text (put it in quotes) or [column, test, value]")


def refuse_idle(literals: DenyRule, columns: Sequence[Column]) -> None:
    """Refuse a rule that no record, or every record, satisfies: surely a slip of the pen."""
    allowed = {column.name: np.ones(column.size, dtype=np.uint8) for column in columns}
    by_name = {column.name: column for column in columns}
    for literal in literals:
        if literal.column not in by_name:
            raise ParameterError(f"unknown column {literal.column!r}")
        allowed[literal.column] &= by_name[literal.column].holds(literal)
    if any(not codes.any() for codes in allowed.values()):
        raise ParameterError("no record can satisfy its literals together")
    if all(codes.all() for codes in allowed.values()):
        raise ParameterError("every record satisfies it")
