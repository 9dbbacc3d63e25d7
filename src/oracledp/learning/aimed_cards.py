"""Logistic cards for a share between 0 and 1 instead of a class, by noisy gradients (proofs/regression.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import ParameterError
from oracledp.learning.automatic import descent
from oracledp.learning.blocks import Block
from oracledp.learning.cards import cards_of
from oracledp.learning.feature_maps import FeatureMap, feature_map
from oracledp.learning.task import Cards
from oracledp.mechanisms.gradients import NoisyGradients
from oracledp.mechanisms.row_count import SHARE, RowCount, sizes
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.lattice import lattice
from oracledp.randomness.source import Randomness

CLIP = Fraction(1, 4)


@dataclass(frozen=True)
class AimedCards:
    """A count of the rows, where ``rows`` does not tell them, then one card: (ε, δ)-DP together.

    No record weighs more than ``heaviest``, which only scales the objective.
    """

    literals: Literals
    blocks: tuple[Block, ...]
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    rows: int | None
    heaviest: int = 1

    def __post_init__(self) -> None:
        if len(self.literals) == 0:
            raise ParameterError("there is no column to learn from")

    @property
    def guarantee(self) -> Guarantee:
        """Robust: it depends on no solver."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours, proof="regression")

    def check(self, rows_bound: int) -> None:
        """Refuse what the gradients would refuse for one of the sizes that a count can come to."""
        for size in sizes() if self.rows is None else (self.rows,):
            self._gradients(self._encoding, size).check(rows_bound, self.heaviest)

    def run(
        self,
        records: NDArray[np.uint8],
        values: NDArray[np.int64],
        grid: int,
        weights: NDArray[np.int64] | None,
        source: Randomness,
    ) -> Cards:
        """One card for values from 0 to ``grid``."""
        size = self.rows if self.rows is not None else self._count.run(len(records), source)
        encoding = self._encoding
        mechanism = self._gradients(encoding, size)
        packed = PackedRecords.of(records)
        equal = packed.equal(apart=[values, *([] if weights is None else [weights])])
        first, shown = equal.first(), equal.totals(np.ones(len(records), dtype=np.int64))
        aims = (values[first] << mechanism.lattice.residual_bits) // grid
        shares = None if weights is None else (weights[first], self.heaviest)
        found = mechanism.run_aimed(encoding.rows(packed[first]), shown, aims, source, shares=shares)
        queries, logit = cards_of(*encoding.by_literal(found), self.literals)
        return Cards(queries, Certificate(Trust.PROVED, mechanism.name), logit)

    @property
    def _count(self) -> RowCount:
        return RowCount(self.epsilon * SHARE)

    @property
    def _encoding(self) -> FeatureMap:
        return feature_map(self.blocks, len(self.literals), lattice().feature_length)

    def _gradients(self, encoding: FeatureMap, size: int) -> NoisyGradients:
        """Slower than for classes, and clipped the same on all tables: residuals of a share are small."""
        epsilon = self.epsilon if self.rows is not None else self.epsilon - self._count.epsilon
        path = descent(size, epsilon, self.delta, len(self.blocks))
        return NoisyGradients(
            features=encoding.count,
            longest=encoding.longest,
            reach=encoding.reach,
            outputs=1,
            descent=replace(path, clip=CLIP, rate=min(path.rate / 4, 2.0)),
            epsilon=epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
        )
