"""Definitions of columns without numbers: truth values, categories and their public trees."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral
from typing import Any

from oracledp.data.schema.columns import Boolean, Categorical, Column
from oracledp.data.schema.entries import Entry
from oracledp.data.schema.tree_parsing import parse_tree
from oracledp.data.schema.trees import Tree

TRUTHS = (("false", "no", "0"), ("true", "yes", "1"))  # words that are read, in upper or lower case


def parse_boolean(entry: Entry) -> Column:
    """True or false, in words of its own where it has some."""
    return Boolean(name=entry.name, spelling=_parse_spelling(entry), **entry.gaps())


def _parse_spelling(entry: Entry) -> tuple[str, str] | None:
    words = entry.items("spelling")
    if words is None:
        return None
    if len(words) != 2 or not all(_spells(word, known) for word, known in zip(words, TRUTHS, strict=True)):
        entry.refuse("spelling", 'must list the words for false and true in quotes: "no" and "yes", "0" and "1", …')
    return words[0], words[1]


def _spells(word: object, known: Collection[str]) -> bool:
    return isinstance(word, str) and word.lower() in known


def parse_categorical(entry: Entry) -> Column:
    """Listed values, and what becomes of others; in the order of their tree where they have one."""
    grown = entry.entry.get("hierarchy") is not None
    values = _parse_values(entry, needed=not grown)
    tree = None
    if grown:
        if any(not isinstance(value, str) for value in values):
            entry.refuse("hierarchy", 'needs values that are texts; put codes such as "01" in quotes')
        tree = parse_tree(entry, values or None)
        values = list(tree.values)
    other = _parse_other(entry, values)
    in_order = entry.flag("ordered")
    if in_order and other is not None:
        entry.refuse("ordered", "an ordered column has no 'other', which would have no place in its order")
    if in_order and tree is not None:
        entry.refuse("ordered", "a hierarchy has an order of its own")
    _refuse_groups(entry, tree, values, other)
    return Categorical(name=entry.name, values=tuple(values), other=other, in_order=in_order, tree=tree, **entry.gaps())


def _parse_values(entry: Entry, *, needed: bool) -> list[Any]:
    values = entry.items("values")
    if not values:
        if needed or values is not None:
            entry.refuse("values", "must list at least one value; values are never read from data")
        return []
    if all(isinstance(value, Integral) and not isinstance(value, bool) for value in values):
        values = [entry.integer("values", value) for value in values]
    elif not all(isinstance(value, str) for value in values):
        entry.refuse("values", 'must be all texts or all integers; quote words such as "yes" and "no"')
    for text in values:
        if isinstance(text, str) and text:
            entry.text("values", text)
    if len(set(values)) != len(values):
        repeated = next(value for value in values if values.count(value) > 1)
        entry.refuse("values", f"{repeated!r} is listed twice")
    return values


def _parse_other(entry: Entry, values: list[Any]) -> str | None:
    other = entry.entry.get("other")
    if other is None:
        return None
    if not isinstance(other, str) or not other:
        entry.refuse("other", "must be a text, the name that values not listed get")
    entry.text("other", other)
    if other in map(str, values):
        entry.refuse("other", "must not be one of the values")
    return other


def _refuse_groups(entry: Entry, tree: Tree | None, values: Collection[str], other: str | None) -> None:
    """A group needs a name that no value has: literals speak of both."""
    for group, _ in () if tree is None else tree.groups:
        if group in values or group == other:
            entry.refuse("hierarchy", f"{group!r} is the name of a group and of a value")
