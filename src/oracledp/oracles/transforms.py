"""Enumeration by fast transforms: superset sums for conjunctions and disjunctions, Walsh–Hadamard for parities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import SubsetTable
from oracledp.classes.base import Query, QueryClass
from oracledp.classes.points import Link
from oracledp.classes.subsets import SubsetClass
from oracledp.errors import CapacityError
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.redraws import Redrawn, check_batch, without_flat_sizes

MOST_LITERALS = 26  # a table of 2^26 int64 values is half a gigabyte


@dataclass(frozen=True)
class TransformOracle:
    """Evaluates all 2^d subsets at once and keeps the table: redrawing the noise is one pass over it.

    Total, and its order is that of the bit masks, which is the class's own.

    >>> from oracledp.data.literals import Literals
    >>> from oracledp.classes import Parities
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
    redraws: ClassVar[bool] = True

    def supports(self, query_class: QueryClass, record_count: int = 0) -> bool:
        """Subset classes of few enough literals."""
        return query_class.as_subsets() is not None and query_class.dimension <= min(self.most_literals, MOST_LITERALS)

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the masks."""
        found = self.redraw(problem, problem.part_costs[None], problem.size_costs[None])
        certificate = Certificate(Trust.PROVED, "all subsets by a fast transform", 1 << problem.query_class.dimension)
        return Solution(
            Query(problem.query_class, found.queries[0]), int(found.values[0]) + problem.constant, certificate
        )

    def redraw(self, problem: WeightedProblem, part_costs: NDArray[np.int64], size_costs: NDArray[np.int64]) -> Redrawn:
        """The minimiser for each row of costs: the problem's own costs are not used."""
        owner = problem.query_class.as_subsets()
        if owner is None or not self.supports(owner):
            raise CapacityError(
                f"the transform serves conjunctions, disjunctions and parities of at most {MOST_LITERALS}"
            )
        check_batch(problem, part_costs, size_costs)
        table, constant = _table(problem, owner)
        masks, values = table.best(owner.width, part_costs, without_flat_sizes(size_costs))
        distinct, which = np.unique(masks, return_inverse=True)
        queries = tuple(tuple(j for j in range(owner.dimension) if mask >> j & 1) for mask in distinct.tolist())
        return Redrawn(queries, which.astype(np.int64), values + constant)


def _table(problem: WeightedProblem, owner: SubsetClass) -> tuple[SubsetTable, int]:
    """The data part of every subset's value, and a constant; kept with the problem's data."""
    known: tuple[SubsetTable, int] | None = problem.cache.get("transform")
    if known is None:
        odd = owner.link is Link.ODD
        records, weights, constant = problem.packed, problem.weights, 0
        if not odd:
            records, weights, constant = owner.as_conjunctions_see(records, weights)
        known = (SubsetTable(records, weights, odd), constant)
        problem.cache["transform"] = known
    return known
