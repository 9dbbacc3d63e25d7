"""The payoff of every query at once, kept up to date: for classes small enough to be listed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.signed import Signed
from oracledp.classes.tables import Parts, parts_of
from oracledp.data.packed_records import PackedRecords
from oracledp.mechanisms.proposals import equal_unit
from oracledp.oracles.batch import data_values, whole_table
from oracledp.oracles.problem import WeightedProblem

MOST_QUERIES = 200_000
MOST_CELLS = 8_000_000_000  # queries × private rows that may be distinct, evaluated once

Counts = NDArray[np.int64]


class Scoreboard:
    """Each query's count on the private rows (evaluated once) and its weight on all proposals (a round at a time).

    It says the same integers as :meth:`oracledp.mechanisms.payoff.Payoff.selection`, only faster.
    """

    def __init__(self, closed: Signed, private: PackedRecords, counts: Counts) -> None:
        self.closed = closed
        self._table = whole_table(closed.base)
        self._rows = int(counts.sum())
        self._private = self._held(private, counts)
        self._proposed = np.zeros(len(self._table), dtype=np.int64)
        self._whole = 0

    @classmethod
    def affordable(cls, closed: QueryClass, rows: int) -> bool:
        """Whether every query can be listed, and evaluated on so many rows: a public bound on the distinct ones."""
        return isinstance(closed, Signed) and closed.size <= MOST_QUERIES and closed.size * rows <= MOST_CELLS

    def add(self, proposal: PackedRecords, weight: int) -> None:
        """One more round's records, each of this weight."""
        self._proposed += self._held(proposal, np.full(len(proposal), weight, dtype=np.int64))
        self._whole += weight * len(proposal)

    def clear(self) -> None:
        """Forget all proposals."""
        self._proposed[:] = 0
        self._whole = 0

    def values(self, resolution: int) -> Counts:
        """n·(q(proposals) - q(S)) in lattice units for each query of Q, then of ¬Q; only the public side is rounded."""
        unit = equal_unit(self._rows, self._whole, resolution)
        values = unit * self._proposed - (self._private << resolution)
        return np.concatenate([values, unit * self._whole - (self._rows << resolution) - values])

    def parts_at(self, index: int) -> Parts:
        """The query at one place of :meth:`values`."""
        negated, place = divmod(index, len(self._table))
        return (*parts_of(self._table[place]), self.closed.base.part_count + negated)

    def _held(self, records: PackedRecords, weights: Counts) -> Counts:
        problem = WeightedProblem.build(self.closed.base, records, weights)
        return data_values(problem, self._table)
