"""Definitions of columns with an order: numbers, amounts of money, moments and durations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from oracledp.data.schema.columns import MAX_SIZE, Column
from oracledp.data.schema.entries import Entry
from oracledp.data.schema.grid import MOST_STEPS
from oracledp.data.schema.moments import STORED, Moment
from oracledp.data.schema.ordered import LONGEST_RANGE, Amount, Integer, Numeric, Ordered, exactly
from oracledp.errors import ParameterError
from oracledp.exact.numbers import positive

Number = TypeVar("Number", int, float)
MOST_PLACES = 9  # decimals of an amount or of a spelling


def parse_integer(entry: Entry) -> Column:
    """Whole numbers between bounds."""
    lo, hi = (entry.integer(key, entry.bound(key)) for key in ("lo", "hi"))
    bins, thresholds = _parse_cuts(entry, entry.integer, lo, hi)
    values = hi - lo + 1
    if bins is not None and bins > values:
        entry.refuse("bins", f"must be at most {values}, the number of integers from lo to hi")
    resolution = _parse_resolution(entry, lo, hi)
    if resolution is not None and resolution.denominator != 1:
        entry.refuse("resolution", "must be a whole number in an integer column")
    if bins is None and thresholds is None and resolution is None and values > LONGEST_RANGE:
        problem = f"lo to hi holds more than {LONGEST_RANGE:,} integers"
        entry.refuse("resolution", f"such as 1, 'bins' or 'thresholds' needed: {problem}")
    column = Integer(
        name=entry.name,
        lo=lo,
        hi=hi,
        bins=bins,
        thresholds=thresholds,
        clip=entry.flag("clip"),
        resolution=resolution,
        grouped=_parse_grouped(entry),
        **entry.gaps(),
    )
    return _checked_grid(entry, column)


def parse_numeric(entry: Entry) -> Column:
    """Numbers between bounds, told apart as finely as the definition says."""
    lo, hi = (entry.number(key, entry.bound(key)) for key in ("lo", "hi"))
    bins, thresholds = _parse_cuts(entry, entry.number, lo, hi)
    resolution = _parse_resolution(entry, lo, hi)
    if bins is None and thresholds is None and resolution is None:
        entry.refuse("resolution", "such as 0.01, 'bins' or 'thresholds' needed: how finely are numbers told apart?")
    column = Numeric(
        name=entry.name,
        lo=lo,
        hi=hi,
        bins=bins,
        thresholds=thresholds,
        clip=entry.flag("clip"),
        resolution=resolution,
        places=_parse_places(entry),
        grouped=_parse_grouped(entry),
        **entry.gaps(),
    )
    edges = (lo, *column.cuts, hi)
    if bins is not None and any(left >= right for left, right in pairwise(edges)):
        entry.refuse("bins", "too many: neighbouring edges are the same 64-bit float")
    return _checked_grid(entry, column)


def parse_amount(entry: Entry) -> Column:
    """Whole numbers of the last decimal place: cents."""
    places = _parse_places(entry)
    if places is None:
        entry.refuse("places", "missing; how many decimals has an amount? 2 for cents")
    lo, hi = (entry.number(key, entry.bound(key)) for key in ("lo", "hi"))
    bins, thresholds = _parse_cuts(entry, entry.number, lo, hi)
    for key, value in (("lo", lo), ("hi", hi), *(("thresholds", cut) for cut in thresholds or ())):
        if (exactly(value) * 10**places).denominator != 1:
            entry.refuse(key, f"must have at most {places} decimals")
    resolution = Fraction(1, 10**places)
    if (exactly(hi) - exactly(lo)) / resolution > MOST_STEPS:
        entry.refuse("hi", "too far from lo: more than 2^52 steps of the last decimal place")
    column = Amount(
        name=entry.name, lo=lo, hi=hi, bins=bins, thresholds=thresholds, clip=entry.flag("clip"),
        resolution=resolution, places=places, grouped=_parse_grouped(entry), **entry.gaps(),
    )  # fmt: skip
    return _checked_grid(entry, column)


def _parse_places(entry: Entry) -> int | None:
    """How many decimals are written at least."""
    given = entry.entry.get("places")
    if given is None:
        return None
    if not 0 <= entry.integer("places", given) <= MOST_PLACES:
        entry.refuse("places", f"must be 0 to {MOST_PLACES}")
    return int(given)


def _parse_grouped(entry: Entry) -> bool:
    """Whether numbers are written with the file's separators of thousands, as they are unless the column says no."""
    return "thousands" not in entry.entry or entry.flag("thousands")


