"""The 0/1-loss lifting of a hypothesis class: learning is minimising a loss query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Branch, QueryClass, Reader, Records, Separator
from oracledp.classes.pictures import Picture
from oracledp.classes.separation import separating_queries
from oracledp.classes.tables import Bits, Parts, PartsTable
from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import ModelError
from oracledp.exact.merging import exact_sum


@dataclass(frozen=True)
class ZeroOneLoss(QueryClass):
    """The 0/1 loss of each hypothesis: q_h(x, y) = 1[h(x) ≠ y]. Records carry the label in a last column.

    >>> from oracledp.classes.subsets import Conjunctions
    >>> rules = ZeroOneLoss.of(Conjunctions(Literals.named("a", "b")), Literal("sick", "is", "true"))
    >>> str(rules.query(0, 1))
    'predict sick when a and b'
    """

    kind = "zero-one-loss"
    hypotheses: QueryClass

    @classmethod
    def of(cls, hypotheses: QueryClass, target: Literal) -> ZeroOneLoss:
        """The loss of these hypotheses at predicting the ``target`` literal."""
        return cls(Literals((*hypotheses.literals, target)), hypotheses)

    @property
    def size(self) -> int:
        """As many as hypotheses."""
        return self.hypotheses.size

    @property
    def part_count(self) -> int:
        """The hypotheses' parts."""
        return self.hypotheses.part_count

    @property
    def hot(self) -> int:
        """The hypotheses'."""
        return self.hypotheses.hot

    @property
    def dummies(self) -> int:
        """The hypotheses'."""
        return self.hypotheses.dummies

    def sizable(self, parts: Parts) -> int:
        """The hypotheses'."""
        return self.hypotheses.sizable(parts)

    def order_key(self, parts: Parts) -> tuple[int, ...]:
        """The hypotheses'."""
        return self.hypotheses.order_key(parts)

    def all_parts(self) -> Iterator[Parts]:
        """The hypotheses'."""
        return self.hypotheses.all_parts()

    def contains(self, parts: Parts) -> bool:
        """The hypotheses'."""
        return self.hypotheses.contains(parts)

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """1 where the hypothesis is wrong."""
        labels = np.asarray(records[:, -1] != 0, dtype=bool)
        return np.asarray(self.hypotheses.evaluate(parts, records[:, :-1]) != labels)

    def describe(self, parts: Parts) -> str:
        """The rule in words."""
        return f"predict {self.literals[-1]} when {self.hypotheses.describe(parts)}"

    @property
    def element_width(self) -> int:
        """The hypotheses' elements and a label."""
        return self.hypotheses.element_width + 1

    def separator(self) -> Separator:
        """The hypotheses' elements with label 0: there the loss is the hypothesis itself."""
        base = self.hypotheses.separator()
        return Separator(tuple((*element, 0) for element in base.elements), base.margin)

    def branches(self) -> tuple[Branch, ...]:
        """The hypotheses' own branches: :meth:`reduce` has turned the loss into signed weights."""
        return self.hypotheses.branches()

    def reduce(
        self, records: PackedRecords, weights: NDArray[np.int64]
    ) -> tuple[PackedRecords, NDArray[np.int64], int]:
        """sum w 1[h(x)≠y] = sum_{y=1} w + sum w (1-2y) h(x): a problem over the hypotheses with signed weights."""
        positive = records.column(-1)
        constant = exact_sum(weights[positive])
        features, signed, inner = self.hypotheses.reduce(
            records.first(records.columns - 1), np.where(positive, -weights, weights)
        )
        return features, signed, constant + inner

    def dual_separator(self) -> tuple[Parts, ...]:
        """The hypotheses' and a constant one, which reads the label; found by search where there is none."""
        constant = self.hypotheses.constant_query()
        return separating_queries(self) if constant is None else (*self.hypotheses.dual_separator(), constant)

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """Where the hypotheses differ from the label."""
        return np.asarray(self.hypotheses.coverage(table, records[:, :-1]) != (records[:, -1] != 0))

    @property
    def sizable_parts(self) -> int:
        """The hypotheses'."""
        return self.hypotheses.sizable_parts

    def changed(self, parts: Parts) -> Iterator[Parts]:
        """The hypotheses'."""
        return self.hypotheses.changed(parts)

    def picture(self, parts: Parts) -> Picture:
        """The hypothesis'."""
        return self.hypotheses.picture(parts)

    def without_target(self) -> tuple[QueryClass, Literal | None]:
        """The hypotheses, and the literal that they predict."""
        return self.hypotheses, self.literals[-1]

    def parameters(self) -> dict[str, Any]:
        """The hypothesis class."""
        return {"hypotheses": self.hypotheses.to_json()}

    @classmethod
    def from_parameters(cls, literals: Literals, data: dict[str, Any], read: Reader) -> ZeroOneLoss:
        """The loss of the class inside, which is over all literals but the target."""
        hypotheses = read(data["hypotheses"])
        if len(literals) == 0 or hypotheses.literals != literals[:-1]:
            raise ModelError("a zero-one-loss class and the class inside it have different literals")
        return cls(literals, hypotheses)
