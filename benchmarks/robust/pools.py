"""Lists from a pool of a solver's answers, found by excluding those before: what ships looks around one answer alone.

CP-SAT is asked again and again, each answer ruled out by one more row of its model; RC2 by one more clause. Then single
changes lead on from every answer, as they do from one (``votes/ballots.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

import numpy as np

import oracledp as odp
from oracledp.classes.tables import Parts
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.votes.ballots import Graded, _explored, graded
from oracledp.oracles.cp_sat import CpSatIncumbents
from oracledp.oracles.linear_model import LinearModel, Row, linear_model
from oracledp.oracles.maxsat import Clauses
from oracledp.oracles.problem import WeightedProblem

FOUND = (2, 4)  # CP-SAT's FEASIBLE and OPTIMAL


@dataclass(frozen=True)
class AroundSeveral:
    """The best queries around so many answers of a solver: of CP-SAT, each with its own limit of work, or of RC2."""

    queries: odp.QueryClass
    most: int
    answers: int = 5
    limit: float = 0.02
    solver: str = "cp-sat"

    def __call__(self, records: Any, counts: Any) -> Graded:
        """A part's list."""
        found: dict[Parts, int] = {}
        for piece in Objective.of(self.queries, records, counts, resolution=0).pieces:
            for start in self._pool(piece.problem):
                if (*start, *piece.branch.extra) not in found:
                    near = _explored(piece, start, self.most)
                    found |= {(*parts, *piece.branch.extra): value for parts, value in near.items()}
        best = nsmallest(self.most, found, key=lambda parts: (found[parts], parts))
        return list(zip(best, graded(np.array([found[parts] for parts in best])), strict=True))

    def _pool(self, problem: WeightedProblem) -> list[Parts]:
        if self.solver == "maxsat":
            return maxsat_pool(problem, self.answers)
        return pool(problem, self.answers, self.limit)


def pool(problem: WeightedProblem, answers: int, limit: float) -> list[Parts]:
    """Distinct answers, better ones mostly first."""
    solver, model = CpSatIncumbents(work_limit=limit), linear_model(problem)
    found: list[Parts] = []
    while model is not None and len(found) < answers:
        run, status, variables = solver._run(model, 1)
        if status not in FOUND:
            break
        found.append(model.decode([run.value(variable) for variable in variables]))
        exclude(model, found[-1])
    return [parts for parts in found if problem.query_class.contains(parts)]


def maxsat_pool(problem: WeightedProblem, answers: int) -> list[Parts]:
    """The best answers in order, by RC2: each is an optimum of what the clauses of those before leave."""
    count, clauses = problem.query_class.part_count, Clauses(problem.query_class.part_count)
    for part, cost in enumerate(problem.part_costs.tolist()):
        clauses.cost(part + 1, cost)
    problem.query_class.formulate(problem.records, problem.weights, clauses)
    found: list[Parts] = []
    while len(found) < answers and (model := clauses.minimise()) is not None:
        found.append(tuple(variable - 1 for variable in sorted(model) if 0 < variable <= count))
        clauses.hard.append([-part - 1 if part in found[-1] else part + 1 for part in range(count)])
    return [parts for parts in found if problem.query_class.contains(parts)]


def exclude(model: LinearModel, parts: Parts) -> None:
    """No later answer has exactly these parts."""
    terms = [(part, -1 if part in parts else 1) for part in range(model.part_count)]
    model.rows.append(Row(terms, 1 - len(parts), None))
