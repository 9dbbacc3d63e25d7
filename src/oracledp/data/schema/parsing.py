"""Strict reading of a schema's definition: every complaint names the column and the key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from numbers import Integral
from typing import Any

from oracledp.data.schema.columns import Boolean, Categorical, Column
from oracledp.data.schema.durations import Duration
from oracledp.data.schema.entries import Entry, hint
from oracledp.data.schema.moments import Date, Moment, Timestamp
from oracledp.data.schema.number_marks import POINT, NumberMarks
from oracledp.data.schema.number_parsing import parse_amount, parse_integer, parse_moment, parse_numeric
from oracledp.data.schema.short_form import in_full
from oracledp.data.schema.text_kinds import number_of
from oracledp.data.schema.tree_parsing import parse_tree
from oracledp.data.schema.trees import Tree
from oracledp.errors import SchemaError

TOP_KEYS = ("file", "bought", "columns", "deny", "constraints")
NO_MARK = "the mark of missing values must not be a value of the column"
TRUTHS = (("false", "no", "0"), ("true", "yes", "1"))  # words that are read, in upper or lower case


def parse_columns(definition: object) -> tuple[Column, ...]:
    """The columns of a definition, in its order."""
    columns = top_level(definition)["columns"]
    if not isinstance(columns, Mapping) or not columns:
        raise SchemaError("key 'columns': must map at least one column name to its definition")
    return tuple(_parse_column(name, entry) for name, entry in columns.items())


def top_level(definition: object) -> Mapping[str, Any]:
    """The definition with its ``columns`` key, which a bare mapping of columns may leave out."""
    if not isinstance(definition, Mapping):
        raise SchemaError("a schema must be a mapping with the key 'columns'")
    bare = definition and all(isinstance(entry, str) or _kind(entry) for entry in definition.values())
    if bare and not _lists_columns(definition):
        return {"columns": definition}
    for key in definition:
        if key not in TOP_KEYS:
            raise SchemaError(f"unknown key {key!r}{hint(key, TOP_KEYS)}; a schema has {', '.join(TOP_KEYS)}")
    if "columns" not in definition:
        raise SchemaError("key 'columns': missing")
    return definition


def _kind(entry: object) -> bool:
    return isinstance(entry, Mapping) and isinstance(entry.get("kind"), str)


def _lists_columns(definition: Mapping[str, Any]) -> bool:
    """Whether ``columns`` lists columns, one of which may be called *kind*, and does not define one of that name."""
    columns = definition.get("columns")
    listed = isinstance(columns, Mapping) and all(isinstance(entry, str | Mapping) for entry in columns.values())
    return listed and all(key in TOP_KEYS for key in definition)


def _parse_column(name: object, entry: object) -> Column:
    if not isinstance(name, str):
        raise SchemaError(f"column {name!r}: the name must be text; put it in quotes")
    if not name or not name.isprintable():
        raise SchemaError(f"column {name!r}: the name must be printable and not empty")
    if isinstance(entry, str):
        entry = in_full(name, entry)
    if not isinstance(entry, Mapping):
        raise SchemaError(f"column {name!r}: must be a mapping such as {{kind: boolean}}, or a line such as 'boolean'")
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        spelled = "missing" if kind is None else f"unknown kind {kind!r}{hint(kind, _KINDS)}"
        raise SchemaError(f"column {name!r}, key 'kind': {spelled}; the kinds are {', '.join(_KINDS)}")
    parser, keys = _KINDS[kind]
    made = Entry(name, kind, entry, ("kind", "nullable", "missing", *keys))
    column = parser(made)
    if column.mark is not None and is_value(column, column.mark):
        made.refuse("missing", NO_MARK)
    column.refuse_size()
    return column


def is_value(column: Column, mark: str, marks: NumberMarks = POINT) -> bool:
    """Whether a text would be read as a value, in files whose numbers have these marks."""
    if isinstance(column, Categorical):
        return mark in map(str, column.choices)
    if isinstance(column, Boolean):
        return any(mark.strip().lower() in words for words in TRUTHS)
    return column.count_of(mark) is not None if isinstance(column, Moment) else number_of(mark, marks) is not None


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


_CUT_KEYS = ("lo", "hi", "resolution", "bins", "thresholds", "clip")
_MOMENT_KEYS = ("lo", "hi", "format", "stored", "resolution", "bins", "thresholds", "clip")
_KINDS: dict[str, tuple[Callable[[Entry], Column], tuple[str, ...]]] = {
    "categorical": (parse_categorical, ("values", "other", "ordered", "hierarchy")),
    "boolean": (parse_boolean, ("spelling",)),
    "integer": (parse_integer, (*_CUT_KEYS, "thousands")),
    "numeric": (parse_numeric, (*_CUT_KEYS, "places", "thousands")),
    "decimal": (parse_amount, ("lo", "hi", "places", "bins", "thresholds", "clip", "thousands")),
    "date": (partial(parse_moment, kind=Date), _MOMENT_KEYS),
    "timestamp": (partial(parse_moment, kind=Timestamp), _MOMENT_KEYS),
    "duration": (partial(parse_moment, kind=Duration), _MOMENT_KEYS),
}
