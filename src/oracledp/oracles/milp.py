"""HiGHS through ``scipy.optimize.milp``: a good guess, never more, because it computes in doubles (trap P11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from oracledp.classes.base import Query
from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.oracles.base import Answer, Certificate, Failed, Solution, Trust
from oracledp.oracles.linear_model import LinearModel, Row, linear_model
from oracledp.oracles.problem import WeightedProblem


@dataclass(frozen=True)
class MilpOracle:
    """Branch and cut in floating point. Its query is decoded and valued in integers; its bound is not believed.

    ``node_limit`` is a deterministic limit of work; what was found until then is returned.
    """

    node_limit: int = 100_000

    name: ClassVar[str] = "milp"
    trust: ClassVar[Trust] = Trust.GUESSED
    total: ClassVar[bool] = False
    fixed_ties: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.node_limit < 1:
            raise ParameterError("node_limit must be at least 1")

    def solve(self, problem: WeightedProblem) -> Answer:
        """The query of the best assignment that HiGHS found."""
        model = linear_model(problem)
        if model is None:
            return Failed("class not supported")
        found = _run(model, self.node_limit)
        if found.x is None:
            return Failed("the solver found no query within its work limit")
        parts = model.decode([int(value > 0.5) for value in found.x])
        if not problem.query_class.contains(parts):
            return Failed("the solver's assignment is not a query")
        certificate = Certificate(Trust.GUESSED, "HiGHS in floating point", int(found.mip_node_count or 0))
        return Solution(Query(problem.query_class, parts), problem.value(parts), certificate)


def _run(model: LinearModel, node_limit: int) -> Any:
    optimize, sparse = (optional(name, extra="solvers") for name in ("scipy.optimize", "scipy.sparse"))
    rows = [_unconditional(row) for row in model.rows]
    for extra, even in enumerate(model.even):  # an even sum is twice a whole number
        rows.append(Row([(len(model.costs) + extra, -2), *((index, 1) for index in even)], 0, 0))
    upper = np.array([1.0] * len(model.costs) + [len(even) // 2 for even in model.even])
    entries = [(i, index, value) for i, row in enumerate(rows) for index, value in row.terms]
    columns = np.array(entries, dtype=float).reshape(-1, 3).T
    matrix = sparse.csr_array((columns[2], (columns[0].astype(int), columns[1].astype(int))), (len(rows), len(upper)))
    least = [-np.inf if row.lower is None else row.lower for row in rows]
    most = [np.inf if row.upper is None else row.upper for row in rows]
    scale = max(1, *map(abs, model.costs))
    costs = np.array([cost / scale for cost in model.costs] + [0.0] * len(model.even))
    return optimize.milp(
        costs,
        integrality=np.ones(len(upper)),
        bounds=optimize.Bounds(0, upper),
        constraints=optimize.LinearConstraint(matrix, least, most) if rows else (),
        options={"node_limit": node_limit, "mip_rel_gap": 0.0},
    )


def _unconditional(row: Row) -> Row:
    """A conditional row with the slack that its own terms can need (big M)."""
    if row.when is None:
        return row
    variable, value = row.when
    if row.lower is not None:
        slack = row.lower - sum(min(0, coefficient) for _, coefficient in row.terms)
        moved = row.lower if not value else row.lower - slack
        return Row([*row.terms, (variable, slack if not value else -slack)], moved, None)
    assert row.upper is not None
    slack = sum(max(0, coefficient) for _, coefficient in row.terms) - row.upper
    moved = row.upper if not value else row.upper + slack
    return Row([*row.terms, (variable, -slack if not value else slack)], None, moved)
