"""Definitions of public trees: prefixes of the values, or groups by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from oracledp.data.schema.entries import Entry
from oracledp.data.schema.trees import Tree

_PREFIX = re.compile(r"prefix\s+([0-9]{1,3}(?:\s*,\s*[0-9]{1,3})*)\s*")
_DEEPEST = 8


def parse_tree(entry: Entry, values: Sequence[str] | None) -> Tree:
    """The tree that a column's ``hierarchy`` describes; a mapping may be the list of its values, too."""
    given = entry.entry["hierarchy"]
    if isinstance(given, str):
        return _by_prefix(entry, given, values)
    if not isinstance(given, Mapping) or not given:
        entry.refuse("hierarchy", "must be 'prefix 1, 3', or map the name of each group to a list of its values")
    found: list[str] = []
    groups: dict[str, range] = {}
    _walk(entry, given, found, groups, 1)
    if len(set(found)) != len(found):
        entry.refuse("hierarchy", f"{next(v for v in found if found.count(v) > 1)!r} stands in it twice")
    if values is not None and set(found) != set(values):
        lost = sorted(set(values) ^ set(found))[0]
        entry.refuse("hierarchy", f"{lost!r} is in the values or in the hierarchy, but not in both")
    return Tree(tuple(found), tuple(groups.items()), _frozen(given))


def _by_prefix(entry: Entry, given: str, values: Sequence[str] | None) -> Tree:
    parsed = _PREFIX.fullmatch(given.strip())
    if parsed is None or values is None:
        entry.refuse("hierarchy", "'prefix 1, 3' groups the listed values by their first letter and their first three")
    lengths = [int(length) for length in parsed[1].split(",")]
    if not lengths[0] or any(a >= b for a, b in pairwise(lengths)):
        entry.refuse("hierarchy", "the lengths of prefixes must be greater than 0 and increase")
    listed = tuple(sorted(values))
    groups: dict[str, range] = {}
    for length in lengths:
        for name, run in _runs(listed, lambda value, length=length: value[:length]):  # type: ignore[misc]
            if len(run) > 1 and run not in groups.values():
                groups[f"{name}*"] = run
    return Tree(listed, tuple(groups.items()), tuple(map(str, lengths)))


def _runs(listed: Sequence[str], key: Callable[[str], str]) -> Iterator[tuple[str, range]]:
    start = 0
    for name, run in groupby(listed, key):
        stop = start + len(list(run))
        yield name, range(start, stop)
        start = stop


def _walk(entry: Entry, given: Mapping[Any, Any], found: list[str], groups: dict[str, range], depth: int) -> None:
    if depth > _DEEPEST:
        entry.refuse("hierarchy", f"at most {_DEEPEST} levels deep")
    for name, below in given.items():
        group = entry.text("hierarchy", name)
        if group in groups:
            entry.refuse("hierarchy", f"the group {group!r} stands in it twice")
        start = len(found)
        groups[group] = range(start, start)  # its place in the order of the groups
        if isinstance(below, Mapping):
            _walk(entry, below, found, groups, depth + 1)
        elif isinstance(below, Sequence) and not isinstance(below, str):
            found += [entry.text("hierarchy", value) for value in below]
        else:
            entry.refuse("hierarchy", f"the group {group!r} must hold a list of values, or groups")
        if len(found) == start:
            entry.refuse("hierarchy", f"the group {group!r} is empty")
        groups[group] = range(start, len(found))


def _frozen(given: Any) -> tuple[Any, ...]:
    if isinstance(given, Mapping):
        return tuple((name, _frozen(below)) for name, below in given.items())
    return tuple(given)
