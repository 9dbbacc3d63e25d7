"""Exact search over decision lists: all sets of columns a list can test, most of them ruled out by one bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from oracledp import _engine
from oracledp.classes.base import QueryClass
from oracledp.classes.decision_lists import DecisionLists
from oracledp.data.packed_records import PackedRecords
from oracledp.oracles.base import Answer, Failed
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.work import LimitedSearch, most_work

MOST_CELLS = 1 << 36  # sets of columns times their cells: about a minute
MOST_CUBES = 1 << 27  # positions times subcubes: a gigabyte


@dataclass(frozen=True)
class DecisionListSearchOracle(LimitedSearch):
    """The first best decision list, proved (docs/engine.md, proofs/engine-cells.md).

    A list of length L and width w tests at most L·w columns and is constant on their cells, so the sum of the
    negative cell weights bounds every list on those columns. The bound is computed for all sets of columns
    from moments, which a redraw of the noise reuses; the few sets that survive are solved exactly: by a
    dynamic programme over subcubes (width 1) or a depth-first search over masks of cells. ``work_limit``
    counts sets and steps, never time, and makes the oracle partial.

    >>> from oracledp.data.literals import Literals
    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    >>> problem = WeightedProblem.build(DecisionLists(Literals.named("a", "b")), rows, np.array([3, -4, 2, 1]))
    >>> answer = DecisionListSearchOracle().solve(problem)
    >>> str(answer.query), answer.value
    ('if b then 1; else 0', -3)
    """

    name: ClassVar[str] = "decision-list-search"

    def supports(self, query_class: QueryClass, record_count: int) -> bool:
        """Whether every set of columns can be visited; all subcubes of the columns when a list may test them all."""
        lists = query_class.as_decision_lists()
        if lists is None:
            return False
        columns = len({min(str(literal), str(literal.negated())) for literal in lists.literals})
        tested = min(columns, lists.positions * lists.width)
        cubes: int = 3**tested * (lists.positions + 1)
        small = tested <= 6 if lists.width > 1 else tested <= 14 and cubes <= MOST_CUBES
        return columns <= _engine.MOST_COLUMNS and small and comb(columns, tested) << tested <= MOST_CELLS

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the class."""
        lists = problem.query_class.as_decision_lists()
        if lists is None or not self.supports(lists, len(problem.packed)):
            return Failed("class not supported")
        prepared: Prepared | None = problem.cache.get(self.name)
        if prepared is None:
            prepared = problem.cache[self.name] = Prepared.of(lists, problem)
        limit = most_work(self.work_limit)
        costs = np.ascontiguousarray(problem.part_costs, dtype=np.int64)
        found = _engine.best_decision_list(prepared.data, lists.positions, prepared.conditions, costs, limit)
        return self.answer(problem, found, "every set of columns was solved or bounded")


@dataclass(frozen=True, eq=False)
class Prepared:
    """What depends on records and weights alone: distinct columns, and what each condition tests in them."""

    data: _engine.ColumnData
    conditions: list[list[tuple[int, int]]]  # (column, the value it must have) for each literal

    @classmethod
    def of(cls, lists: DecisionLists, problem: WeightedProblem) -> Prepared:
        """Columns that are equal or opposite are one; each is stored by its rarer value."""
        columns, place, flipped = distinct_columns(problem.packed)
        data = _engine.ColumnData(columns, np.ascontiguousarray(problem.weights, dtype=np.int64))
        tests = [(column, 1 - int(flip)) for column, flip in zip(place, flipped, strict=True)]
        return cls(data, [[tests[literal] for literal in condition] for condition in lists.conditions])


def distinct_columns(records: PackedRecords) -> tuple[PackedRecords, list[int], list[bool]]:
    """Sparse columns such that each column of ``records`` is one of them or its negation, with place and negation.

    >>> rows = PackedRecords.of(np.array([[1, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=np.uint8))
    >>> columns, place, flipped = distinct_columns(rows)
    >>> columns.matrix().tolist(), place, flipped
    ([[0, 1], [0, 0], [1, 0]], [0, 0, 1], [True, False, False])
    """
    count, held = len(records), records.column_words()
    ones = np.bitwise_count(held).sum(axis=1, dtype=np.int64)
    first = records[:1].matrix()[0] if count else np.zeros(records.columns, dtype=np.uint8)
    flipped = ((2 * ones > count) | ((2 * ones == count) & (first == 1))).tolist()
    sparse = records.select(range(records.columns), negated=flipped)
    places: dict[bytes, int] = {}
    place = [places.setdefault(column.tobytes(), len(places)) for column in sparse.column_words()]
    return sparse.select([place.index(number) for number in range(len(places))]), place, flipped
