"""RC2 (python-sat): core-guided weighted MaxSAT, exact for whole-number weights of any size."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities, ReadOnceFormulas
from oracledp.classes.base import Query
from oracledp.classes.subsets import SubsetClass
from oracledp.extras import optional
from oracledp.oracles.base import Answer, Certificate, Failed, Solution, Trust
from oracledp.oracles.batch import condition_bits, data_values, scaled_points, sizable_parts, whole_table
from oracledp.oracles.problem import WeightedProblem

Guard = list[int]  # the literals of a clause that is false exactly when the option is taken
Option = tuple[Guard, Any]  # a guard and the state that it leads to


@dataclass(frozen=True)
class MaxSatOracle:
    """Hard clauses say what a query covers, soft clauses what that costs.

    RC2 has no deterministic limit of work and gets none: it runs until it is done, so use it where that is
    acceptable. A clock would make the answer depend on the machine (trap P6).
    """

    name: ClassVar[str] = "maxsat"
    trust: ClassVar[Trust] = Trust.CLAIMED
    total: ClassVar[bool] = False
    fixed_ties: ClassVar[bool] = False

    def solve(self, problem: WeightedProblem) -> Answer:
        """The query of RC2's optimal model."""
        encode = _ENCODERS.get(type(problem.query_class))
        if encode is None:
            return Failed("class not supported")
        clauses = Clauses(problem.query_class.part_count)
        for part, cost in enumerate(problem.part_costs.tolist()):
            clauses.cost(part + 1, cost)
        encode(clauses, problem)
        model = clauses.minimise()
        if model is None:
            return Failed("the solver found no model")
        parts = tuple(variable - 1 for variable in sorted(model) if 0 < variable <= problem.query_class.part_count)
        certificate = Certificate(Trust.CLAIMED, "RC2 reported an optimum", len(clauses.hard))
        return Solution(Query(problem.query_class, parts), problem.value(parts), certificate)


@dataclass
class Clauses:
    """Hard clauses and weighted soft ones. Part p is variable p + 1."""

    top: int
    hard: list[list[int]] = field(default_factory=list)
    soft: list[tuple[int, int]] = field(default_factory=list)

    def fresh(self) -> int:
        """A new variable."""
        self.top += 1
        return self.top

    def cost(self, variable: int, cost: int) -> None:
        """What it costs (less than 0: what it brings) that the variable is true."""
        if cost:
            self.soft.append((-variable if cost > 0 else variable, abs(cost)))

    def at_least(self, variables: Iterable[int], most: int) -> list[int]:
        """For each t from 1 to ``most`` a variable that is true exactly when at least t of these are."""
        counts: list[int] = []
        for variable in variables:
            longer = [self.fresh() for _ in range(min(len(counts) + 1, most))]
            for t, now in enumerate(longer):
                before = [counts[t]] if t < len(counts) else []
                enough = [counts[t - 1]] if t else []
                self.hard += [[now, -old] for old in before]
                self.hard.append([now, -variable, *(-old for old in enough)])
                self.hard += [[-now, *before, other] for other in (variable, *enough)]
            counts = longer
        return counts

    def exactly_one(self, variables: Sequence[int]) -> None:
        """One of these variables is true."""
        counts = self.at_least(variables, 2)
        self.hard.append([counts[0]])
        self.hard += [[-count] for count in counts[1:]]

    def minimise(self) -> list[int] | None:
        """An optimal model by RC2, with the options its authors enter in contests."""
        if not self.soft:
            self.cost(self.fresh(), 1)  # the solver cannot do without a soft clause
        weighted = optional("pysat.formula", extra="solvers").WCNF()
        for clause in self.hard:
            weighted.append(clause)
        for literal, weight in self.soft:
            weighted.append([literal], weight=weight)
        rc2 = optional("pysat.examples.rc2", extra="solvers")
        with rc2.RC2Stratified(weighted, solver="g4", adapt=True, exhaust=True, minz=True, trim=5) as solver:
            model: list[int] | None = solver.compute()
        return model


def _limit_sizes(clauses: Clauses, problem: WeightedProblem, most: int | None) -> None:
    """At most ``most`` sizable parts; a cost of each size is the sum of steps between neighbouring sizes."""
    variables = range(1, sizable_parts(problem.query_class) + 1)
    limit = len(variables) if most is None else most
    if limit < len(variables) or problem.size_costs.any():
        counts = clauses.at_least(variables, limit + 1)
        clauses.hard += [[-count] for count in counts[limit:]]
        steps = np.diff(problem.size_costs).tolist() if problem.size_costs.size else []
        for count, step in zip(counts, steps, strict=False):
            clauses.cost(count, step)


def _subsets(clauses: Clauses, problem: WeightedProblem) -> None:
    queries = problem.query_class
    assert isinstance(queries, SubsetClass)
    _limit_sizes(clauses, problem, queries.width)
    for record, weight in zip(problem.records, problem.weights.tolist(), strict=True):
        covered = clauses.fresh()
        clauses.cost(covered, weight)
        _subset_record(clauses, queries, record, covered if weight > 0 else -covered)


