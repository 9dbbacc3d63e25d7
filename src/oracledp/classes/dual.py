"""The dual of a class: records as functions of queries, h_x(q) = q(x). The data player's side of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass, Records, relative
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.separation import all_records
from oracledp.classes.subsets import Conjunctions, Disjunctions, Parities
from oracledp.classes.tables import Parts
from oracledp.data.literals import Literals

Record = tuple[int, ...]


@dataclass(frozen=True)
class SelfDual:
    """A dual written as a class of the library's own: records become queries, queries become records."""

    query_class: QueryClass
    complement: bool  # a query's indicator enters complemented, and a record by its zeros (conjunctions)

    def element(self, record: Record) -> Parts:
        """The query of ``query_class`` that is h_x."""
        if isinstance(self.query_class, Halfspaces):
            return tuple(2 * j + bit for j, bit in enumerate(record))
        return tuple(j for j, bit in enumerate(record) if bool(bit) != self.complement)


@relative("dual")
@dataclass(frozen=True)
class Dual:
    """The records over the class's literals, as functions of its queries."""

    literals: Literals
    base: QueryClass

    def records(self) -> Iterator[Record]:
        """Every record, in order."""
        return (tuple(int(bit) for bit in row) for row in all_records(self.base.dimension))

    def evaluate(self, record: Record, queries: Sequence[Parts]) -> NDArray[np.bool_]:
        """h_x on each query."""
        row = np.array([record], dtype=np.uint8)
        return np.array([self.base.evaluate(parts, row)[0] for parts in queries], dtype=bool)

    def separator(self) -> tuple[Parts, ...]:
        """Queries that tell any two records apart (as far as the class can)."""
        return self.base.dual_separator()

    def self_dual(self) -> SelfDual | None:
        """The same class with inputs and functions exchanged, where the paper has one."""
        names = Literals.named(*(f"query uses {literal}" for literal in self.literals))
        if isinstance(self.base, Conjunctions):
            return SelfDual(Conjunctions(names), complement=True)
        if isinstance(self.base, Disjunctions):
            return SelfDual(Disjunctions(names), complement=False)
        if isinstance(self.base, Parities):
            return SelfDual(Parities(names), complement=False)
        if isinstance(self.base, Halfspaces) and not self.base.free_intercept and self.base.thresholds[0] > 0:
            return SelfDual(Halfspaces(names, weights=(0, 1)), complement=False)
        return None

    def encode(self, queries: Sequence[Parts]) -> Records:
        """Queries as rows that the self-dual class accepts."""
        if isinstance(self.base, Halfspaces):
            threshold = Fraction(self.base.thresholds[0])
            rows = [self.base.decode(parts)[0] for parts in queries]
            # w·x >= θ is (w/θ)·x >= 1 for θ > 0; the self-dual class has threshold 1.
            return np.array([[w / threshold for w in row] for row in rows], dtype=object)
        bits = np.zeros((len(queries), self.base.dimension), dtype=np.uint8)
        for i, parts in enumerate(queries):
            bits[i, list(parts)] = 1
        return 1 - bits if isinstance(self.base, Conjunctions) else bits
