"""Strict reading of a schema's definition: every complaint names the column and the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from oracledp.data.schema.category_parsing import TRUTHS, parse_boolean, parse_categorical
from oracledp.data.schema.columns import Boolean, Categorical, Column
from oracledp.data.schema.durations import Duration
from oracledp.data.schema.entries import Entry, hint
from oracledp.data.schema.moments import Date, Moment, Timestamp
from oracledp.data.schema.number_parsing import parse_amount, parse_integer, parse_moment, parse_numeric
from oracledp.data.schema.short_form import in_full
from oracledp.data.schema.text_kinds import number_of
from oracledp.errors import SchemaError

TOP_KEYS = ("file", "columns", "deny", "constraints")


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
    if definition and all(isinstance(entry, str) or _kind(entry) for entry in definition.values()):
        return {"columns": definition}
    for key in definition:
        if key not in TOP_KEYS:
            raise SchemaError(f"unknown key {key!r}{hint(key, TOP_KEYS)}; a schema has {', '.join(TOP_KEYS)}")
    if "columns" not in definition:
        raise SchemaError("key 'columns': missing")
    return definition


def _kind(entry: object) -> bool:
    return isinstance(entry, Mapping) and isinstance(entry.get("kind"), str)


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
    if column.mark is not None and _is_value(column, column.mark):
        made.refuse("missing", "the mark of missing values must not be a value of the column")
    column.refuse_size()
    return column


def _is_value(column: Column, mark: str) -> bool:
    """Whether a text would be read as a value."""
    if isinstance(column, Categorical):
        return mark in map(str, column.choices)
    if isinstance(column, Boolean):
        return any(mark.strip().lower() in words for words in TRUTHS)
    return column.count_of(mark) is not None if isinstance(column, Moment) else number_of(mark) is not None


_CUT_KEYS = ("lo", "hi", "resolution", "bins", "thresholds", "clip")
_MOMENT_KEYS = ("lo", "hi", "format", "resolution", "bins", "thresholds", "clip")
_KINDS: dict[str, tuple[Callable[[Entry], Column], tuple[str, ...]]] = {
    "categorical": (parse_categorical, ("values", "other", "ordered", "hierarchy")),
    "boolean": (parse_boolean, ("spelling",)),
    "integer": (parse_integer, _CUT_KEYS),
    "numeric": (parse_numeric, (*_CUT_KEYS, "places")),
    "decimal": (parse_amount, ("lo", "hi", "places", "bins", "thresholds", "clip")),
    "date": (partial(parse_moment, kind=Date), _MOMENT_KEYS),
    "timestamp": (partial(parse_moment, kind=Timestamp), _MOMENT_KEYS),
    "duration": (partial(parse_moment, kind=Duration), _MOMENT_KEYS),
}
