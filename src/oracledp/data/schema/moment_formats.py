"""Formats of dates and time stamps: what they may hold, which texts they match, and where these say what.

Only the pattern decides what is read, so that no engine's own calendar, language or zone is asked. A name of a month
and a day without an idle zero are of several widths: all that is read besides has its place from the start of a text or
from its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
FULL, SHORT, IDLE_FREE, FRACTION = "%B", "%b", "%-d", "%f"
ZONES = ("Z", "+00:00")  # which say the same of all rows; offsets that differ from row to row are not read
_SAYS = {FULL: "%m", SHORT: "%m", IDLE_FREE: "%d"}  # another spelling of a part
_WIDTHS = {"%Y": 4, SHORT: 3, **dict.fromkeys(("%m", "%d", "%H", "%M", "%S"), 2)}
_SEPARATORS = "-/.:, T"
_PARTS = {
    "%Y": "[1-9][0-9][0-9][0-9]",
    "%H": "([01][0-9]|2[0-3])",
    "%M": "[0-5][0-9]",
    "%S": "[0-5][0-9]",
    FRACTION: "[0-9]{1,9}",
}
_LEAP = "(0[48]|[2468][048]|[13579][26])"
_LEAP_YEARS = f"([1-9][0-9]{_LEAP}|([2468][048]|[13579][26])00)"
_MOST, _NO_FEBRUARY, _LONG, _FEBRUARY = range(1, 13), (1, *range(3, 13)), (1, 3, 5, 7, 8, 10, 12), (2,)
_DAYS: tuple[tuple[str, str, tuple[int, ...] | range, str], ...] = (  # which days there are in which months and years
    ("(0[1-9]|1[0-9]|2[0-8])", "([1-9]|1[0-9]|2[0-8])", _MOST, _PARTS["%Y"]),
    ("(29|30)", "(29|30)", _NO_FEBRUARY, _PARTS["%Y"]),
    ("31", "31", _LONG, _PARTS["%Y"]),
    ("29", "29", _FEBRUARY, _LEAP_YEARS),
)


@dataclass(frozen=True)
class MomentFormat:
    """A format with the directives of strftime, in English whatever the machine speaks.

    >>> spelled = MomentFormat("%B %-d, %Y")
    >>> spelled.written(datetime(2024, 3, 5)), spelled.read("May 31, 2024").month, spelled.places["%d"]
    ('March 5, 2024', 5, (-8, 2))
    """

    text: str

    @cached_property
    def pieces(self) -> list[str]:
        """Directives and single characters, without the blanks at both ends."""
        return re.findall("%-?.|.", self.text.strip(" "))

    @property
    def parts(self) -> list[str]:
        """What the directives say, however they spell it."""
        return [_SAYS.get(piece, piece) for piece in self.pieces if piece.startswith("%")]

    @property
    def plain(self) -> bool:
        """Whether every part has two digits, the year four, and nothing follows: what every engine's own words know."""
        return not any(piece in (*_SAYS, FRACTION) for piece in self.pieces) and not self._ending

    def fits(self, needed: set[str], possible: set[str]) -> bool:
        """Whether it holds all that is needed, each once, between separators that every engine reads alike."""
        ending = self._ending if "%H" in needed else ()
        body, parts = self.pieces[: len(self.pieces) - len(ending)], self.parts
        known = all(piece in _SEPARATORS or piece in (*_WIDTHS, FULL, IDLE_FREE, FRACTION) for piece in body)
        whole = len(parts) == len(set(parts)) and needed <= set(parts) <= possible
        after_seconds = FRACTION not in parts or self.text.strip(" ").partition("%S.")[2].startswith(FRACTION)
        return known and whole and after_seconds and all(self._has_place(index) for index in range(len(self.pieces)))

    @property
    def _ending(self) -> tuple[str, ...]:
        """The zone, piece by piece."""
        text = self.text.strip(" ")
        return next((tuple(zone) for zone in ZONES if text.endswith(zone) and not text.endswith(f"%{zone}")), ())

    def _has_place(self, index: int) -> bool:
        """Whether a piece can be found from one end; a day of one or two digits by the separator beside it, too."""
        piece = self.pieces[index]
        if not piece.startswith("%") or piece in (FULL, SHORT, FRACTION):
            return True
        if piece == IDLE_FREE and self._beside(index).startswith("%"):
            return False
        return self._fixed(self.pieces[:index]) or self._fixed(self.pieces[index + 1 :])

    def _fixed(self, pieces: list[str]) -> bool:
        return all(piece in _WIDTHS or not piece.startswith("%") for piece in pieces)

    def _beside(self, index: int) -> str:
        """What stands next to a piece, on the side from which it is not found."""
        beside = index + 1 if self._fixed(self.pieces[:index]) else index - 1
        return self.pieces[beside] if 0 <= beside < len(self.pieces) else " "

    @cached_property
    def pattern(self) -> str:
        """What a text must match: only days of the calendar do."""
        pieces = re.findall("%-?.|.", self.text)
        ways = []
        for idle, bare, months, year in _DAYS:
            known = _PARTS | {"%d": idle, IDLE_FREE: bare, "%Y": year, "%m": _either(f"{m:02}" for m in months)}
            known |= {FULL: _either(MONTHS[m - 1] for m in months), SHORT: _either(MONTHS[m - 1][:3] for m in months)}
            ways.append("".join(known.get(piece, f"[{piece}]") for piece in pieces))
        return f"[ ]*({'|'.join(ways)})[ ]*"

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """Where each part stands in a text without blanks around it, and its length: from 1, or from the end below 0.

        A day without an idle zero may have the separator beside it in its place. A month's name has none.
        """
        found = {}
        for index, piece in enumerate(self.pieces):
            if piece.startswith("%") and piece not in (FULL, SHORT, FRACTION):
                before, after = self.pieces[:index], self.pieces[index + 1 :]
                width = _WIDTHS.get(piece, 2)
                start = 1 + _width(before) if self._fixed(before) else -(width + _width(after))
                found[_SAYS.get(piece, piece)] = start, width
        return found

    @cached_property
    def day_beside(self) -> str:
        """The separator that a day of one digit has in its place; empty where every day has two."""
        return self._beside(self.pieces.index(IDLE_FREE)) if IDLE_FREE in self.pieces else ""

    @cached_property
    def names_months(self) -> bool:
        """Whether months have names."""
        return FULL in self.pieces or SHORT in self.pieces

    def read(self, text: str) -> datetime | None:
        """What a text says; None where the pattern does not match."""
        if not re.fullmatch(self.pattern, text):
            return None
        bare, found = text.strip(" "), {"%H": 0, "%M": 0, "%S": 0}
        for part, (start, length) in self.places.items():
            begin = start - 1 if start > 0 else len(bare) + start
            digits = bare[begin : begin + length]
            found[part] = int(digits.replace(self.day_beside, "") if self.day_beside else digits)
        if self.names_months:
            found["%m"] = next(number for number, name in enumerate(MONTHS, start=1) if name[:3] in bare)
        return datetime(found["%Y"], found["%m"], found["%d"], found["%H"], found["%M"], found["%S"])

    def written(self, moment: datetime) -> str:
        """A moment in this format; a fraction of its second as zeros."""
        month = MONTHS[moment.month - 1]
        said = {FULL: month, SHORT: month[:3], IDLE_FREE: str(moment.day), FRACTION: "000", "%Y": f"{moment.year:04}"}
        said |= {"%m": f"{moment.month:02}", "%d": f"{moment.day:02}", "%H": f"{moment.hour:02}"}
        said |= {"%M": f"{moment.minute:02}", "%S": f"{moment.second:02}"}
        return "".join(said.get(piece, piece) for piece in re.findall("%-?.|.", self.text))


def _either(texts: Iterable[str]) -> str:
    return f"({'|'.join(texts)})"


def _width(pieces: list[str]) -> int:
    return sum(_WIDTHS.get(piece, 1) for piece in pieces)
