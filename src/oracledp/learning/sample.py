"""What a learner sees of the private rows: distinct feature records with the weight of each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_UNIT, refuse_rows
from oracledp.learning.blocks import Block


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct 0/1 records over literals, each with its weight under the positive and the negative label.

    **Private but for the literals and the unit.** One record of the data weighs at most ``unit``, so it moves a
    weighted error count by at most that (proofs/override-lists.md, section 1).
    """

    literals: Literals
    packed: PackedRecords
    positive: NDArray[np.int64]
    negative: NDArray[np.int64]
    rows: int
    unit: int
    weights: tuple[int, int] = (1, 1)

    @classmethod
    def of(
        cls,
        literals: Literals,
        records: PackedRecords | NDArray[np.uint8],
        label: NDArray[np.bool_],
        *,
        counts: NDArray[np.int64] | None = None,
        weights: tuple[int, int] = (1, 1),
        row_weights: NDArray[np.int64] | None = None,
        heaviest: int = 1,
    ) -> Sample:
        """Merge equal records; ``weights`` are those of the negative and the positive label.

        A row of its own weight, from 0 to ``heaviest``, weighs the product of both.
        """
        if not 1 <= min(weights) <= max(weights) * heaviest <= MOST_UNIT:
            raise ParameterError(f"the weights of a label are integers from 1 to {MOST_UNIT}: see whole_weights")
        count = np.ones(len(records), dtype=np.int64) if counts is None else counts
        rows = refuse_rows(count)
        held = count if row_weights is None else count * np.clip(row_weights, 0, heaviest)
        given = PackedRecords.of(records)
        equal = given.equal()
        positive = equal.totals(np.where(label, held * weights[1], 0))
        negative = equal.totals(np.where(label, 0, held * weights[0]))
        return cls(literals, equal.distinct(given), positive, negative, rows, max(weights) * heaviest, weights)

    @classmethod
    def from_table(cls, table: Table, target: Literal, *, weights: tuple[int, int] = (1, 1)) -> Sample:
        """The rows of a table, to predict one literal from the other columns."""
        literals = table.schema.literals.without(target.column)
        label = table.packed(Literals((target,))).column(0)
        return cls.of(literals, table.packed(literals), label, counts=table.counts, weights=weights)

    @property
    def records(self) -> NDArray[np.uint8]:
        """The records as a matrix, unpacked when it is first asked for."""
        return self.packed.matrix()

    @property
    def gain(self) -> NDArray[np.int64]:
        """How much the weighted error falls where a record is predicted positive instead of negative."""
        return self.positive - self.negative

    @property
    def by_class(self) -> ClassSample:
        """The same records with the number of those of either label, where no row has a weight of its own."""
        if self.unit != max(self.weights):
            raise ParameterError("rows with weights of their own are merged by class from the start")
        shown = np.stack([self.negative // self.weights[0], self.positive // self.weights[1]], axis=1)
        return ClassSample(self.packed, shown, self.weights)

    def only(self, kept: Sequence[int]) -> Sample:
        """The same rows seen through some of the literals; equal records are not merged again."""
        chosen = Literals(tuple(self.literals[number] for number in kept))
        return replace(self, literals=chosen, packed=self.packed.select(kept))

    def features(self, blocks: tuple[Block, ...]) -> NDArray[np.int8]:
        """The records as the surrogate sees them: each block's columns, and a last one of ones."""
        ones = np.ones((len(self.packed), 1), dtype=np.int8)
        return np.hstack([*(block.features(self.records) for block in blocks), ones])

    def labelled(self, wanted: Literals) -> tuple[PackedRecords, NDArray[np.int64]]:
        """The values of ``wanted`` with the label in a last column, and weights: what a 0/1-loss class reads."""
        both = np.stack([self.positive, self.negative], axis=1).ravel()
        held = np.flatnonzero(both)  # record after record, so that what was sorted stays so
        records = _selected(self.packed, self.literals, wanted)[held >> 1]
        return records.with_column(held & 1 == 0), both[held]


@dataclass(frozen=True, eq=False)
class ClassSample:
    """Distinct 0/1 records, each with the number of records of every class; **private** but for class weights.

    ``row_weights``, where rows have some, are those of the records, from 0 to the public ``heaviest``.
    """

    packed: PackedRecords
    shown: NDArray[np.int64]
    weights: tuple[int, ...]
    row_weights: NDArray[np.int64] | None = None
    heaviest: int = 1

    @classmethod
    def of(
        cls,
        records: PackedRecords | NDArray[np.uint8],
        labels: NDArray[np.intp],
        *,
        weights: tuple[int, ...],
        row_weights: NDArray[np.int64] | None = None,
        heaviest: int = 1,
    ) -> ClassSample:
        """Merge equal records of equal weight; ``labels`` are the numbers of their classes."""
        refuse_rows(np.ones(len(records), dtype=np.int64))
        given = PackedRecords.of(records)
        equal = given.equal() if row_weights is None else given.equal(apart=[row_weights])
        shown = [equal.totals((labels == number).astype(np.int64)) for number in range(len(weights))]
        first = equal.first()
        held = None if row_weights is None else row_weights[first]
        return cls(given[first], np.stack(shown, axis=1), weights, held, heaviest)

    @property
    def records(self) -> NDArray[np.uint8]:
        """The records as a matrix, unpacked when it is first asked for."""
        return self.packed.matrix()

    def only(self, kept: Sequence[int]) -> ClassSample:
        """The same rows seen through some of the literals; equal records are not merged again."""
        return replace(self, packed=self.packed.select(kept))


def values_of(records: NDArray[np.uint8], literals: Literals, wanted: Literals) -> NDArray[np.uint8]:
    """The values of some of the literals, or of their negations, on records over all of them."""
    return records if wanted == literals else _selected(PackedRecords.of(records), literals, wanted).matrix()


def _selected(records: PackedRecords, literals: Literals, wanted: Literals) -> PackedRecords:
    """The same in packed words."""
    if wanted == literals:
        return records
    place = {literal: number for number, literal in enumerate(literals)}
    opposite = {literal.negated(): number for literal, number in place.items()}
    columns = [place[literal] if literal in place else opposite[literal] for literal in wanted]
    return records.select(columns, negated=[literal not in place for literal in wanted])
