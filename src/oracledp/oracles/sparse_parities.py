"""Parities of few out of many literals: all of them are evaluated, and kept where they fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import ParitySums
from oracledp.classes.base import Query, QueryClass
from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.errors import CapacityError
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.redraws import Redrawn, check_batch, without_flat_sizes

MOST_KEPT = 1 << 25  # a quarter of a gigabyte of sums; larger classes are gone through again for each batch of draws
MOST_PARITIES = 1 << 29  # about a minute and a half


@dataclass(frozen=True)
class SparseParityOracle:
    """The first best parity of at most ``max_width`` literals, by enumeration on packed bits.

    No bound prunes parities: one more literal can turn any sum around. But w(R xor j) = w(R) + w(j) - 2 w(R and j), so
    all parities of width three over a hundred literals take a few hundredths of a second, and a redraw of the noise
    one pass over the kept sums.

    >>> from oracledp.data.literals import Literals
    >>> from oracledp.classes import Parities
    >>> rows = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.uint8)
    >>> queries = Parities(Literals.named("a", "b"), max_width=1)
    >>> answer = SparseParityOracle().solve(WeightedProblem.build(queries, rows, np.array([5, -3, 2])))
    >>> str(answer.query), answer.value
    ('b', -1)
    """

    name: ClassVar[str] = "sparse-parities"
    trust: ClassVar[Trust] = Trust.PROVED
    total: ClassVar[bool] = True
    fixed_ties: ClassVar[bool] = True
    redraws: ClassVar[bool] = True

    def supports(self, query_class: QueryClass, record_count: int = 0) -> bool:
        """Classes of parities that can be gone through."""
        return joined_by(query_class, Link.ODD) is not None and query_class.size <= MOST_PARITIES

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the masks."""
        found = self.redraw(problem, problem.part_costs[None], problem.size_costs[None])
        certificate = Certificate(Trust.PROVED, "every parity was evaluated", problem.query_class.size)
        return Solution(
            Query(problem.query_class, found.queries[0]), int(found.values[0]) + problem.constant, certificate
        )

    def redraw(self, problem: WeightedProblem, part_costs: NDArray[np.int64], size_costs: NDArray[np.int64]) -> Redrawn:
        """The minimiser for each row of costs: the problem's own costs are not used."""
        if not self.supports(problem.query_class):
            raise CapacityError(f"sparse parities serve classes of at most {MOST_PARITIES} parities")
        check_batch(problem, part_costs, size_costs)
        found = parity_sums(problem).best(part_costs, without_flat_sizes(size_costs))
        return Redrawn.of((tuple(parts), value) for value, parts in found)


def parity_sums(problem: WeightedProblem) -> ParitySums:
    """The problem's compiled sums over all parities, prepared once and shared by all redraws."""
    found: ParitySums | None = problem.cache.get("parities")
    if found is None:
        keep = problem.query_class.size <= MOST_KEPT
        found = ParitySums(problem.packed, problem.weights, problem.query_class.hot, keep)
        problem.cache["parities"] = found
    return found
