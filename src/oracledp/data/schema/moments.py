"""Dates and time stamps: ordered columns counted in days or seconds since 1970, in a format of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema.columns import Codes
from oracledp.data.schema.moment_formats import FRACTION, MomentFormat
from oracledp.data.schema.ordered import Ordered

EPOCH = datetime(1970, 1, 1)
TYPED, TEXT = STORED = ("typed", "text")
_ORDER = ("%Y", "%m", "%d", "%H", "%M", "%S")


@dataclass(frozen=True, kw_only=True)
class Moment(Ordered):
    """A point in time as a whole number of units since 1970; what calendars do not know cannot be read.

    ``format`` has the directives of strftime, each part in as many digits as it can need, years from 1000. ``stored``
    says whether frames and Parquet files hold the column's type or texts.
    """

    lo: int
    hi: int
    thresholds: tuple[int, ...] | None = None
    resolution: Fraction | None = Fraction(1)
    format: str = ""
    stored: str | None = None
    unit: ClassVar[timedelta]
    usual: ClassVar[str]
    optional: ClassVar[tuple[str, ...]] = ()  # directives that a format need not hold

    @property
    def grain(self) -> int:
        """The resolution of a column that does not say another, in units."""
        return 1

    @property
    def typed(self) -> bool:
        """Whether synthetic rows hold moments as such where they can: texts in a format of their own stay texts."""
        return self.format == self.usual if self.stored is None else self.stored == TYPED

    def moment_of(self, text: str) -> date | datetime | timedelta:
        """What a text in the column's format says, as Python has it."""
        count = self.count_of(text)
        assert count is not None, "a text of the column's own"
        return EPOCH + count * self.unit

    @classmethod
    def directives(cls) -> tuple[str, ...]:
        """What a format holds, each once."""
        return tuple(part for part in _ORDER if part in cls.usual)

    @classmethod
    def fits(cls, format: str) -> bool:
        """Whether a format holds all that is needed, each once, between separators that every engine reads alike."""
        parts = set(cls.directives())
        return MomentFormat(format).fits(parts - set(cls.optional), parts | set(cls.optional))

    @classmethod
    def needs(cls) -> str:
        """What a format must be, for whoever wrote another."""
        optional = f" ({' '.join(cls.optional)} may be missing)" if cls.optional else ""
        names = "%b or %B may stand for %m, %-d for %d"
        return (
            f"must hold {' '.join(cls.directives())}, each once{optional}, with - / . , : T or blanks between; {names}"
        )

    @cached_property
    def spelled(self) -> MomentFormat:
        """The format."""
        return MomentFormat(self.format)

    @property
    def pattern(self) -> str:
        """What a text must match, on every engine."""
        return self.spelled.pattern

    def count_of(self, value: object) -> int | None:
        """The units since 1970 of a date, a time stamp or a text; None where there is no such moment."""
        if isinstance(value, str):
            read = self.spelled.read(value)
            if read is None:
                return None
            moment = read
        elif isinstance(value, datetime):
            moment = value.replace(tzinfo=None)
        elif isinstance(value, date):
            moment = datetime(value.year, value.month, value.day)
        else:
            return None
        return (moment - EPOCH) // self.unit

    def year_of(self, value: object) -> int | None:
        """The year of a moment; None where there is no such moment."""
        count = self.count_of(value)
        return None if count is None else (EPOCH + count * self.unit).year

    def cut(self) -> tuple[int, ...]:
        """Eight parts of the range, or as many as ``bins`` says."""
        parts = 8 if self.bins is None else self.bins
        assert self.resolution is not None, "a moment has a resolution"
        last = (self.hi - self.lo) // int(self.resolution)
        steps = sorted({last * part // parts for part in range(1, parts)} - {0})
        return tuple(self.lo + int(self.resolution) * step for step in steps)

    @property
    def first_cells(self) -> NDArray[np.int64] | None:
        """Even ones: no day is nearer to zero than another."""
        return None

    def steps(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """Rounded down: a time stamp at the resolution of an hour is its hour."""
        assert self.resolution is not None, "a moment has a resolution"
        return np.asarray((numbers - self.lo) // int(self.resolution), dtype=np.int64)

    def amounts(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """Units since 1970."""
        assert self.grid is not None, "a moment has a resolution"
        return np.asarray(self.lo + int(self.grid.resolution) * self.grid.inside(codes, places))

    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """Texts in the column's format."""
        found, inverse = np.unique(self.amounts(codes, places), return_inverse=True)
        return np.array([self.written(int(count)) for count in found], dtype=object)[inverse]

    def written(self, count: int) -> str:
        """A moment in the column's format."""
        return self.spelled.written(EPOCH + count * self.unit)

    @property
    def value_labels(self) -> tuple[str, ...]:
        """The first moment of each cell."""
        assert self.grid is not None, "a moment has a resolution"
        return tuple(self.shown(self.lo + int(self.grid.resolution) * int(step)) for step in self.grid.starts)

    @property
    def value_literals(self) -> tuple[Literal, ...]:
        """``column >= 2020-01-31`` for each threshold, whatever the format of the rows."""
        return tuple(Literal(self.name, ">=", self.shown(int(cut))) for cut in self.cuts)

    @cached_property
    def _code_of_cut(self) -> dict[Any, int]:
        assert self.grid is not None, "a moment has a resolution"
        steps = np.array([self.grid.step_at_least(Fraction(cut)) for cut in self.cuts], dtype=np.int64)
        return dict(zip((self.shown(int(cut)) for cut in self.cuts), self.grid.codes(steps).tolist(), strict=True))

    def shown(self, count: int) -> str:
        """A bound or threshold as text, in the usual format."""
        return (EPOCH + count * self.unit).strftime(self.usual)

    def fine_code(self, value: str | int | float) -> int | None:
        """As for numbers, of a moment in the usual format."""
        count = self._in_usual(value) if isinstance(value, str) else int(value)
        return None if count is None else super().fine_code(count)

    def count_said(self, text: str) -> int | None:
        """The units since 1970 of a moment in a condition: in the column's format, else in the usual one."""
        own = self.count_of(text)
        return self._in_usual(text) if own is None else own

    def _in_usual(self, text: str) -> int | None:
        return type(self)(name=self.name, lo=0, hi=1).count_of(text)

    def to_json(self) -> dict[str, Any]:
        """Bounds and thresholds in the usual format, whatever is not the default besides."""
        cuts = None if self.thresholds is None else [self.shown(cut) for cut in self.thresholds]
        grain = None if self.resolution == self.grain else int(self.resolution or 1)
        own = None if self.format == self.usual else self.format
        spelled = {"format": own, "stored": self.stored}
        bounds = {"lo": self.shown(self.lo), "hi": self.shown(self.hi), **spelled, "resolution": grain}
        return self._options(**bounds, bins=self.bins, thresholds=cuts, clip=self.clip)


@dataclass(frozen=True, kw_only=True)
class Date(Moment):
    """A day.

    >>> born = Date(name="born", lo=0, hi=30, format="%d/%m/%Y", thresholds=(10,))
    >>> str(born.literals[0]), born.decode(np.array([30])).tolist(), born.count_of("31/01/1970")
    ('born >= 1970-01-11', ['31/01/1970'], 30)
    """

    format: str = "%Y-%m-%d"
    kind: ClassVar[str] = "date"
    unit: ClassVar[timedelta] = timedelta(days=1)
    usual: ClassVar[str] = "%Y-%m-%d"

    def moment_of(self, text: str) -> date:
        """A day."""
        moment = super().moment_of(text)
        assert isinstance(moment, datetime)
        return moment.date()


@dataclass(frozen=True, kw_only=True)
class Timestamp(Moment):
    """A second, or a coarser unit of so many seconds as the resolution says: a minute where the format has no seconds.

    >>> seen = Timestamp(name="seen", lo=0, hi=86399, resolution=Fraction(3600))
    >>> seen.size, seen.count_of("1970-01-01 05:00:00"), seen.decode(np.array([5])).tolist()
    (24, 18000, ['1970-01-01 05:00:00'])
    """

    format: str = "%Y-%m-%d %H:%M:%S"
    kind: ClassVar[str] = "timestamp"
    unit: ClassVar[timedelta] = timedelta(seconds=1)
    usual: ClassVar[str] = "%Y-%m-%d %H:%M:%S"
    optional: ClassVar[tuple[str, ...]] = ("%S", FRACTION)

    @property
    def grain(self) -> int:
        """A minute, where the format tells no seconds apart."""
        return 1 if "%S" in self.format else 60
