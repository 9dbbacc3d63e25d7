"""What a text looks like: missing under some mark, a number with so many decimals, a moment in some format, a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from oracledp.data.schema.durations import Duration
from oracledp.data.schema.moments import Date, Moment, Timestamp
from oracledp.data.schema.number_marks import LONGEST_NUMBER, POINT, NumberMarks

MOST_DECIMALS = 6
CENTS = 2  # decimals of money
_NAMED = tuple(  # of months; of the spellings of a day, the one that most texts fit comes first
    spelled.replace("%d", day).replace("%b", month)
    for spelled, months in (("%d %b %Y", ("%b", "%B")), ("%b %d, %Y", ("%b", "%B")), ("%d-%b-%Y", ("%b",)))
    for month in months
    for day in ("%-d", "%d")
)
FORMATS: dict[type[Moment], tuple[str, ...]] = {
    Date: ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", *_NAMED),
    Timestamp: (
        *(
            f"{day}{clock}"
            for day in ("%Y-%m-%d ", "%Y-%m-%dT", "%d/%m/%Y ", "%m/%d/%Y ", "%d.%m.%Y ")
            for clock in ("%H:%M:%S", "%H:%M")
        ),
        *(f"%Y-%m-%d{between}%H:%M:%S{end}" for between in " T" for end in ("+00:00", ".%f", ".%f+00:00")),
        *(f"%Y-%m-%dT%H:%M:%S{end}" for end in ("Z", ".%fZ")),
    ),
    Duration: ("%-H:%M:%S", "%H:%M:%S", "%-H:%M", "%H:%M"),
}
MARKS = ("NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "None", "?", "-", ".")

_NUMBER = re.compile(r"[ \t]*([+-]?)(0|[1-9][0-9]{0,14})?(?:[.]([0-9]*))?(?:[eE]([+-]?[0-9]{1,2}))?[ \t]*")
_LIKE_A_MOMENT = re.compile("[ ]*([0-9]|[A-Z][a-z]{2,8} )[0-9A-Za-z:/., +-]{3,40}[ ]*")  # as all formats' texts are
_LONG = 1000  # from which on a number has separators, where its file has some


@dataclass(frozen=True)
class TextKind:
    """A kind, and what it says of the spelling: a mark, needed and written decimals, or a format.

    A ``bare`` number lacks the separators of thousands that numbers of its file may have, as years do.

    >>> str(kind_of("-0.50")), str(kind_of("31/01/2026")), str(kind_of(" ?"))
    ('number, 1 decimals of 2 written', 'date %d/%m/%Y', "missing ' ?'")
    """

    kind: str
    mark: str | None = None
    needed: int = 0
    written: int = 0
    format: str = ""
    bare: bool = False

    def __str__(self) -> str:
        if self.kind == "number":
            return f"number, {self.needed} decimals of {self.written} written" + ", bare" * self.bare
        return " ".join([self.kind, *([repr(self.mark)] if self.mark else []), *([self.format] if self.format else [])])

    @property
    def missing(self) -> bool:
        """Whether there is no value."""
        return self.kind == "missing"


NOTHING, BIT, TEXT = TextKind("missing"), TextKind("bit"), TextKind("text")
WHOLE = TextKind("number")
_DIGITS = range(MOST_DECIMALS + 1)
KINDS: tuple[TextKind, ...] = (
    NOTHING,
    *(TextKind("missing", mark=f"{blank}{mark}") for mark in MARKS for blank in ("", " ")),
    *(TextKind("number", needed=needed, written=written) for needed in _DIGITS for written in _DIGITS[needed:]),
    BIT,
    TEXT,
    *(TextKind(kind.kind, format=spelled) for kind, formats in FORMATS.items() for spelled in formats),
)
"""Every text is of exactly one of these, where numbers have no separators of thousands."""

BARE = TextKind("number", bare=True)
_EVERY = (*KINDS, BARE)
PLACES = {kind: place for place, kind in enumerate(_EVERY)}
_BY_MARK = {kind.mark: kind for kind in KINDS if kind.mark is not None}
_MOMENTS = {
    TextKind(kind.kind, format=spelled): kind(name="moment", lo=0, hi=1, format=spelled)
    for kind, formats in FORMATS.items()
    for spelled in formats
}


def kinds_of(marks: NumberMarks) -> tuple[TextKind, ...]:
    """The kinds that texts with these marks can be of: public, as the marks are."""
    return _EVERY if marks.thousands else KINDS


def kind_of(text: str | None, marks: NumberMarks = POINT) -> TextKind:
    """The one of :func:`kinds_of`. Numbers that begin with idle zeros are texts: they are codes, not quantities.

    >>> [kind_of(text).kind for text in ("12", "1", "007", "", "cook", "1,5")]
    ['number', 'bit', 'text', 'missing', 'text', 'text']
    >>> kind_of("1.234,5", NumberMarks(",", ".")).needed
    1
    """
    if text is None or not text.strip(" \t"):
        return NOTHING
    if text in _BY_MARK:
        return _BY_MARK[text]
    if text.strip(" \t") in MARKS:
        return NOTHING
    if text in ("0", "1"):
        return BIT
    number = number_of(text, marks)
    if number is not None:
        needed = decimals(number)
        written = max(needed, _written(marks.plain(text)))
        return BARE if not written and is_bare(text, marks) else TextKind("number", needed=needed, written=written)
    if not _LIKE_A_MOMENT.fullmatch(text):
        return TEXT
    return next((kind for kind, column in _MOMENTS.items() if says_moment(text, column)), TEXT)


def says_moment(value: object, column: Moment) -> bool:
    """Whether a value is a moment, and a text one to the letter: 1:05 has no idle zero, 01:05 has one."""
    count = column.count_of(value)
    to_the_letter = isinstance(value, str) and isinstance(column, Duration)
    return count is not None and (not to_the_letter or column.written(count) == str(value).strip())


def moment_of(kind: TextKind) -> Moment:
    """The column, without bounds of its own, that reads a format."""
    return _MOMENTS[kind]


def is_bare(text: str | None, marks: NumberMarks) -> bool:
    """Whether a text is a number that lacks the separators which its file may have.

    >>> [is_bare(text, NumberMarks(".", ",")) for text in ("2026", "1,234", "999", "cook")]
    [True, False, False, False]
    """
    number = number_of(text, marks) if marks.thousands else None
    return text is not None and number is not None and abs(number) >= _LONG and not marks.is_grouped(text)


def number_of(text: str | None, marks: NumberMarks = POINT) -> Fraction | None:
    """The number that a text says, of a size and precision that a column can have."""
    found = None if text is None or len(text) > LONGEST_NUMBER else _NUMBER.fullmatch(marks.plain(text))
    if found is None or not (found[2] or found[3]):
        return None
    value = Fraction(f"{found[1]}{found[2] or '0'}.{found[3] or '0'}") * Fraction(10) ** int(found[4] or 0)
    return value if abs(value) < 10**15 else None


def _written(text: str) -> int:
    """How many decimals a plain number is written with; none where it has an exponent."""
    if "e" in text.lower():
        return 0
    return min(len(text.strip(" \t").partition(".")[2]), MOST_DECIMALS)


def decimals(value: Fraction) -> int:
    """How many decimals a number has, up to :data:`MOST_DECIMALS`.

    >>> decimals(Fraction(1, 4)), decimals(Fraction(1, 3))
    (2, 6)
    """
    scaled = (digits for digits in range(MOST_DECIMALS) if (value * 10**digits).denominator == 1)
    return next(scaled, MOST_DECIMALS)


@dataclass(frozen=True)
class ColumnKind:
    """What the kinds of a column's texts make of it: the kind of column, and its spelling."""

    kind: str  # nothing, bit, number, text, or that of a moment
    decimals: int = 0
    places: int = 0
    nullable: bool = False
    mark: str | None = None
    format: str = ""
    bare: bool = False
    fixed: bool = False  # whether all numbers are written with so many decimals, needed or not

    @property
    def money(self) -> bool:
        """Whether numbers are whole cents; not where only a coarser grid holds them all."""
        return self.fixed and self.decimals == self.places == CENTS

    @property
    def gaps(self) -> dict[str, object]:
        """The part of a definition that speaks of missing values."""
        if not self.nullable:
            return {}
        return {"nullable": True} if self.mark is None else {"nullable": True, "missing": self.mark}

    @property
    def spelling(self) -> dict[str, object]:
        """The part of a number's definition that speaks of its decimals and separators, where these are not usual."""
        whole = not self.decimals and not self.places
        bare: dict[str, object] = {"thousands": False} if self.bare else {}
        return bare if whole or self.places == 1 else {"places": self.places, **bare}


