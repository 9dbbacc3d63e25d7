"""Durations: ordered columns counted in seconds, written as hours, minutes and seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema.moments import Moment

_FORMATS = ("%H:%M:%S", "%-H:%M:%S", "%H:%M", "%-H:%M", "%M:%S", "%-M:%S")
_DIGITS = 6  # of the first part, at most
_SECONDS = {"H": 3600, "M": 60, "S": 1}


@dataclass(frozen=True, kw_only=True)
class Duration(Moment):
    """A length of time in whole seconds; the first part of its format may be as large as it needs.

    >>> wait = Duration(name="wait", lo=0, hi=7200, format="%H:%M", thresholds=(1800,))
    >>> wait.count_of("01:30"), wait.written(3900), str(wait.literals[0])
    (5400, '01:05', 'wait >= 0:30:00')
    """

    format: str = "%-H:%M:%S"
    kind: ClassVar[str] = "duration"
    unit: ClassVar[timedelta] = timedelta(seconds=1)
    usual: ClassVar[str] = "%-H:%M:%S"

    @classmethod
    def fits(cls, format: str) -> bool:
        """One of a few; a dash says that the first part has no idle zero."""
        return format in _FORMATS

    @classmethod
    def needs(cls) -> str:
        """What a format must be, for whoever wrote another."""
        return f"must be one of {', '.join(_FORMATS)}"

    @property
    def scales(self) -> tuple[int, ...]:
        """How many seconds each part counts."""
        return tuple(_SECONDS[part[-1]] for part in self.format.split(":"))

    @property
    def grain(self) -> int:
        """What the last part counts."""
        return self.scales[-1]

    @property
    def longest(self) -> int:
        """The most that a bound can say, which is written in hours whatever the format is."""
        return 3600 * int(10**_DIGITS) - self.grain

    @cached_property
    def pattern(self) -> str:
        """A first part of up to six digits, two digits each for the others; every engine reads it alike."""
        return f"[ ]*[0-9]{{1,{_DIGITS}}}" + ":[0-5][0-9]" * (len(self.scales) - 1) + "[ ]*"

    @property
    def first_cells(self) -> NDArray[np.int64] | None:
        """As of other amounts."""
        return None if self.grid is None else self.grid.coarse

    def count_of(self, value: object) -> int | None:
        """The seconds of a duration or of a text."""
        if isinstance(value, timedelta):
            return value // self.unit
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
            return None
        parts = zip(value.strip().split(":"), self.scales, strict=True)
        return sum(int(part) * scale for part, scale in parts)

    def moment_of(self, text: str) -> timedelta:
        """A length of time."""
        count = self.count_of(text)
        assert count is not None, "a text of the column's own"
        return count * self.unit

    def written(self, count: int) -> str:
        """A duration in the column's format, rounded down to what it shows."""
        return _written(count, self.scales, idle="-" not in self.format)

    def shown(self, count: int) -> str:
        """A bound or threshold as text."""
        return _written(count, (3600, 60, 1), idle=False)


def _written(count: int, scales: tuple[int, ...], *, idle: bool) -> str:
    first, rest = divmod(count, scales[0])
    parts = [f"{first:02d}" if idle else str(first)]
    for scale in scales[1:]:
        part, rest = divmod(rest, scale)
        parts.append(f"{part:02d}")
    return ":".join(parts)
