"""Exact search over discrete halfspaces, dense and sparse, with or without a free intercept."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.classes.base import QueryClass
from oracledp.classes.halfspaces import Halfspaces
from oracledp.data.packed_records import PackedRecords
from oracledp.oracles.base import Answer, Failed
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.work import LimitedSearch, most_work

MOST_CELLS = 1 << 36  # sets of columns times their cells: about a minute
MOST_PAIRS, MOST_QUERIES = 1 << 30, 1 << 36  # weight vectors a tree may face: two weights per column, or more
MOST_SUPPORT = 7
GREATEST_POINTS = 1 << 20


@dataclass(frozen=True)
class HalfspaceSearchOracle(LimitedSearch):
    """The first best halfspace, proved (docs/engine.md, proofs/engine-cells.md).

    Sparse classes: a query that reads s columns is constant on their 2^s cells, so the sum of the negative
    cell weights bounds every query on them; all sets of columns are visited, few are left to be solved.
    Dense classes: depth-first over the weights, highest column first (the class's order), on tables of partial
    sums in which every open pattern may choose its own score. ``work_limit`` counts steps, never time, and
    makes the oracle partial.

    >>> from oracledp.data.literals import Literals
    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    >>> problem = WeightedProblem.build(Halfspaces(Literals.named("a", "b")), rows, np.array([3, -4, 2, 1]))
    >>> answer = HalfspaceSearchOracle().solve(problem)
    >>> str(answer.query), answer.value
    ('-1·a +1·b >= 1', -4)
    """

    name: ClassVar[str] = "halfspace-search"

    def supports(self, query_class: QueryClass, record_count: int) -> bool:
        """Whether all sets of columns (sparse) or all weight vectors can be searched, and the points are small."""
        halfspaces = query_class.as_halfspaces()
        if halfspaces is None:
            return False
        points, thresholds = halfspaces.scaled
        greatest = max(map(abs, points), default=0) * halfspaces.budget + max(map(abs, thresholds))
        return greatest <= GREATEST_POINTS and (by_supports(halfspaces) or by_weights(halfspaces))

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the class."""
        halfspaces = problem.query_class.as_halfspaces()
        if halfspaces is None or not self.supports(halfspaces, len(problem.packed)):
            return Failed("class not supported")
        limit = most_work(self.work_limit)
        found = self._search(halfspaces, problem, limit)
        return self.answer(problem, found, "every weight vector was evaluated or bounded")

    def _search(
        self, halfspaces: Halfspaces, problem: WeightedProblem, limit: int
    ) -> tuple[int, list[int], int] | None:
        points, thresholds = halfspaces.scaled
        free = halfspaces.free_intercept
        compiled = _engine.HalfspaceProblem(
            weights=points,
            thresholds=thresholds,
            part_costs=problem.part_costs[: halfspaces.first_threshold].tolist(),
            threshold_costs=problem.part_costs[halfspaces.first_threshold :].tolist() if free else [0],
            size_costs=problem.size_costs.tolist(),
            budget=halfspaces.budget,
            sparse=halfspaces.sparse,
        )
        if by_supports(halfspaces):
            data, flipped = _cached(problem, "columns", sparse_columns)
            found = _engine.best_sparse_halfspace(data, flipped, compiled, limit)
        else:
            patterns = _cached(problem, "patterns", _engine.PatternData)
            found = _engine.best_dense_halfspace(patterns, compiled, limit)
        if found is None:
            return None
        value, threshold, parts, work = found
        return value, [*parts, halfspaces.first_threshold + threshold] if free else parts, work


def by_supports(halfspaces: Halfspaces) -> bool:
    """Whether the class is sparse and all sets of at most ``budget`` columns can be visited."""
    d, budget = halfspaces.dimension, halfspaces.budget
    if not halfspaces.sparse or budget > MOST_SUPPORT or d > _engine.MOST_COLUMNS:
        return False
    return sum(comb(d, s) << s for s in range(budget + 1)) <= MOST_CELLS


def by_weights(halfspaces: Halfspaces) -> bool:
    """Whether a tree over all weight vectors is affordable."""
    most = MOST_PAIRS if len(halfspaces.weights) <= 2 else MOST_QUERIES
    return halfspaces.dimension <= 63 and halfspaces.size <= most * len(halfspaces.thresholds)


def sparse_columns(records: PackedRecords, weights: NDArray[np.int64]) -> tuple[_engine.ColumnData, list[int]]:
    """The columns stored by their rarer value, and which of them are negated."""
    flipped = 2 * np.bitwise_count(records.column_words()).sum(axis=1, dtype=np.int64) > len(records)
    columns = records.select(range(records.columns), negated=flipped.tolist())
    return _engine.ColumnData(columns, weights), flipped.astype(int).tolist()


def _cached(problem: WeightedProblem, name: str, make: Any) -> Any:
    key = f"halfspace-search {name}"
    if key not in problem.cache:
        problem.cache[key] = make(problem.packed, np.ascontiguousarray(problem.weights))
    return problem.cache[key]