def parse_moment(entry: Entry, kind: type[Moment]) -> Column:
    """A moment or duration in the format of its rows."""
    spelled = entry.entry.get("format", kind.usual)
    if not isinstance(spelled, str) or not kind.fits(spelled):
        entry.refuse("format", kind.needs())
    stored = entry.entry.get("stored")
    if stored is not None and stored not in STORED:
        entry.refuse("stored", f"must be {' or '.join(STORED)}")
    model = kind(name=entry.name, lo=0, hi=1, format=kind.usual)
    own = kind(name=entry.name, lo=0, hi=1, format=spelled)

    def read(key: str, value: object) -> int:
        found = model.count_of(value)
        found = own.count_of(value) if found is None else found
        if found is None:
            entry.refuse(key, f"must be a {kind.kind} such as {model.shown(0)!r}, in quotes")
        return found

    lo, hi = (read(key, entry.bound(key)) for key in ("lo", "hi"))
    bins, thresholds = _parse_cuts(entry, read, lo, hi)
    given = entry.entry.get("resolution")
    resolution = Fraction(own.grain) if given is None else _parse_resolution(entry, lo, hi)
    if resolution is None or resolution.denominator != 1:
        entry.refuse("resolution", "must be a whole number of days, or of seconds for time stamps and durations")
    column = kind(
        name=entry.name, lo=lo, hi=hi, bins=bins, thresholds=thresholds, resolution=resolution, format=spelled,
        stored=stored, clip=entry.flag("clip"), **entry.gaps(),
    )  # fmt: skip
    return _checked_grid(entry, column)


def _parse_resolution(entry: Entry, lo: float, hi: float) -> Fraction | None:
    given = entry.entry.get("resolution")
    if given is None:
        return None
    try:
        resolution = positive(given, "resolution")
    except ParameterError:
        entry.refuse("resolution", "must be a number greater than 0, such as 1 or 0.01")
    if resolution > exactly(hi) - exactly(lo):
        entry.refuse("resolution", "must be at most hi - lo")
    if (exactly(hi) - exactly(lo)) / resolution > MOST_STEPS:
        entry.refuse("resolution", "too fine: lo to hi holds more than 2^52 steps")
    return resolution


def _checked_grid(entry: Entry, column: Ordered) -> Column:
    """Thresholds that the grid tells apart."""
    if column.grid is not None:
        steps = [column.grid.step_at_least(cut) for cut in column.grid.thresholds]
        if any(left >= right for left, right in pairwise((0, *steps, column.grid.last + 1))):
            key = "bins" if column.thresholds is None else "thresholds"
            entry.refuse(key, "closer together, or to a bound, than the resolution")
    return column


def _parse_cuts(
    entry: Entry, read: Callable[[str, object], Number], lo: Number, hi: Number
) -> tuple[int | None, tuple[Number, ...] | None]:
    """Bins, thresholds or neither, checked against the bounds."""
    if lo >= hi:
        entry.refuse("lo", "must be less than hi")
    bins, listed = entry.entry.get("bins"), entry.items("thresholds")
    if bins is not None and listed is not None:
        entry.refuse("thresholds", "give bins or thresholds, not both")
    if bins is not None and not 2 <= entry.integer("bins", bins) <= MAX_SIZE:
        entry.refuse("bins", f"must be 2 to {MAX_SIZE:,}")
    if listed is None:
        return (None if bins is None else int(bins)), None
    thresholds = tuple(read("thresholds", item) for item in listed)
    if not thresholds:
        entry.refuse("thresholds", "must list at least one number")
    if any(left >= right for left, right in pairwise(thresholds)):
        entry.refuse("thresholds", "must increase strictly")
    if thresholds[0] <= lo or thresholds[-1] > hi:
        entry.refuse("thresholds", "must be greater than lo and at most hi")
    return None, thresholds