def _subset_record(clauses: Clauses, queries: SubsetClass, record: Any, claim: int) -> None:
    """A positive claim must be true when the query covers the record, a negative one when it does not."""
    ones, zeros = ([int(j) + 1 for j in np.flatnonzero(record == bit)] for bit in (1, 0))
    if isinstance(queries, Parities):
        _follow(clauses, len(ones), lambda i, odd: [([-ones[i]], not odd), ([ones[i]], odd)], False, bool, claim)
        return
    used = zeros if isinstance(queries, Conjunctions) else ones
    if (claim > 0) == isinstance(queries, Conjunctions):
        clauses.hard.append([*used, claim])
    else:
        clauses.hard += [[-j, claim] for j in used]


def _halfspaces(clauses: Clauses, problem: WeightedProblem) -> None:
    queries = problem.query_class
    assert isinstance(queries, Halfspaces)
    points, thresholds = scaled_points(queries)
    groups = [[j * len(points) + i + 1 for i in range(len(points))] for j in range(queries.dimension)]
    for group in groups:
        if not queries.sparse:
            clauses.exactly_one(group)
        elif group:
            clauses.hard += [[-count] for count in clauses.at_least(group, 2)[1:]]
    if queries.sparse:
        _limit_sizes(clauses, problem, queries.budget)
    final = range(queries.first_threshold + 1, queries.part_count + 1)
    if queries.free_intercept:
        clauses.exactly_one(final)
    for record, weight in zip(problem.records, problem.weights.tolist(), strict=True):
        covered = clauses.fresh()
        clauses.cost(covered, weight)
        levels = [[([-v], w) for v, w in zip(groups[j], points, strict=True)] for j in np.flatnonzero(record)]
        if queries.sparse:
            levels = [[*level, ([-guard[0] for guard, _ in level], 0)] for level in levels]
        ends = [([-v], -t) for v, t in zip(final, thresholds, strict=False)] or [([], -thresholds[0])]
        levels.append(ends)
        options = _sums(levels)
        _follow(clauses, len(levels), options, 0, lambda score: score >= 0, covered if weight > 0 else -covered)


def _sums(levels: list[list[tuple[Guard, int]]]) -> Callable[[int, Any], list[Option]]:
    return lambda level, score: [(guard, score + step) for guard, step in levels[level]]


def _decision_lists(clauses: Clauses, problem: WeightedProblem) -> None:
    queries = problem.query_class
    assert isinstance(queries, DecisionLists)
    stride, default = queries.stride, queries.positions * queries.stride
    for position in range(queries.positions):
        clauses.exactly_one(range(position * stride + 1, (position + 1) * stride + 1))
    clauses.exactly_one((default + 1, default + 2))
    holds = condition_bits(queries, problem.records)
    for i, weight in enumerate(problem.weights.tolist()):
        covered = clauses.fresh()
        clauses.cost(covered, weight)
        rules = [2 * int(c) + label for c in np.flatnonzero(holds[:, i]) for label in (0, 1)]
        options = _first_match(rules, stride, queries.positions)
        claim = covered if weight > 0 else -covered
        _follow(clauses, queries.positions + 1, options, None, bool, claim)


def _first_match(rules: list[int], stride: int, positions: int) -> Callable[[int, Any], list[Option]]:
    """The state is the label once a rule has held, None before."""

    def options(level: int, state: Any) -> list[Option]:
        if state is not None:
            return [([], state)]
        first = level * stride + 1
        if level == positions:
            return [([-first], 0), ([-first - 1], 1)]
        found: list[Option] = [([-(first + rule)], rule % 2) for rule in rules]
        return [*found, ([first + rule for rule in rules], None)]

    return options


def _formulas(clauses: Clauses, problem: WeightedProblem) -> None:
    clauses.exactly_one(range(1, problem.query_class.part_count + 1))
    for part, value in enumerate(data_values(problem, whole_table(problem.query_class)).tolist()):
        clauses.cost(part + 1, value)


def _follow(
    clauses: Clauses,
    levels: int,
    options: Callable[[int, Any], list[Option]],
    start: Hashable,
    accepts: Callable[[Any], bool],
    claim: int,
) -> None:
    """Reads the parts level by level and lets the last state decide the claim (see :func:`_subset_record`)."""
    states: dict[Hashable, list[int]] = {start: []}  # the literals that say "not in this state"
    for level in range(levels):
        reached: dict[Hashable, list[int]] = {}
        for state, absent in states.items():
            for guard, target in options(level, state):
                if target not in reached:
                    reached[target] = [-clauses.fresh()]
                clauses.hard.append([*absent, *guard, -reached[target][0]])
        states = reached
    for state, absent in states.items():
        if accepts(state) == (claim > 0):
            clauses.hard.append([*absent, claim])


_ENCODERS: dict[type, Callable[[Clauses, WeightedProblem], None]] = {
    Conjunctions: _subsets,
    Disjunctions: _subsets,
    Parities: _subsets,
    Halfspaces: _halfspaces,
    DecisionLists: _decision_lists,
    ReadOnceFormulas: _formulas,
}
