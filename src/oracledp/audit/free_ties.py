"""An honest oracle that breaks ties as it likes, and says so: what a claim with a tie probability is made for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracledp.classes.base import Query
from oracledp.classes.tables import parts_of
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.batch import cost_values, whole_table
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import relative_values


@dataclass(frozen=True)
class FreeTies:
    """Finds the minimum and gives ties to the query with the greatest costs, and so looks at the noise (trap P3)."""

    name: str = "free ties"
    trust: Trust = Trust.PROVED
    total: bool = True
    fixed_ties: bool = False

    def solve(self, problem: WeightedProblem) -> Answer:
        """Among equal minimisers the one whose parts cost most."""
        labels = whole_table(problem.query_class)
        values, costs = relative_values(problem), cost_values(problem, labels)
        tied = np.flatnonzero(values == values.min())
        parts = parts_of(labels[int(tied[np.argmax(costs[tied])])])
        return Solution(Query(problem.query_class, parts), problem.value(parts), Certificate(Trust.PROVED, "none"))
