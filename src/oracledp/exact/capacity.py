"""What exact arithmetic holds, decided from public numbers alone and before anything is paid.

A refusal that looked at the data (a sum of weights by label, the number of distinct records) would tell about a record.
So every mechanism asks here, with a public bound on the rows, the largest weight of a record, the lattice and the
worst noise: all Python integers. What passes can wrap nowhere, whatever the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.merging import exact_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_ROWS = 1 << 40
"""The most rows that a table may hold: the public bound where their number is private."""

MOST_UNIT = 1000
"""The largest weight of one record, as an integer."""

MOST_SCALES = 256
"""No draw is further from zero than this many noise scales: the samplers refuse it (probability e^-255)."""

INTEGERS = 1 << 62
"""Absolute values with a sum below this add up in 64-bit integers in any order, and two such sums do."""

TREES = 1 << 60
"""The same for a sampler of trees, with constants as large as the weights and distances of twice that."""

CONDITIONS = 1 << 59
"""The same for inclusion and exclusion over three tests: at most eight such sums are added."""

DOUBLES = 1 << 53
"""Integers with absolute values that sum to less are added and multiplied by ±1 exactly in double precision."""


def refuse_rows(counts: NDArray[Any]) -> int:
    """The number of rows, which is at most :data:`MOST_ROWS` in every table that this library takes."""
    rows = exact_sum(counts)
    if rows > MOST_ROWS:
        raise CapacityError("a table holds at most 2^40 rows")
    return rows


def refuse_overflow(
    *, rows_bound: int, unit: int = 1, resolution: int = 0, noise: int = 0, limit: int = INTEGERS
) -> None:
    """Refuse numbers that exact arithmetic might not hold: all of them are public."""
    if not fits(rows_bound=rows_bound, unit=unit, resolution=resolution, noise=noise, limit=limit):
        raise CapacityError(
            "rows, weights and noise are too large for exact arithmetic: use a larger epsilon or fewer rows"
        )


def fits(*, rows_bound: int, unit: int = 1, resolution: int = 0, noise: int = 0, limit: int = INTEGERS) -> bool:
    """Whether the weights of all rows, on the lattice, and the worst noise stay below the limit together."""
    if not 0 <= rows_bound <= MOST_ROWS:
        raise CapacityError("there can be at most 2^40 rows")
    if not 1 <= unit <= MOST_UNIT:
        raise ParameterError(f"one record weighs a whole number of units from 1 to {MOST_UNIT}")
    return (rows_bound * unit << resolution) + noise < limit
