"""Nearest neighbours of synthetic rows among the real ones, as a check of sanity: INTERNAL – NOT PRIVATE.

What protects people is the guarantee. Distances cannot show that it holds; they can show that rows were copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Column

_ASKED = 500  # rows whose nearest neighbour is looked for
_AMONG = 10_000  # rows among which it is
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Neighbourhood:
    """The nearest real row of synthetic rows, beside that of other real rows: median distance, and how many are equal.

    A distance is the mean over columns: 0 or 1 for categories, the distance of ranks for what is in order.
    """

    synthetic: float
    real: float
    synthetic_equal: float
    real_equal: float

    def __str__(self) -> str:
        near = f"median distance {self.synthetic:.4f}, {100 * self.synthetic_equal:.1f} % equal"
        usual = f"of real rows {self.real:.4f}, {100 * self.real_equal:.1f} %"
        return f"nearest real row of synthetic rows: {near}; {usual} (a check of sanity, no measure of privacy)"


def neighbourhood(columns: Sequence[Column], both: Sequence[Codes], generator: np.random.Generator) -> Neighbourhood:
    """Half of the real rows are asked about, as the synthetic ones are, among the other half."""
    order = generator.permutation(len(both[0]))
    half = max(len(order) // 2, 1)
    among, others = both[0][order[:half]][:_AMONG], both[0][order[half:]][:_ASKED]
    made = both[1][generator.permutation(len(both[1]))[:_ASKED]]
    places = [_places(column, among[:, at]) for at, column in enumerate(columns)]
    near, usual = (_nearest(columns, places, rows, among) for rows in (made, others))
    return Neighbourhood(_median(near), _median(usual), float((near == 0).mean()), float((usual == 0).mean()))


def _places(column: Column, codes: Codes) -> NDArray[np.float64] | None:
    """The rank of each code of an ordered column."""
    if not column.ordered:
        return None
    counts = np.bincount(codes, minlength=column.size)
    return np.asarray((np.cumsum(counts) - counts / 2) / max(len(codes), 1))


def _nearest(
    columns: Sequence[Column], places: Sequence[NDArray[np.float64] | None], rows: Codes, among: Codes
) -> NDArray[np.float64]:
    found = np.ones(len(rows))
    for number, row in enumerate(rows):
        total = np.zeros(len(among))
        for at, rank in enumerate(places):
            unequal = among[:, at] != row[at]
            if rank is None:
                total += unequal
            else:
                gap = np.abs(rank[among[:, at]] - rank[row[at]])
                outside = (among[:, at] >= columns[at].value_size) | (row[at] >= columns[at].value_size)
                total += np.where(unequal, np.where(outside, 1.0, np.maximum(gap, 1e-9)), 0.0)
        found[number] = total.min() / len(columns) if len(among) else 1.0
    return found


def _median(values: NDArray[np.float64]) -> float:
    return float(np.median(values)) if len(values) else 1.0
