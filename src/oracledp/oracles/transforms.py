"""Enumeration by fast transforms: superset sums for conjunctions and disjunctions, Walsh–Hadamard for parities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import best_masks, subset_table_32, subset_table_64
from oracledp.classes.base import Parts, Query, QueryClass
from oracledp.classes.subsets import Conjunctions, Disjunctions, Parities, SubsetClass
from oracledp.errors import CapacityError
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.problem import LIMIT, WeightedProblem

MOST_LITERALS = 26  # a table of 2^26 int64 values is half a gigabyte
SMALL = 1 << 29  # sums below this leave int32 room for costs and for the forbidden mark


@dataclass(frozen=True)
class TransformOracle:
    """Evaluates all 2^d subsets at once and keeps the table: redrawing the noise is one pass over it.

    Total, and its order is that of the bit masks, which is the class's own.

    >>> from oracledp.literals import Literals
    >>> rows = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.uint8)
    >>> problem = WeightedProblem.build(Parities(Literals.named("a", "b")), rows, np.array([5, -3, 2]))
    >>> answer = TransformOracle().solve(problem)
    >>> str(answer.query), answer.value
    ('b', -1)
    """

    most_literals: int = MOST_LITERALS

    name: ClassVar[str] = "transform"
    trust: ClassVar[Trust] = Trust.PROVED
    total: ClassVar[bool] = True
    fixed_ties: ClassVar[bool] = True

    def supports(self, query_class: QueryClass, record_count: int = 0) -> bool:
        """Subset classes of few enough literals."""
        known = isinstance(query_class, Conjunctions | Disjunctions | Parities)
        return known and query_class.dimension <= min(self.most_literals, MOST_LITERALS)

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the masks."""
        parts, value = self.solve_many(problem, problem.part_costs[None], problem.size_costs[None])[0]
        certificate = Certificate(Trust.PROVED, "all subsets by a fast transform", 1 << problem.query_class.dimension)
        return Solution(Query(problem.query_class, parts), value, certificate)

    def solve_many(
        self, problem: WeightedProblem, part_costs: NDArray[np.int64], size_costs: NDArray[np.int64]
    ) -> list[tuple[Parts, int]]:
        """The minimiser and its value for each row of costs: the problem's own costs are not used."""
        owner = problem.query_class
        if not isinstance(owner, SubsetClass) or not self.supports(owner):
            raise CapacityError(
                f"the transform serves conjunctions, disjunctions and parities of at most {MOST_LITERALS}"
            )
        table, constant = _table(problem)
        most = int(np.abs(part_costs).sum(axis=1).max(initial=0)) + int(np.abs(size_costs).max(initial=0))
        if problem.weight_total + most >= LIMIT:
            raise CapacityError("weights and noise together exceed 2^62; use a coarser lattice or fewer rows")
        if problem.weight_total + most >= SMALL and table.dtype == np.int32:
            table = table.astype(np.int64)
        sizes = size_costs if size_costs.size else np.zeros((0, 0), dtype=np.int64)
        masks, values = best_masks(table, owner.dimension, owner.width, part_costs, sizes)
        bits = [tuple(j for j in range(owner.dimension) if mask >> j & 1) for mask in masks.tolist()]
        return [(parts, value + constant) for parts, value in zip(bits, values.tolist(), strict=True)]


def _table(problem: WeightedProblem) -> tuple[NDArray[Any], int]:
    """The data part of every subset's value, and a constant; kept with the problem's data."""
    known = problem.cache.get("transform")
    if known is None:
        owner = problem.query_class
        records, weights, constant = problem.records, problem.weights, problem.constant
        if isinstance(owner, Disjunctions):  # one minus the conjunction of the negated literals
            constant += sum(weights.tolist())
            records, weights = 1 - records, -weights
        powers = (1 << np.arange(owner.dimension)).astype(np.uint32)
        masks = (records.astype(np.uint32) * powers).sum(axis=1, dtype=np.uint32)
        build = subset_table_32 if problem.weight_total < SMALL else subset_table_64
        table = build(masks, np.ascontiguousarray(weights), owner.dimension, isinstance(owner, Parities))
        known = problem.cache["transform"] = (table, constant - problem.constant)
    return known[0], known[1] + problem.constant
