"""Strict reading of a schema's definition: every complaint names the column and the key."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NoReturn, TypeVar

from oracledp.data.schema.columns import MAX_SIZE, Boolean, Categorical, Column
from oracledp.data.schema.grid import MOST_STEPS
from oracledp.data.schema.moments import Date, Moment, Timestamp, fits
from oracledp.data.schema.ordered import LONGEST_RANGE, REACH, Integer, Numeric, Ordered, exactly
from oracledp.data.schema.short_form import in_full
from oracledp.errors import ParameterError, SchemaError
from oracledp.exact.numbers import positive

TOP_KEYS = ("columns", "deny", "constraints")

Number = TypeVar("Number", int, float)


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


def hint(given: object, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where something known is close."""
    close = difflib.get_close_matches(str(given), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


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
    column = parser(_Entry(name, kind, entry, ("kind", "nullable", *keys)))
    column.refuse_size()
    return column


class _Entry:
    """One column's definition, read key by key."""

    def __init__(self, name: str, kind: str, entry: Mapping[Any, Any], keys: Collection[str]) -> None:
        self.name, self.entry = name, entry
        for key in entry:
            if key not in keys:
                article = "an" if kind[0] in "aeiou" else "a"
                listed = ", ".join(keys)
                self.refuse(key, f"unknown{hint(key, keys)}; {article} {kind} column has {listed}")

    def refuse(self, key: object, message: str) -> NoReturn:
        raise SchemaError(f"column {self.name!r}, key {str(key)!r}: {message}")

    def flag(self, key: str) -> bool:
        value = self.entry.get(key, False)
        if not isinstance(value, bool):
            self.refuse(key, "must be true or false")
        return value

    def integer(self, key: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, Integral):
            self.refuse(key, "must be a whole number")
        if abs(int(value)) >= REACH:
            self.refuse(key, "must lie strictly between -2^62 and 2^62")
        return int(value)

    def number(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, Real):
            self.refuse(key, "must be a number")
        try:
            number = float(value) + 0.0  # -0.0 becomes 0.0
        except OverflowError:
            number = math.inf
        if not math.isfinite(number) or (isinstance(value, Integral) and number != value):
            self.refuse(key, "must be a finite number that a 64-bit float holds exactly")
        return number

    def bound(self, key: str) -> object:
        if self.entry.get(key) is None:
            self.refuse(key, "missing; bounds must be given, they are never read from data")
        return self.entry[key]

    def items(self, key: str) -> list[Any] | None:
        """A list, or None where the key is absent."""
        value = self.entry.get(key)
        if value is None:
            return None
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            self.refuse(key, "must be a list")
        return list(value)


def _parse_boolean(entry: _Entry) -> Column:
    return Boolean(name=entry.name, nullable=entry.flag("nullable"), spelling=_parse_spelling(entry))


def _parse_spelling(entry: _Entry) -> tuple[str, str] | None:
    words = entry.items("spelling")
    if words is None:
        return None
    if len(words) != 2 or not all(_spells(word, known) for word, known in zip(words, _TRUTHS, strict=True)):
        entry.refuse("spelling", 'must list the words for false and true in quotes: "no" and "yes", "0" and "1", …')
    return words[0], words[1]


_TRUTHS = (("false", "no", "0"), ("true", "yes", "1"))  # words that are read, in upper or lower case


def _spells(word: object, known: Collection[str]) -> bool:
    return isinstance(word, str) and word.lower() in known


def _parse_categorical(entry: _Entry) -> Column:
    values = entry.items("values")
    if not values:
        entry.refuse("values", "must list at least one value; values are never read from data")
    if all(isinstance(value, Integral) and not isinstance(value, bool) for value in values):
        values = [entry.integer("values", value) for value in values]
    elif not all(isinstance(value, str) for value in values):
        entry.refuse("values", 'must be all texts or all integers; quote words such as "yes" and "no"')
    for text in values:
        _refuse_odd_text(entry, "values", text)
    if len(set(values)) != len(values):
        repeated = next(value for value in values if values.count(value) > 1)
        entry.refuse("values", f"{repeated!r} is listed twice")
    other = _parse_other(entry, values)
    nullable = entry.flag("nullable")
    in_order = entry.flag("ordered")
    if in_order and other is not None:
        entry.refuse("ordered", "an ordered column has no 'other', which would have no place in its order")
    return Categorical(name=entry.name, nullable=nullable, values=tuple(values), other=other, in_order=in_order)


def _parse_other(entry: _Entry, values: list[Any]) -> str | None:
    other = entry.entry.get("other")
    if other is None:
        return None
    if not isinstance(other, str) or not other:
        entry.refuse("other", "must be a text, the name that values not listed get")
    _refuse_odd_text(entry, "other", other)
    if other in map(str, values):
        entry.refuse("other", "must not be one of the values")
    return other


def _refuse_odd_text(entry: _Entry, key: str, text: object) -> None:
    """Texts must survive UTF-8 files and SQL literals."""
    if isinstance(text, str) and ("\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)):
        entry.refuse(key, "a text must not hold the character NUL or a lone surrogate")


def _parse_integer(entry: _Entry) -> Column:
    lo, hi = (entry.integer(key, entry.bound(key)) for key in ("lo", "hi"))
    bins, thresholds = _parse_cuts(entry, entry.integer, lo, hi)
    values = hi - lo + 1
    if bins is not None and bins > values:
        entry.refuse("bins", f"must be at most {values}, the number of integers from lo to hi")
    resolution = _parse_resolution(entry, lo, hi)
    if resolution is not None and resolution.denominator != 1:
        entry.refuse("resolution", "must be a whole number in an integer column")
    if bins is None and thresholds is None and resolution is None and values > LONGEST_RANGE:
        problem = f"lo to hi holds more than {LONGEST_RANGE:,} integers"
        entry.refuse("resolution", f"such as 1, 'bins' or 'thresholds' needed: {problem}")
    column = Integer(
        name=entry.name,
        nullable=entry.flag("nullable"),
        lo=lo,
        hi=hi,
        bins=bins,
        thresholds=thresholds,
        clip=entry.flag("clip"),
        resolution=resolution,
    )
    return _checked_grid(entry, column)


def _parse_numeric(entry: _Entry) -> Column:
    lo, hi = (entry.number(key, entry.bound(key)) for key in ("lo", "hi"))
    bins, thresholds = _parse_cuts(entry, entry.number, lo, hi)
    resolution = _parse_resolution(entry, lo, hi)
    if bins is None and thresholds is None and resolution is None:
        entry.refuse("resolution", "such as 0.01, 'bins' or 'thresholds' needed: how finely are numbers told apart?")
    column = Numeric(
        name=entry.name,
        nullable=entry.flag("nullable"),
        lo=lo,
        hi=hi,
        bins=bins,
        thresholds=thresholds,
        clip=entry.flag("clip"),
        resolution=resolution,
    )
    edges = (lo, *column.cuts, hi)
    if bins is not None and any(left >= right for left, right in pairwise(edges)):
        entry.refuse("bins", "too many: neighbouring edges are the same 64-bit float")
    return _checked_grid(entry, column)


def _parse_moment(entry: _Entry, kind: type[Moment]) -> Column:
    spelled = entry.entry.get("format", kind.usual)
    if not isinstance(spelled, str) or not fits(spelled, kind):
        listed = " ".join(kind.directives())
        entry.refuse("format", f"must hold {listed}, each once, with - / . : T or blanks between them")
    model = kind(name=entry.name, lo=0, hi=1, format=kind.usual)
    own = kind(name=entry.name, lo=0, hi=1, format=spelled)

    def read(key: str, value: object) -> int:
        found = model.count_of(value)
        found = own.count_of(value) if found is None else found
        if found is None:
            entry.refuse(key, f"must be a moment such as {model.shown(0)}")
        return found

    lo, hi = (read(key, entry.bound(key)) for key in ("lo", "hi"))
    bins, thresholds = _parse_cuts(entry, read, lo, hi)
    given = entry.entry.get("resolution")
    resolution = Fraction(1) if given is None else _parse_resolution(entry, lo, hi)
    if resolution is None or resolution.denominator != 1:
        entry.refuse("resolution", "must be a whole number of days, or of seconds for time stamps")
    flags = {key: entry.flag(key) for key in ("nullable", "clip")}
    column = kind(
        name=entry.name, lo=lo, hi=hi, bins=bins, thresholds=thresholds, resolution=resolution, format=spelled, **flags
    )
    return _checked_grid(entry, column)


def _parse_resolution(entry: _Entry, lo: float, hi: float) -> Fraction | None:
    given = entry.entry.get("resolution")
    if given is None:
        return None
    try:
        resolution = positive(given, "resolution")
    except ParameterError:
        entry.refuse("resolution", "must be a number greater than 0, such as 1 or 0.01")
    if resolution > exactly(hi) - exactly(lo):
        entry.refuse("resolution", "must be at most hi - lo")
    if (exactly(hi) - exactly(lo)) / resolution > MOST_STEPS:
        entry.refuse("resolution", "too fine: lo to hi holds more than 2^52 steps")
    return resolution


def _checked_grid(entry: _Entry, column: Ordered) -> Column:
    """Thresholds that the grid tells apart."""
    if column.grid is not None:
        steps = [column.grid.step_at_least(cut) for cut in column.grid.thresholds]
        if any(left >= right for left, right in pairwise((0, *steps, column.grid.last + 1))):
            key = "bins" if column.thresholds is None else "thresholds"
            entry.refuse(key, "closer together, or to a bound, than the resolution")
    return column


def _parse_cuts(
    entry: _Entry, read: Callable[[str, object], Number], lo: Number, hi: Number
) -> tuple[int | None, tuple[Number, ...] | None]:
    """Bins, thresholds or neither, checked against the bounds."""
    if lo >= hi:
        entry.refuse("lo", "must be less than hi")
    bins, listed = entry.entry.get("bins"), entry.items("thresholds")
    if bins is not None and listed is not None:
        entry.refuse("thresholds", "give bins or thresholds, not both")
    if bins is not None and not 2 <= entry.integer("bins", bins) <= MAX_SIZE:
        entry.refuse("bins", f"must be 2 to {MAX_SIZE:,}")
    if listed is None:
        return (None if bins is None else int(bins)), None
    thresholds = tuple(read("thresholds", item) for item in listed)
    if not thresholds:
        entry.refuse("thresholds", "must list at least one number")
    if any(left >= right for left, right in pairwise(thresholds)):
        entry.refuse("thresholds", "must increase strictly")
    if thresholds[0] <= lo or thresholds[-1] > hi:
        entry.refuse("thresholds", "must be greater than lo and at most hi")
    return None, thresholds


_MOMENT_KEYS = ("lo", "hi", "format", "resolution", "bins", "thresholds", "clip")
_KINDS: dict[str, tuple[Callable[[_Entry], Column], tuple[str, ...]]] = {
    "categorical": (_parse_categorical, ("values", "other", "ordered")),
    "boolean": (_parse_boolean, ("spelling",)),
    "integer": (_parse_integer, ("lo", "hi", "resolution", "bins", "thresholds", "clip")),
    "date": (partial(_parse_moment, kind=Date), (*_MOMENT_KEYS,)),
    "timestamp": (partial(_parse_moment, kind=Timestamp), (*_MOMENT_KEYS,)),
    "numeric": (_parse_numeric, ("lo", "hi", "resolution", "bins", "thresholds", "clip")),
}
