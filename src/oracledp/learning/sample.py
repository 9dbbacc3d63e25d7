"""What a learner sees of the private rows: distinct feature records with the weight of each label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_UNIT, refuse_rows
from oracledp.exact.merging import EqualRows
from oracledp.learning.blocks import Block


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct 0/1 records over literals, each with its weight under the positive and the negative label.

    **Private but for the literals and the unit.** One record of the data weighs at most ``unit``, so it moves a
    weighted error count by at most that (proofs/override-lists.md, section 1).
    """

    literals: Literals
    records: NDArray[np.uint8]
    positive: NDArray[np.int64]
    negative: NDArray[np.int64]
    rows: int
    unit: int

    @classmethod
    def of(
        cls,
        literals: Literals,
        records: NDArray[np.uint8],
        label: NDArray[np.bool_],
        *,
        counts: NDArray[np.int64] | None = None,
        weights: tuple[int, int] = (1, 1),
    ) -> Sample:
        """Merge equal records; ``weights`` are those of the negative and the positive label."""
        if not 1 <= min(weights) <= max(weights) <= MOST_UNIT:
            raise ParameterError(f"the weights of a label are integers from 1 to {MOST_UNIT}: see whole_weights")
        count = np.ones(len(records), dtype=np.int64) if counts is None else counts
        rows = refuse_rows(count)
        equal = EqualRows.of(records)
        positive = equal.totals(np.where(label, count * weights[1], 0))
        negative = equal.totals(np.where(label, 0, count * weights[0]))
        return cls(literals, records[equal.first()], positive, negative, rows, max(weights))

    @classmethod
    def from_table(cls, table: Table, target: Literal, *, weights: tuple[int, int] = (1, 1)) -> Sample:
        """The rows of a table, to predict one literal from the other columns."""
        literals = table.schema.literals.without(target.column)
        label = table.matrix(Literals((target,)))[:, 0] == 1
        return cls.of(literals, table.matrix(literals), label, counts=table.counts, weights=weights)

    @property
    def gain(self) -> NDArray[np.int64]:
        """How much the weighted error falls where a record is predicted positive instead of negative."""
        return self.positive - self.negative

    def features(self, blocks: tuple[Block, ...]) -> NDArray[np.int8]:
        """The records as the surrogate sees them: each block's columns, and a last one of ones."""
        ones = np.ones((len(self.records), 1), dtype=np.int8)
        return np.hstack([*(block.features(self.records) for block in blocks), ones])

    def labelled(self, wanted: Literals) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The values of ``wanted`` with the label in a last column, and weights: what a 0/1-loss class reads."""
        last = np.repeat(np.array([[1], [0]], dtype=np.uint8), len(self.records), axis=0)
        values = values_of(self.records, self.literals, wanted)
        records = np.hstack([np.vstack([values, values]), last])
        weights = np.concatenate([self.positive, self.negative])
        kept = weights > 0
        return records[kept], weights[kept]


def values_of(records: NDArray[np.uint8], literals: Literals, wanted: Literals) -> NDArray[np.uint8]:
    """The values of some of the literals, or of their negations, on records over all of them."""
    if wanted == literals:
        return records
    place = {literal: number for number, literal in enumerate(literals)}
    opposite = {literal.negated(): number for literal, number in place.items()}
    columns = [place[literal] if literal in place else opposite[literal] for literal in wanted]
    flipped = np.array([literal not in place for literal in wanted], dtype=np.uint8)
    return np.asarray(records[:, columns] ^ flipped, dtype=np.uint8)
