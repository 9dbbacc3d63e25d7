"""The payoff of one round: private rows against proposed ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.data.packed_records import PackedRecords
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.proposals import equal_unit, proposal_weights, selection_resolution
from oracledp.mechanisms.scoreboard import Scoreboard

Weighted = tuple[PackedRecords, NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Payoff:
    """n·(q(S) - q(proposal)) over Q ∪ ¬Q. The rows and counts are private, the proposals public.

    Proposals of later rounds weigh more, linearly; a single one is the round's own. Where there is a scoreboard it
    says what :meth:`selection` says, integer for integer.
    """

    closed: QueryClass
    private: PackedRecords
    counts: NDArray[np.int64]
    proposals: tuple[PackedRecords, ...]
    board: Scoreboard | None = None

    def objective(self, resolution: int) -> Objective:
        """Minus the payoff, to be minimised: weight -1 on each private row, n in all on the proposed ones (E5, A8)."""
        return Objective.scaled(self.closed, *self.weighted_rows(resolution), resolution=resolution)

    @property
    def resolution(self) -> int:
        """The lattice of :meth:`selection`, from public numbers."""
        return selection_resolution(self._rows_count, self._whole)

    def selection(self) -> Objective:
        """Minus the payoff, each proposed record weighing a whole multiple of one unit."""
        unit = equal_unit(self._rows_count, self._whole, self.resolution)
        public = np.repeat(unit * np.arange(1, len(self.proposals) + 1), len(self.proposals[0]))
        weights = np.concatenate([-self.counts << self.resolution, public])
        rows = PackedRecords.together([self.private, *self.proposals])
        return Objective.scaled(self.closed, rows, weights, resolution=self.resolution)

    @property
    def _rows_count(self) -> int:
        return int(self.counts.sum())

    @property
    def _whole(self) -> int:
        return len(self.proposals[0]) * sum(range(1, len(self.proposals) + 1))

    def weighted_rows(self, resolution: int) -> Weighted:
        """Private rows of weight -1 and proposed ones of n in all, in lattice units."""
        return self._rows(self.private, self.counts, int(self.counts.sum()) << resolution, resolution)

    def part(
        self, private: PackedRecords | NDArray[np.uint8], counts: NDArray[np.int64], public_total: int, resolution: int
    ) -> Objective:
        """The same over some of the private rows, with this weight in all on the proposals."""
        return Objective.scaled(
            self.closed, *self._rows(private, counts, public_total, resolution), resolution=resolution
        )

    def _rows(
        self, private: PackedRecords | NDArray[np.uint8], counts: NDArray[np.int64], public_total: int, resolution: int
    ) -> Weighted:
        """The public side is rounded to the lattice; only the private weight must be exact."""
        weights = tuple(range(1, len(self.proposals) + 1))
        public = proposal_weights(weights, len(self.proposals[0]), public_total)
        return PackedRecords.together([private, *self.proposals]), np.concatenate([-counts << resolution, public])
