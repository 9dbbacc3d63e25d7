"""Rows to try mechanisms on before any private row is touched: a public table, or one with a planted rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.data.table import Table
from oracledp.mechanisms.objective import Objective
from oracledp.oracles.values import MOST_QUERIES

PLANTED_ROWS = 5_000
WRONG = 0.2  # of the labels of a planted table
CANDIDATES, STEPS, NEAR = 12, 8, 512  # walks to a rule that is neither rare nor common, and what a step chooses from
MOST_PART = 10_000  # rows of one part that are tried: more would agree better still
SEED = 0  # nothing here is private, and plans repeat


@dataclass(frozen=True, eq=False)
class StandIn:
    """Weighted records that are not private, one column per literal of the class, and a rule known to be good."""

    queries: QueryClass
    records: PackedRecords
    counts: NDArray[np.int64]
    planted: Parts | None = None

    @classmethod
    def public(cls, queries: QueryClass, table: Table) -> StandIn:
        """The rows of a table that is not private."""
        return cls(queries, table.packed(queries.literals), table.counts)

    @classmethod
    def with_planted_rule(cls, queries: QueryClass) -> StandIn | None:
        """Random bits whose label follows a rule of the class but for a fifth; None for a class that predicts nothing.

        >>> from oracledp.classes import Conjunctions, ZeroOneLoss
        >>> from oracledp.data.literals import Literal, Literals
        >>> rules = ZeroOneLoss.of(Conjunctions(Literals.named(*"abcd")), Literal.boolean("y"))
        >>> made = StandIn.with_planted_rule(rules)
        >>> made.rows, round(made.error(made.planted), 1)
        (5000, 0.2)
        """
        rules, target = queries.without_target()
        if target is None:
            return None
        rng = np.random.default_rng(SEED)
        records = rng.integers(0, 2, (PLANTED_ROWS, rules.dimension)).astype(np.uint8)
        walks = [_walk(rules, rng) for _ in range(CANDIDATES)]
        chosen = min(walks, key=lambda parts: abs(float(rules.evaluate(parts, records[:2000]).mean()) - 0.5))
        label = rules.evaluate(chosen, records) ^ (rng.random(PLANTED_ROWS) < WRONG)
        return cls(queries, PackedRecords.of(np.column_stack([records, label])), _ones(PLANTED_ROWS), chosen)

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    @cached_property
    def objective(self) -> Objective:
        """What is minimised over all rows."""
        return Objective.of(self.queries, self.records, self.counts, resolution=0)

    def error(self, parts: Parts) -> float:
        """The share of the rows on which a query holds."""
        return self.objective.value(parts) / self.rows

    @cached_property
    def least_error(self) -> float:
        """The least error of the class where its values are quickly listed; else that of the planted rule, if any."""
        slow = any(branch.base.as_decision_trees() is not None for branch in self.queries.branches())
        if self.queries.size <= MOST_QUERIES and not slow:
            return int(self.objective.all_values().min()) / self.rows
        return 1.0 if self.planted is None else self.error(self.planted)

    def trivial_error(self) -> float:
        """That of the more frequent label, which needs no rows at all: what ⊥ is worth. One half without labels."""
        if self.queries.without_target()[1] is None:
            return 0.5
        share = float(self.counts[self.records.column(-1)].sum()) / self.rows
        return min(share, 1 - share)

    def parts(self, rows: int, count: int) -> Iterator[tuple[PackedRecords, NDArray[np.int64]]]:
        """So many parts of so many rows each, drawn with replacement."""
        rng, share = np.random.default_rng(SEED), self.counts / self.counts.sum()
        for _ in range(count):
            held = rng.multinomial(min(rows, MOST_PART), share)
            kept = np.flatnonzero(held)
            yield self.records[kept], held[kept].astype(np.int64)


def _walk(rules: QueryClass, rng: np.random.Generator) -> Parts:
    parts = next(rules.all_parts())
    for _ in range(STEPS):
        near = list(islice(rules.changed(parts), NEAR))
        parts = near[int(rng.integers(len(near)))] if near else parts
    return parts


def _ones(rows: int) -> NDArray[np.int64]:
    return np.ones(rows, dtype=np.int64)
