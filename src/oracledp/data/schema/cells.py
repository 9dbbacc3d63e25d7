"""Where a condition can cut an ordered column: between the cells in which its values are stored."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from oracledp.data.literals import Literal
from oracledp.data.schema.grid import Steps
from oracledp.data.schema.moments import Moment
from oracledp.data.schema.ordered import Integer, Ordered, plain

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
_LONGEST = 60  # letters of a number
EQUAL = ("=", "==")
BEHIND = (">", "<=")  # the cut is behind the value, not before it


def number_in(text: str, column: Ordered) -> Fraction | None:
    """The number that a text means in a column; a date is one in the column's own format, or else in the usual one."""
    if isinstance(column, Moment):
        count = column.count_said(text)
        return None if count is None else Fraction(count)
    return Fraction(text) if len(text) <= _LONGEST and _NUMBER.fullmatch(text) else None


@dataclass(frozen=True)
class Cells:
    """A column whose values are whole steps above ``lo``; the steps at which its cells begin, and the last step.

    >>> age = Cells.of(Integer(name="age", lo=0, hi=99, thresholds=(18, 65)))
    >>> [str(literal) for literal in age.literals("<=", Fraction(64)) or ()], age.near(">=", Fraction(30))
    (['age < 65'], ['18', '65'])
    """

    column: Ordered
    lo: Fraction
    step: Fraction
    starts: Steps
    last: int

    @classmethod
    def of(cls, column: Ordered) -> Cells | None:
        """None for real numbers without a resolution: they know no next one."""
        grid = column.grid
        if grid is not None:
            return cls(column, grid.lo, grid.resolution, grid.starts, grid.last)
        if not isinstance(column, Integer):
            return None
        starts = np.array([0, *(cut - column.lo for cut in column.cuts)], dtype=np.int64)
        return cls(column, Fraction(column.lo), Fraction(1), starts, column.hi - column.lo)

    def literals(self, test: str, number: Fraction) -> tuple[Literal, ...] | None:
        """What together says just this; None where no cells do."""
        at = (number - self.lo) / self.step
        if at.denominator != 1:
            return None
        if test in EQUAL:
            return self._equal(at.numerator)
        found = self._from(at.numerator + (test in BEHIND))
        return None if found is None else (found if test in (">=", ">") else found.negated(),)

    def _from(self, place: int) -> Literal | None:
        """That a value is at such a step or behind it."""
        if not 0 < place <= self.last or place not in self.starts:
            return None
        value = self._value(place)
        fits = self.column.grid is None or self.column.fine_code(value) is not None
        return Literal(self.column.name, ">=", value) if fits else None

    def _equal(self, place: int) -> tuple[Literal, ...] | None:
        first, last = self._from(place), self._from(place + 1)
        if not 0 <= place <= self.last or (place > 0 and first is None) or (place < self.last and last is None):
            return None
        present = (Literal.missing(self.column.name).negated(),) if self.column.nullable else ()
        return (*(present if first is None else (first,)), *(() if last is None else (last.negated(),)))

    def near(self, test: str, number: Fraction) -> list[str]:
        """The nearest numbers below and above for which such a test has literals, as the column's files write them."""
        if test in EQUAL:
            possible = self.starts[np.diff(np.append(self.starts, self.last + 1)) == 1]
        else:
            possible = self.starts[1:] - (test in BEHIND)
        at = int(np.searchsorted(possible, ceil((number - self.lo) / self.step)))
        return [self.written(int(place)) for place in possible[max(at - 1, 0) : at + 1]]

    def around(self, number: Fraction) -> tuple[str, ...]:
        """The ends of the cell that holds a value, as tests; none for what is no value."""
        at = (number - self.lo) / self.step
        if at.denominator != 1:
            return ()
        code = int(np.searchsorted(self.starts, at.numerator, side="right")) - 1
        first = (f">= {self.written(int(self.starts[code]))}",) if code else ()
        last = (f"< {self.written(int(self.starts[code + 1]))}",) if code + 1 < len(self.starts) else ()
        return (*first, *last)

    def beyond(self, test: str, number: Fraction) -> bool | None:
        """Whether all values meet a test since its number lies beyond them, or none does; None where it does not."""
        low = number < self.lo or (number == self.lo and test in (">=", "<"))
        high = number > self.highest or (number == self.highest and test in BEHIND)
        return None if not (low or high) else test not in EQUAL and (test in (">=", ">")) == low

    @property
    def highest(self) -> Fraction:
        """The greatest value."""
        return self.lo + self.last * self.step

    def written(self, place: int) -> str:
        """The value at a step, as it may be said."""
        number = self.lo + place * self.step
        return self.column.written(int(number)).strip() if isinstance(self.column, Moment) else str(self._value(place))

    def _value(self, place: int) -> str | int | float:
        number = self.lo + place * self.step
        if isinstance(self.column, Moment):
            return self.column.shown(int(number))
        return int(number) if number.denominator == 1 else plain(float(number))
