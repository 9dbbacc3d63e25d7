"""How many steps a compiled search may take: a limit counts steps, never time, so that it fails in the same place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

from oracledp.classes.base import Query
from oracledp.exact.numbers import whole
from oracledp.oracles.base import Answer, Certificate, Failed, Solution, Trust
from oracledp.oracles.problem import WeightedProblem

NO_LIMIT = (1 << 63) - 1


def most_work(limit: int | None) -> int:
    """The limit as compiled code takes it.

    >>> most_work(5), most_work(None) == NO_LIMIT
    (5, True)
    """
    return NO_LIMIT if limit is None else whole(limit, "work_limit", least=0, most=NO_LIMIT)


@dataclass(frozen=True)
class LimitedSearch:
    """What compiled searches with a work limit share: they prove their answers and break ties in the class's order.

    >>> LimitedSearch().total, LimitedSearch(work_limit=5).total
    (True, False)
    """

    work_limit: int | None = None

    trust: ClassVar[Trust] = Trust.PROVED
    fixed_ties: ClassVar[bool] = True

    @property
    def total(self) -> bool:
        """It always answers unless a work limit is set."""
        return self.work_limit is None

    def answer(self, problem: WeightedProblem, found: tuple[int, Sequence[int], int] | None, reason: str) -> Answer:
        """What a search found, as value, parts and steps; or that it came to its limit."""
        if found is None:
            return Failed("work limit reached")
        value, parts, work = found
        certificate = Certificate(Trust.PROVED, reason, work)
        return Solution(Query(problem.query_class, tuple(parts)), problem.constant + value, certificate)


MOST_TREE_CELLS = 1 << 29
"""Label counts of the deepest nodes of decision trees: about a minute."""


def tree_cells(literals: int, depth: int, labels: int) -> int:
    """How many label counts the deepest nodes of trees have: what time and memory go with.

    >>> tree_cells(43, 4, 2)
    3949120
    """
    return comb(literals, min(depth, literals)) * labels << min(depth, literals)
