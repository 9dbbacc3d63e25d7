"""Columns with an order: integers and numbers, cut by public thresholds and, with a resolution, finer than these."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema.columns import Codes, Column
from oracledp.data.schema.grid import Grid

REACH = 1 << 62  # integer bounds lie strictly inside ±REACH, so a larger value clamps without changing sides
DEFAULT_PARTS = 8  # of a column with a resolution and nothing else
LONGEST_RANGE = 1_000  # integers that may each be a code of their own without bins or thresholds


@dataclass(frozen=True, kw_only=True)
class Ordered(Column):
    """Values from ``lo`` to ``hi``, both included; the code counts the thresholds that are at most the value.

    A value outside the bounds counts as the nearer bound. ``clip`` says that such values are expected, so that a
    strict reading does not refuse them. With a ``resolution`` the column is also stored at that grain: the code is the
    cell of its :class:`~oracledp.data.schema.grid.Grid`, and thresholds are for literals alone. A ``grouped`` number is
    written with the separators of thousands that its files have, if any.
    """

    lo: float
    hi: float
    bins: int | None = None
    thresholds: tuple[float, ...] | None = None
    clip: bool = False
    resolution: Fraction | None = None
    grouped: bool = True

    @property
    def ordered(self) -> bool:
        """Always."""
        return True

    @abstractmethod
    def cut(self) -> tuple[float, ...]:
        """The thresholds that ``bins`` stands for."""

    @cached_property
    def cuts(self) -> tuple[float, ...]:
        """The thresholds, increasing, all in (lo, hi]: code c is worth at least the c-th."""
        return self.cut() if self.thresholds is None else self.thresholds

    @cached_property
    def grid(self) -> Grid | None:
        """The steps and cells of a column with a resolution."""
        if self.resolution is None:
            return None
        lo, hi = exactly(self.lo), exactly(self.hi)
        thresholds = tuple(exactly(cut) for cut in self.cuts)
        return Grid(lo, self.resolution, floor((hi - lo) / self.resolution), thresholds)

    @property
    def first_cells(self) -> NDArray[np.int64] | None:
        """The codes at which the cells of a first look at the column begin; None where even cells do."""
        return None if self.grid is None else self.grid.coarse

    def _even_steps(self, resolution: Fraction) -> list[int]:
        """Where a grid without thresholds is cut into parts of as many cells each: what rules may then distinguish."""
        lo, hi = exactly(self.lo), exactly(self.hi)
        starts = Grid(lo, resolution, floor((hi - lo) / resolution), ()).starts
        codes = sorted({len(starts) * part // DEFAULT_PARTS for part in range(1, DEFAULT_PARTS)} - {0})
        return [int(starts[code]) for code in codes]

    @cached_property
    def value_size(self) -> int:
        """How many bins or cells there are."""
        return len(self.cuts) + 1 if self.grid is None else self.grid.size

    @abstractmethod
    def steps(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """The step of the grid that is nearest to each number between the bounds."""

    def place(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """The code of each number between the bounds."""
        if self.grid is None:
            return np.searchsorted(np.array(self.cuts, dtype=numbers.dtype), numbers, side="right")
        return self.grid.codes(np.clip(self.steps(numbers), 0, self.grid.last))

    def amounts(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """The numbers that codes of values stand for, whatever they are spelled like."""
        return self.decode_values(codes, places)

    @property
    def value_labels(self) -> tuple[str, ...]:
        """``[25, 35)`` for a bin, the last one closed; a bin of one value is that value."""
        if self.grid is not None:
            return self._cell_labels(self.grid)
        starts = (self.lo, *self.cuts)
        inner = [self._label(start, stop) for start, stop in zip(starts, self.cuts, strict=False)]
        last = shown(self.hi) if starts[-1] == self.hi else f"[{shown(starts[-1])}, {shown(self.hi)}]"
        return (*inner, last)

    def _cell_labels(self, grid: Grid) -> tuple[str, ...]:
        values = [shown(value) for value in grid.decoded(np.append(grid.starts, grid.last)).tolist()]
        wide = (grid.widths > 1).tolist()
        ends = [f"[{a}, {b})" if w else a for a, b, w in zip(values, values[1:], wide, strict=False)]
        return (*ends[:-1], f"[{values[-2]}, {values[-1]}]" if wide[-1] else values[-2])

    def _label(self, start: float, stop: float) -> str:
        return f"[{shown(start)}, {shown(stop)})"

    @property
    def value_literals(self) -> tuple[Literal, ...]:
        """``column >= threshold`` for each threshold."""
        return tuple(Literal(self.name, ">=", plain(cut)) for cut in self.cuts)

    @cached_property
    def _code_of_cut(self) -> dict[Any, int]:
        if self.grid is None:
            return {cut: code for code, cut in enumerate(self.cuts, start=1)}
        steps = [self.grid.step_at_least(exactly(cut)) for cut in self.cuts]
        return dict(zip(self.cuts, self.grid.codes(np.array(steps, dtype=np.int64)).tolist(), strict=True))

    def codes_where(self, literal: Literal) -> range | None:
        """All codes from the threshold's on."""
        code = self._code_of_cut.get(literal.value) if literal.test == ">=" else None
        if code is None and literal.test == ">=":
            code = self.fine_code(literal.value)
        return None if code is None else range(code, self.value_size)

    def fine_code(self, value: str | int | float) -> int | None:
        """The first code at or above a number at which a cell of the grid begins; None where none does.

        >>> Integer(name="age", lo=17, hi=90, resolution=Fraction(1), thresholds=(25,)).fine_code(33)
        16
        """
        if self.grid is None or isinstance(value, str):
            return None
        step = self.grid.step_at_least(exactly(value))
        code = int(np.searchsorted(self.grid.starts, step))
        begins = 0 < step <= self.grid.last and int(self.grid.starts[code]) == step
        return code if begins and self.grid.lo + step * self.grid.resolution == exactly(value) else None

    def to_json(self) -> dict[str, Any]:
        """Bounds, bins or thresholds as they were given, ``clip`` and ``nullable`` where set."""
        cuts = None if self.thresholds is None else [plain(cut) for cut in self.thresholds]
        grain = None if self.resolution is None else written(self.resolution)
        bounds = {"lo": plain(self.lo), "hi": plain(self.hi), "resolution": grain}
        found = self._options(**bounds, **self._spelling(), bins=self.bins, thresholds=cuts, clip=self.clip)
        return found if self.grouped else found | {"thousands": False}

    def _spelling(self) -> dict[str, Any]:
        """What a kind says of how its values are written."""
        return {}


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
        """Bins as equal as whole numbers allow, or one code per integer; of a long range at a resolution, few."""
        values = self.hi - self.lo + 1
        if self.bins is None and self.resolution is not None and (values > LONGEST_RANGE or self.resolution > 1):
            return tuple(int(self.lo + self.resolution * step) for step in self._even_steps(self.resolution))
        bins = values if self.bins is None else self.bins
        return tuple(self.lo - (-index * values // bins) for index in range(1, bins))

    def _label(self, start: float, stop: float) -> str:
        return shown(start) if stop - start == 1 else super()._label(start, stop)

    def steps(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """In whole numbers; half a step goes up."""
        assert self.resolution is not None, "only asked of a grid"
        step = int(self.resolution)
        return np.asarray((numbers - self.lo + step // 2) // step, dtype=np.int64)

    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """An integer inside each bin."""
        if self.grid is not None:
            return np.asarray(self.lo + int(self.grid.resolution) * self.grid.inside(codes, places))
        starts = np.array([self.lo, *self.cuts], dtype=np.int64)
        widths = np.array([*self.cuts, self.hi + 1], dtype=np.int64) - starts
        width = widths[codes]
        steps = (places * width).astype(np.int64)
        inside: NDArray[np.int64] = starts[codes] + np.minimum(steps, width - 1)
        return inside


@dataclass(frozen=True, kw_only=True)
class Numeric(Ordered):
    """Real numbers, compared as 64-bit floats: bins of equal width, or thresholds.

    ``places`` says how many decimals are written at least in files; without it a whole number has one.

    >>> Numeric(name="hours", lo=0, hi=100, bins=4).labels
    ('[0, 25)', '[25, 50)', '[50, 75)', '[75, 100]')
    """

    places: int | None = None
    kind: ClassVar[str] = "numeric"

    def cut(self) -> tuple[float, ...]:
        """Equal widths, each edge the float nearest to the exact quotient; by the grid where there is nothing else."""
        if self.bins is None and self.resolution is not None:
            lo = exactly(self.lo)
            return tuple(float(lo + self.resolution * step) for step in self._even_steps(self.resolution))
        assert self.bins is not None, "parsing demands bins, thresholds or a resolution"
        lo, hi = Fraction(self.lo), Fraction(self.hi)
        return tuple(float(lo + (hi - lo) * index / self.bins) for index in range(1, self.bins))

    def _spelling(self) -> dict[str, Any]:
        return {"places": self.places}

    @cached_property
    def steps_per_unit(self) -> float:
        """By this float a number is multiplied, on every engine, to count its steps."""
        assert self.resolution is not None, "only asked of a grid"
        return float(1 / self.resolution)

    def steps(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """By IEEE arithmetic that every engine repeats to the bit: difference, product, sum, floor."""
        return np.asarray(np.floor((numbers - self.lo) * self.steps_per_unit + 0.5), dtype=np.int64)

    def decode_values(self, codes: Codes, places: NDArray[np.float64]) -> NDArray[Any]:
        """A number inside each bin."""
        if self.grid is not None:
            return self.grid.decoded(self.grid.inside(codes, places))
        starts = np.array([self.lo, *self.cuts], dtype=np.float64)
        stops = np.array([*self.cuts, self.hi], dtype=np.float64)
        greatest = np.append(np.nextafter(stops[:-1], -np.inf), stops[-1:])
        inside = starts[codes] * (1 - places) + stops[codes] * places
        return np.clip(inside, starts[codes], greatest[codes])


@dataclass(frozen=True, kw_only=True)
class Amount(Numeric):
    """Decimal money: a whole number of the last of its ``places``, written with all of them.

    >>> price = Amount(name="price", lo=0, hi=2.5, places=2, resolution=Fraction(1, 100))
    >>> price.size, price.to_json()
    (251, {'kind': 'decimal', 'lo': 0, 'hi': 2.5, 'places': 2})
    """

    places: int = 2
    kind: ClassVar[str] = "decimal"

    def to_json(self) -> dict[str, Any]:
        """Without the resolution, which the places say."""
        return {key: value for key, value in super().to_json().items() if key != "resolution"}


def exactly(number: float) -> Fraction:
    """A bound or threshold as it is written: the float 0.1 means one tenth.

    >>> exactly(0.1), exactly(7)
    (Fraction(1, 10), Fraction(7, 1))
    """
    return Fraction(str(number))


def written(resolution: Fraction) -> int | float | str:
    """A resolution as a number that reads back as itself, or as ``"1/3"``."""
    number = plain(float(resolution))
    return number if exactly(number) == resolution else str(resolution)


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
