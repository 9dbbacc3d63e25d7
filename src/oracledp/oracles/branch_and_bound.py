"""Exact search over conjunctions and disjunctions of any width, with proofs that can be checked again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import ConjunctionIndex, best_conjunctions, prove_conjunction
from oracledp.classes.base import Query, QueryClass
from oracledp.classes.points import Link
from oracledp.classes.subsets import SubsetClass, joined_by
from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError
from oracledp.oracles.base import Answer, Certificate, Failed, Solution, Trust
from oracledp.oracles.certificates import ACCEPTED, examine
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.redraws import Redrawn, check_batch
from oracledp.oracles.work import most_work

LONGEST_PROOF = 1 << 24  # entries


@dataclass(frozen=True)
class BranchAndBoundOracle:
    """The first best conjunction or disjunction, proved (docs/engine.md, proofs/engine.md).

    Depth-first over sets of literals on packed bits of the distinct records; what depends on the records alone is
    kept with the problem, so redrawing the noise costs one search and no preparation. ``work_limit`` counts blocks of
    records, never time, and makes the oracle partial. ``verify`` has every answer proved again by a checker that
    shares no code with the search.

    >>> from oracledp.data.literals import Literals
    >>> rows = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.uint8)
    >>> from oracledp.classes import Conjunctions
    >>> problem = WeightedProblem.build(Conjunctions(Literals.named("a", "b")), rows, np.array([5, -3, 2]))
    >>> answer = BranchAndBoundOracle(verify=True).solve(problem)
    >>> str(answer.query), answer.value
    ('a and b', -3)
    """

    work_limit: int | None = None
    verify: bool = False

    name: ClassVar[str] = "branch-and-bound"
    trust: ClassVar[Trust] = Trust.PROVED
    fixed_ties: ClassVar[bool] = True

    @property
    def total(self) -> bool:
        """It always answers unless a work limit is set, or proofs are wanted, which may grow too long to keep."""
        return self.work_limit is None and not self.verify

    @property
    def redraws(self) -> bool:
        """Many draws in one call, without proofs."""
        return not self.verify

    def supports(self, query_class: QueryClass, record_count: int = 0) -> bool:
        """Conjunctions and disjunctions, however many literals."""
        return joined_by(query_class, Link.ALL, Link.SUM) is not None

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the masks."""
        return self.solve_from(problem, ())

    def solve_from(self, problem: WeightedProblem, start: Parts) -> Answer:
        """The same answer, found from a query that somebody thinks good: it is worth time, and never believed."""
        owner = joined_by(problem.query_class, Link.ALL, Link.SUM)
        if owner is None:
            return Failed("class not supported")
        index, constant = _prepare(problem, owner)
        costs, sizes = problem.part_costs, problem.size_costs
        if self.verify:
            return self._solve_and_verify(problem, owner, index, start)
        found = best_conjunctions(index, costs[None], sizes[None], owner.width, self._limit, start=list(start))[0]
        if found is None:
            return Failed("work limit reached")
        value, parts, work = found
        certificate = Certificate(Trust.PROVED, "every set of literals was evaluated or bounded", work)
        return Solution(Query(problem.query_class, tuple(parts)), value + constant + problem.constant, certificate)

    def redraw(self, problem: WeightedProblem, part_costs: NDArray[np.int64], size_costs: NDArray[np.int64]) -> Redrawn:
        """The minimiser for each row of costs, none where the work limit was reached.

        The problem's own costs are not used.
        """
        owner = joined_by(problem.query_class, Link.ALL, Link.SUM)
        if owner is None:
            raise CapacityError("branch-and-bound serves conjunctions and disjunctions")
        check_batch(problem, part_costs, size_costs)
        index, constant = _prepare(problem, owner)
        found = best_conjunctions(index, part_costs, size_costs, owner.width, self._limit)
        return Redrawn.of(None if one is None else (tuple(one[1]), one[0] + constant) for one in found)

    @property
    def _limit(self) -> int:
        return most_work(self.work_limit)

    def _solve_and_verify(
        self, problem: WeightedProblem, owner: SubsetClass, index: ConjunctionIndex, start: Parts
    ) -> Answer:
        costs, sizes = problem.part_costs, problem.size_costs
        proved = prove_conjunction(index, costs, sizes, owner.width, self._limit, LONGEST_PROOF, start=list(start))
        if proved is None:
            return Failed("work limit reached")
        (_, parts, work), proof = proved
        verdict, value = examine(problem, tuple(parts), proof)
        if verdict != ACCEPTED:
            return Failed("the proof was rejected")
        certificate = Certificate(Trust.PROVED, "a proof of every bound was checked independently", work)
        return Solution(Query(problem.query_class, tuple(parts)), value, certificate)


def _prepare(problem: WeightedProblem, owner: SubsetClass) -> tuple[ConjunctionIndex, int]:
    """The data as conjunctions see them, and a constant."""
    known: tuple[ConjunctionIndex, int] | None = problem.cache.get("conjunctions")
    if known is None:
        records, weights, constant = owner.as_conjunctions_see(problem.packed, problem.weights)
        known = problem.cache["conjunctions"] = (ConjunctionIndex(records, weights), constant)
    return known
