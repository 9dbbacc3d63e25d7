"""The marks inside numbers that are written as texts: what comes before decimals, and between groups of thousands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_SWAPPED = str.maketrans(",.", ".,")
_BETWEEN_GROUPS = re.compile("(?<=[0-9])(?=([0-9]{3})+$)")


@dataclass(frozen=True)
class NumberMarks:
    """How texts spell numbers; without ``thousands`` there are no separators, and a number with some is none.

    >>> euro = NumberMarks(",", ".")
    >>> euro.plain("1.234.567,50"), euro.plain("1234567,50"), euro.spelled("1234567.50")
    ('1234567.50', '1234567.50', '1.234.567,50')
    """

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def grouped(self) -> str:
        """What a number with separators matches, on every engine: all its groups but the first have three digits."""
        return f"[ \t]*[+-]?[1-9][0-9]{{0,2}}([{self.thousands}][0-9]{{3}})+([{self.decimal}][0-9]*)?[ \t]*"

    def is_grouped(self, text: str) -> bool:
        """Whether a text is a number with separators, each in its place."""
        return bool(self.thousands) and re.fullmatch(self.grouped, text) is not None

    def plain(self, text: str) -> str:
        """A number without separators and with a point; of any other text one that is no number either.

        >>> NumberMarks(",").plain("1.5"), NumberMarks(".", ",").plain("12,34")
        ('1,5', '12,34')
        """
        bare = text.replace(self.thousands, "") if self.is_grouped(text) else text
        return bare if self.decimal == "." else bare.translate(_SWAPPED)

    def spelled(self, written: str, *, grouped: bool = True) -> str:
        """A number that Python wrote, with these marks; an exponent has no groups."""
        whole, point, tail = written.partition(".")
        if self.thousands and grouped and "e" not in written:
            whole = _BETWEEN_GROUPS.sub(self.thousands, whole)
        return f"{whole}{self.decimal if point else ''}{tail}"


LONGEST_NUMBER = 255  # characters: what PostgreSQL reads as a number, and Python without a limit of its own
POINT = NumberMarks()
"""A point before decimals, and nothing between thousands."""
