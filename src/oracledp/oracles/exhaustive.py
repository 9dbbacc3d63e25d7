"""The oracle that looks at every query: slow, total, and the measure of all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import ListedQueries
from oracledp.classes.base import Query, QueryClass
from oracledp.classes.tables import parts_of
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.batch import sizes, whole_table
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.redraws import Redrawn, check_batch, without_flat_sizes
from oracledp.oracles.values import MOST_QUERIES, data_shares, refuse_large, relative_values


@dataclass(frozen=True)
class ExhaustiveOracle:
    """Lists every query of any class in its fixed order and returns the first of least value.

    Classes of more than ``most_queries`` (2 000 000 is the most) are refused with a CapacityError before any work.

    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> rows = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.uint8)
    >>> problem = WeightedProblem.build(Conjunctions(Literals.named("a", "b")), rows, np.array([5, -3, 2]))
    >>> answer = ExhaustiveOracle().solve(problem)
    >>> str(answer.query), answer.value
    ('a and b', -3)
    """

    most_queries: int = MOST_QUERIES

    name: ClassVar[str] = "exhaustive"
    trust: ClassVar[Trust] = Trust.PROVED
    total: ClassVar[bool] = True
    fixed_ties: ClassVar[bool] = True
    redraws: ClassVar[bool] = True

    def supports(self, query_class: QueryClass, record_count: int) -> bool:
        """Whether the class is small enough to be listed."""
        return query_class.size <= min(self.most_queries, MOST_QUERIES)

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the class."""
        refuse_large(problem.query_class.size, most=self.most_queries)
        total = relative_values(problem)
        first = int(np.argmin(total))  # numpy returns the first of equal minima: the fixed order
        certificate = Certificate(Trust.PROVED, "every query was evaluated", len(total))
        query = Query(problem.query_class, parts_of(whole_table(problem.query_class)[first]))
        return Solution(query, problem.constant + int(total[first]), certificate)

    def redraw(self, problem: WeightedProblem, part_costs: NDArray[np.int64], size_costs: NDArray[np.int64]) -> Redrawn:
        """The minimiser for each row of costs: the problem's own costs are not used."""
        refuse_large(problem.query_class.size, most=self.most_queries)
        check_batch(problem, part_costs, size_costs)
        which, values = _listed(problem).best(part_costs, without_flat_sizes(size_costs))
        distinct, places = np.unique(which, return_inverse=True)
        table = whole_table(problem.query_class)
        return Redrawn(tuple(parts_of(table[place]) for place in distinct), places.astype(np.int64), values)


def _listed(problem: WeightedProblem) -> ListedQueries:
    """Every query with its worth on the data; kept with the problem's data."""
    known: ListedQueries | None = problem.cache.get("listed")
    if known is None:
        table = whole_table(problem.query_class)
        of_sizes = sizes(problem.query_class, table) if problem.size_costs.size else np.zeros(0)
        worth, parts = data_shares(problem), problem.query_class.part_count
        known = ListedQueries(np.ascontiguousarray(table), worth, of_sizes.astype(np.int32), parts)
        problem.cache["listed"] = known
    return known
