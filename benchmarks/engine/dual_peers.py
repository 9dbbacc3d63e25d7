"""The dual problem as CP-SAT, RC2 and HiGHS read it: one bit per column, one per query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.engine.instances import Weights, dual_queries
from benchmarks.engine.timing import timed
from oracledp.classes import Parts
from oracledp.extras import optional

DUAL_PEERS = ("CP-SAT", "RC2", "HiGHS")
Groups = list[Sequence[int]]


def dual_peer_seconds(name: str, count: int) -> tuple[float, int | None]:
    """CPU seconds and the least value that a peer claims."""
    solve = {"CP-SAT": cp_sat, "RC2": rc2, "HiGHS": highs}[name]
    _, queries, weights, groups = dual_queries(count, seed=count)
    solve(queries[:1], weights[:1], groups)  # imports are not part of what is measured
    return timed(lambda: solve(queries, weights, groups))


def cp_sat(queries: list[Parts], weights: Weights, groups: Groups) -> int | None:
    """With one worker and a fixed seed."""
    cp_model = optional("ortools.sat.python.cp_model", extra="solvers")
    program = cp_model.CpModel()
    bits = [program.new_bool_var("") for _ in range(groups[-1][-1] + 1)]
    for group in groups:
        program.add_exactly_one(bits[column] for column in group)
    holds = [program.new_bool_var("") for _ in queries]
    for held, parts, weight in zip(holds, queries, weights.tolist(), strict=True):
        if weight > 0:
            program.add_bool_or([held, *(~bits[column] for column in parts)])
        else:
            program.add_bool_and([bits[column] for column in parts]).only_enforce_if(held)
    program.minimize(cp_model.LinearExpr.weighted_sum(holds, weights.tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    return int(solver.objective_value) if solver.solve(program) == cp_model.OPTIMAL else None


def rc2(queries: list[Parts], weights: Weights, groups: Groups) -> int | None:
    """As weighted MaxSAT."""
    formulas, solvers = optional("pysat.formula", extra="solvers"), optional("pysat.examples.rc2", extra="solvers")
    formula, top = formulas.WCNF(), groups[-1][-1] + 1
    for group in groups:
        formula.append([column + 1 for column in group])
        formula.extend([[-(a + 1), -(b + 1)] for a in group for b in group if b < a])
    for parts, weight in zip(queries, weights.tolist(), strict=True):
        if weight > 0:
            formula.append([-(column + 1) for column in parts], weight=weight)
        else:
            top += 1
            formula.extend([[-top, column + 1] for column in parts])
            formula.append([top], weight=-weight)
    with solvers.RC2(formula) as solver:
        solver.compute()
        return int(solver.cost + weights[weights < 0].sum())


def highs(queries: list[Parts], weights: Weights, groups: Groups) -> int | None:
    """As an integer programme in doubles."""
    optimize, sparse = optional("scipy.optimize", extra="solvers"), optional("scipy.sparse", extra="solvers")
    columns = groups[-1][-1] + 1
    entries: list[tuple[int, int, int]] = []
    for row, group in enumerate(groups):
        entries += [(row, column, 1) for column in group]
    least, most = [1.0] * len(groups), [1.0] * len(groups)
    for index, (parts, weight) in enumerate(zip(queries, weights.tolist(), strict=True)):
        for terms in [[*parts]] if weight > 0 else [[column] for column in parts]:
            entries += [(len(least), column, 1) for column in terms] + [(len(least), columns + index, -1)]
            least.append(-np.inf if weight > 0 else 0.0)
            most.append(len(parts) - 1.0 if weight > 0 else np.inf)
    rows, places, values = (np.array(part) for part in zip(*entries, strict=True))
    matrix = sparse.csr_array((values.astype(float), (rows, places)), (len(least), columns + len(queries)))
    costs = np.concatenate([np.zeros(columns), weights.astype(float)])
    found = optimize.milp(
        costs,
        integrality=np.ones(len(costs)),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(matrix, least, most),
        options={"mip_rel_gap": 0.0},
    )
    return round(found.fun) if found.status == 0 else None
