"""An oracle: steepest descent from every query of one part, for any class. It claims nothing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from oracledp.classes.base import Query
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.problem import WeightedProblem


@dataclass(frozen=True)
class RestartOracle:
    """The best of a few descents."""

    starts: int = 20
    name: str = "restarts"
    trust: Trust = Trust.GUESSED
    total: bool = False
    fixed_ties: bool = False

    def solve(self, problem: WeightedProblem) -> Answer:
        queries = problem.query_class
        ends = []
        for parts in islice(queries.all_parts(), self.starts):
            value, better = problem.value(parts), parts
            while True:
                nearby = min(queries.changed(better), key=problem.value)
                if problem.value(nearby) >= value:
                    break
                value, better = problem.value(nearby), nearby
            ends.append((value, better))
        value, parts = min(ends)
        return Solution(Query(queries, parts), value, Certificate(Trust.GUESSED, "descent"))
