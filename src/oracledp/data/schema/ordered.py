"""Columns with an order: integers and numbers, cut into bins by public thresholds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema.columns import Codes, Column

REACH = 1 << 62  # integer bounds lie strictly inside ±REACH, so a larger value clamps without changing sides
LONGEST_RANGE = 1_000  # integers that may each be a code of their own without bins or thresholds


@dataclass(frozen=True, kw_only=True)
class Ordered(Column):
    """Values from ``lo`` to ``hi``, both included; the code counts the thresholds that are at most the value.

    A value outside the bounds counts as the nearer bound. ``clip`` says that such values are expected, so that a
    strict reading does not refuse them.
    """

    lo: float
    hi: float
    bins: int | None = None
    thresholds: tuple[float, ...] | None = None
    clip: bool = False
    ordered: ClassVar[bool] = True

    @abstractmethod
    def cut(self) -> tuple[float, ...]:
        """The thresholds that ``bins`` stands for."""

    @cached_property
    def cuts(self) -> tuple[float, ...]:
        """The thresholds, increasing, all in (lo, hi]: code c is worth at least the c-th."""
        return self.cut() if self.thresholds is None else self.thresholds

    @property
    def value_labels(self) -> tuple[str, ...]:
        """``[25, 35)`` for a bin, the last one closed; a bin of one value is that value."""
        starts = (self.lo, *self.cuts)
        inner = [self._label(start, stop) for start, stop in zip(starts, self.cuts, strict=False)]
        last = shown(self.hi) if starts[-1] == self.hi else f"[{shown(starts[-1])}, {shown(self.hi)}]"
        return (*inner, last)

    def _label(self, start: float, stop: float) -> str:
        return f"[{shown(start)}, {shown(stop)})"

    @property
    def value_literals(self) -> tuple[Literal, ...]:
        """``column >= threshold`` for each threshold."""
        return tuple(Literal(self.name, ">=", plain(cut)) for cut in self.cuts)

    @cached_property
    def _code_of_cut(self) -> dict[Any, int]:
        return {cut: code for code, cut in enumerate(self.cuts, start=1)}

    def codes_where(self, literal: Literal) -> range | None:
        """All codes from the threshold's on."""
        code = self._code_of_cut.get(literal.value) if literal.test == ">=" else None
        return None if code is None else range(code, self.value_size)

    def to_json(self) -> dict[str, Any]:
        """Bounds, bins or thresholds as they were given, ``clip`` and ``nullable`` where set."""
        cuts = None if self.thresholds is None else [plain(cut) for cut in self.thresholds]
        return self._options(lo=plain(self.lo), hi=plain(self.hi), bins=self.bins, thresholds=cuts, clip=self.clip)


@dataclass(frozen=True, kw_only=True)
class Integer(Ordered):
    """Whole numbers. Without bins or thresholds every integer from ``lo`` to ``hi`` is a code of its own.

    >>> age = Integer(name="age", lo=17, hi=90, thresholds=(25, 65))
    >>> age.labels, [str(literal) for literal in age.literals]
    (('[17, 25)', '[25, 65)', '[65, 90]'), ['age >= 25', 'age >= 65'])
    """

    lo: int
    hi: int
    thresholds: tuple[int, ...] | None = None
    kind: ClassVar[str] = "integer"

    def cut(self) -> tuple[int, ...]:
        """Bins as equal as whole numbers allow, or one code per integer."""
        values = self.hi - self.lo + 1
        bins = values if self.bins is None else self.bins
        return tuple(self.lo - (-index * values // bins) for index in range(1, bins))

    def _label(self, start: float, stop: float) -> str:
        return shown(start) if stop - start == 1 else super()._label(start, stop)

    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """An integer inside each bin."""
        starts = np.array([self.lo, *self.cuts], dtype=np.int64)
        widths = np.array([*self.cuts, self.hi + 1], dtype=np.int64) - starts
        width = widths[codes]
        steps = (places * width).astype(np.int64)
        inside: NDArray[np.int64] = starts[codes] + np.minimum(steps, width - 1)
        return inside


@dataclass(frozen=True, kw_only=True)
class Numeric(Ordered):
    """Real numbers, compared as 64-bit floats: bins of equal width, or thresholds.

    >>> Numeric(name="hours", lo=0, hi=100, bins=4).labels
    ('[0, 25)', '[25, 50)', '[50, 75)', '[75, 100]')
    """

    kind: ClassVar[str] = "numeric"

    def cut(self) -> tuple[float, ...]:
        """Equal widths, each edge the float nearest to the exact quotient."""
        assert self.bins is not None, "parsing demands bins or thresholds"
        lo, hi = Fraction(self.lo), Fraction(self.hi)
        return tuple(float(lo + (hi - lo) * index / self.bins) for index in range(1, self.bins))

    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """A number inside each bin."""
        starts = np.array([self.lo, *self.cuts], dtype=np.float64)
        stops = np.array([*self.cuts, self.hi], dtype=np.float64)
        greatest = np.append(np.nextafter(stops[:-1], -np.inf), stops[-1:])
        inside = starts[codes] * (1 - places) + stops[codes] * places
        return np.clip(inside, starts[codes], greatest[codes])


def plain(number: float) -> int | float:
    """A whole number as an int, so that it prints without a point.

    >>> plain(10.0), plain(0.1)
    (10, 0.1)
    """
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 1e16
    return int(number) if whole else number


def shown(number: float) -> str:
    """A bound or threshold as text."""
    return str(plain(number))