def spelled_numbers(kinds: Iterable[TextKind]) -> tuple[int, int]:
    """The decimals that numbers of these kinds need, and those that they all are written with at least."""
    listed = [kind for kind in kinds if kind.kind == "number"]
    return max((k.needed for k in listed), default=0), min((k.written for k in listed), default=0)


def is_fixed(kinds: Iterable[TextKind]) -> bool:
    """Whether numbers of these kinds are all written with as many decimals as some need, and idle zeros show it.

    Those of sources with types never are: there no number says how it was written.

    >>> [is_fixed(map(kind_of, texts)) for texts in (["1.50", "2.25"], ["1.5", "2.25"], ["1.25", "2.25"])]
    [True, False, False]
    """
    listed = list(kinds)
    needed, _ = spelled_numbers(listed)
    return all(kind.written == needed for kind in listed) and any(kind.needed < needed for kind in listed)


def format_from(kinds: Iterable[TextKind]) -> str:
    """The format of moments, the commonest first; of formats that a text may fit together, the one that others demand.

    Days come before months unless there are days that forbid it; there are no idle zeros unless some show, and names of
    months are short unless long ones show: May is both.

    >>> format_from(map(kind_of, ["12 May 2024", "5 March 2024"])), format_from(map(kind_of, ["10:00", "05:00"]))
    ('%-d %B %Y', '%H:%M')
    """
    listed = [kind.format for kind in kinds]
    if any(spelled.startswith("%m/%d/%Y") for spelled in listed):
        return next(spelled for spelled in listed if spelled.startswith("%m/%d/%Y"))
    alike = [spelled for spelled in listed if _brief(spelled) == _brief(listed[0])]
    found = _brief(listed[0])
    if any("%B" in spelled for spelled in alike):
        found = found.replace("%b", "%B")
    return found.replace("%-", "%") if any("%-" not in spelled for spelled in alike) else found


def _brief(spelled: str) -> str:
    """A format with short names of months and without idle zeros, where there is such a one."""
    brief = spelled.replace("%B", "%b").replace("%d", "%-d")
    brief = brief if "%b" in brief else spelled
    return brief.replace("%H", "%-H") if spelled in FORMATS[Duration] else brief
