"""Which column a text speaks of: names may hold blanks, signs and quotes, and may be misspelled."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oracledp.data.schema.columns import Column
from oracledp.errors import UnknownColumn

_TEST = re.compile(r"\s*(!=|==|>=|<=|=|>|<|is\s+not\b|is\b)(.*)", re.DOTALL)
_FIRST_TEST = re.compile(r"[!<>=]|\sis\s")
_QUOTES = "\"'`"
_LISTED = 12  # names in a message


@dataclass(frozen=True)
class Said:
    """A text in parts: the column, the test after its name (none: empty), what is after that, whether ``not`` leads."""

    column: Column
    test: str = ""
    value: str = ""
    negated: bool = False


def spoken(columns: Sequence[Column]) -> list[tuple[str, Column]]:
    """Every column by its name, the longest first; one with blanks at its ends also without them, if that is clear.

    >>> from oracledp.data.schema.columns import Boolean
    >>> [name for name, _ in spoken([Boolean(name=" age"), Boolean(name="smoker")])]
    ['smoker', ' age', 'age']
    """
    bare = Counter(column.name.strip() for column in columns)
    short = ((column.name.strip(), column) for column in columns if column.name.strip() != column.name)
    clear = ((name, column) for name, column in short if name and bare[name] == 1)
    return sorted([*((column.name, column) for column in columns), *clear], key=lambda pair: -len(pair[0]))


def readings(text: str, columns: Sequence[Column]) -> Iterator[Said]:
    """Each way to take a text apart, the longest name first; a name may stand in quotes."""
    for name, column in _spelled(text, columns):
        for said, negated in _with_and_without_not(text):
            if said.startswith(name):
                rest = said.removeprefix(name)
                found = _TEST.fullmatch(rest)
                if found is not None:
                    yield Said(column, " ".join(found[1].split()), found[2].strip(), negated)
                elif not rest.strip():
                    yield Said(column, negated=negated)


def meant(text: str, columns: Sequence[Column]) -> Said:
    """What a text that is no condition seems to say; an error where it names no column that there is."""
    for found in readings(text, columns):
        return found
    said = [bare for bare, _ in _with_and_without_not(text)][-1]
    if not _FIRST_TEST.search(said):
        for name, column in spoken(columns):
            if re.match(re.escape(name) + r"\s", said):
                return Said(column)
    name = _FIRST_TEST.split(said, maxsplit=1)[0].strip()
    raise _unknown(unquoted(name), columns)


def unquoted(text: str) -> str:
    """A text without the quotes around it, if there are any."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES else text


def _with_and_without_not(text: str) -> list[tuple[str, bool]]:
    bare = text.strip()
    return [(bare, False), *([(bare[4:].lstrip(), True)] if bare.startswith("not ") else [])]


def _spelled(text: str, columns: Sequence[Column]) -> Iterator[tuple[str, Column]]:
    for name, column in spoken(columns):
        if any(quote in text for quote in _QUOTES):
            yield from ((f"{quote}{name}{quote}", column) for quote in _QUOTES)
        yield name, column


def _unknown(name: str, columns: Sequence[Column]) -> UnknownColumn:
    """With the name that was meant, or those that there are."""
    shortest = {column.name: spelled for spelled, column in spoken(columns)}
    names = [shortest[column.name] for column in columns]
    close = nearest(name, names)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    known = f"the columns are {', '.join(names[:_LISTED])}{more}" if close is None else f"did you mean {close!r}?"
    return UnknownColumn(f"no column {name!r}; {known}", name)


def nearest(given: str, known: Sequence[str]) -> str | None:
    """What is written nearly so, in capitals or not.

    >>> nearest("Agee", ["age", "job"]), nearest("height", ["age", "job"])
    ('age', None)
    """
    by_fold = {name.strip().casefold(): name for name in known}
    close = difflib.get_close_matches(given.casefold(), by_fold, n=1)
    return by_fold[close[0]] if close else None
