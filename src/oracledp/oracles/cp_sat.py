"""CP-SAT (ortools) as the generic oracle for every class: it claims optimality, with a bound checked in integers."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any, ClassVar

from oracledp.classes.base import Query
from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.oracles.base import Answer, Certificate, Failed, Solution, Trust
from oracledp.oracles.linear_model import LinearModel, Row, linear_model
from oracledp.oracles.problem import LIMIT, WeightedProblem


@dataclass(frozen=True)
class CpSatOracle:
    """One worker, a fixed seed and a *deterministic* limit of work: no clock decides an answer (trap P6).

    ``work_limit`` counts CP-SAT's deterministic seconds. Only the status OPTIMAL counts, and only if the
    solver's integer bound equals the integer value of its assignment: its default gap test compares doubles,
    which is blind below 2^-53 of the value. Ties are broken as the solver likes, so ``fixed_ties`` is false.
    """

    work_limit: float = 60.0
    seed: int = 1

    name: ClassVar[str] = "cp-sat"
    method: ClassVar[str] = "CP-SAT reported an optimum"
    trust: ClassVar[Trust] = Trust.CLAIMED
    total: ClassVar[bool] = False
    fixed_ties: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not self.work_limit > 0:
            raise ParameterError("work_limit must be greater than 0")

    def solve(self, problem: WeightedProblem) -> Answer:
        """The query of an assignment that CP-SAT found, or the reason why there is none."""
        model = linear_model(problem)
        if model is None:
            return Failed("class not supported")
        divisor = gcd(*model.costs) or 1
        if sum(map(abs, model.costs)) // divisor >= LIMIT:
            return Failed("the coefficients are too large for the solver")
        solver, status, variables = self._run(model, divisor)
        known = optional("ortools.sat.python.cp_model", extra="solvers")
        if status not in (known.OPTIMAL, known.FEASIBLE):
            return Failed("the solver found nothing within its work limit")
        values = [solver.value(variable) for variable in variables]
        doubt = self._doubt(status == known.OPTIMAL, solver, divisor, model.objective(values))
        if doubt is not None:
            return Failed(doubt)
        parts, certificate = model.decode(values), Certificate(self.trust, self.method, int(solver.num_branches))
        return Solution(Query(problem.query_class, parts), problem.value(parts), certificate)

    def _doubt(self, claimed: bool, solver: Any, divisor: int, value: int) -> str | None:
        """Why an assignment is no answer: it is not claimed to be optimal, or the claim contradicts itself."""
        if not claimed:
            return "the solver gave no proof of optimality within its work limit"
        met = int(solver.response_proto.inner_objective_lower_bound) * divisor == value
        return None if met else "the solver's bound does not meet its value"

    def _run(self, model: LinearModel, divisor: int) -> tuple[Any, Any, list[Any]]:
        cp_model = optional("ortools.sat.python.cp_model", extra="solvers")
        program = cp_model.CpModel()
        variables = [program.new_bool_var("") for _ in model.costs]
        for row in model.rows:
            _add_row(cp_model, program, variables, row)
        one = program.new_constant(1)  # the solver's parity constraint asks for an odd number of ones
        for even in model.even:
            program.add_bool_xor([*(variables[index] for index in even), one])
        costs = [cost // divisor for cost in model.costs]
        program.minimize(cp_model.LinearExpr.weighted_sum(variables, costs))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = self.seed
        solver.parameters.max_deterministic_time = self.work_limit
        solver.parameters.absolute_gap_limit = 0.0
        solver.parameters.relative_gap_limit = 0.0
        return solver, solver.solve(program), variables


@dataclass(frozen=True)
class CpSatIncumbents(CpSatOracle):
    """CP-SAT as a heuristic: the best assignment that it found within its limit, proved or not. For votes of parts."""

    work_limit: float = 0.1

    name: ClassVar[str] = "cp-sat-incumbents"
    method: ClassVar[str] = "an assignment that CP-SAT found"
    trust: ClassVar[Trust] = Trust.GUESSED

    def _doubt(self, claimed: bool, solver: Any, divisor: int, value: int) -> str | None:
        """Any assignment will do."""
        return None


def _add_row(cp_model: Any, program: Any, variables: list[Any], row: Row) -> None:
    expression = cp_model.LinearExpr.weighted_sum(
        [variables[index] for index, _ in row.terms], [coefficient for _, coefficient in row.terms]
    )
    lower = cp_model.INT_MIN if row.lower is None else row.lower
    upper = cp_model.INT_MAX if row.upper is None else row.upper
    constraint = program.add_linear_constraint(expression, lower, upper)
    if row.when is not None:
        variable, value = row.when
        constraint.only_enforce_if(variables[variable] if value else ~variables[variable])
