"""RC2 (python-sat): core-guided weighted MaxSAT, exact for whole-number weights of any size."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from oracledp.classes.base import Query
from oracledp.classes.formulation import Scored
from oracledp.errors import CapacityError
from oracledp.extras import optional
from oracledp.oracles.base import Answer, Certificate, Failed, Solution, Trust
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
        clauses = Clauses(problem.query_class.part_count)
        for part, cost in enumerate(problem.part_costs.tolist()):
            clauses.cost(part + 1, cost)
        try:
            problem.query_class.formulate(problem.records, problem.weights, clauses)
        except CapacityError:
            return Failed("class not supported")
        _add_size_costs(clauses, problem)
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
    complete: set[frozenset[int]] = field(default_factory=set)  # groups of which every query has one

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

    # ---- what a class says of itself (classes/formulation.py): parts are numbered from 0 there -----------
    def exactly_one(self, parts: Iterable[int]) -> None:
        """One of these parts is there."""
        variables = [part + 1 for part in parts]
        counts = self.at_least(variables, 2)
        self.hard.append([counts[0]])
        self.hard += [[-count] for count in counts[1:]]
        self.complete.add(frozenset(variables))

    def at_most(self, parts: Sequence[int], most: int) -> None:
        """The count of one more is false."""
        counts = self.at_least([part + 1 for part in parts], most + 1)
        self.hard += [[-count] for count in counts[most:]]

    def cover_unless_any(self, weight: int, parts: Sequence[int]) -> None:
        """Some part is there, or the record is covered."""
        claim, used = self._claim(weight), [part + 1 for part in parts]
        self.hard += [[*used, claim]] if claim > 0 else [[-part, claim] for part in used]

    def cover_if_any(self, weight: int, parts: Sequence[int]) -> None:
        """No part is there, or the record is covered."""
        claim, used = self._claim(weight), [part + 1 for part in parts]
        self.hard += [[*used, claim]] if claim < 0 else [[-part, claim] for part in used]

    def cover_if_odd(self, weight: int, parts: Sequence[int]) -> None:
        """The state is whether their number so far is odd."""
        used = [part + 1 for part in parts]
        self._follow(len(used), lambda i, odd: [([-used[i]], not odd), ([used[i]], odd)], False, bool, weight)

    def cover_if_sum(self, weight: int, groups: Sequence[Scored], bound: int) -> None:
        """The state is the sum so far."""
        levels = [[([-part - 1], points) for part, points in group] for group in groups]
        for level in levels:
            variables = [-guard[0] for guard, _ in level]
            if frozenset(variables) not in self.complete:
                level.append((variables, 0))

        def options(level: int, score: Any) -> list[Option]:
            return [(guard, score + step) for guard, step in levels[level]]

        self._follow(len(levels), options, 0, lambda score: score >= bound, weight)

    def cover_by_first(self, weight: int, levels: Sequence[Scored]) -> None:
        """The state is the label once a rule has held, None before."""

        def options(level: int, state: Any) -> list[Option]:
            if state is not None:
                return [([], state)]
            found: list[Option] = [([-part - 1], label) for part, label in levels[level]]
            last = level == len(levels) - 1
            return found if last else [*found, ([part + 1 for part, _ in levels[level]], None)]

        self._follow(len(levels), options, None, bool, weight)

    def listed(self, queries: Sequence[tuple[Sequence[int], int]]) -> None:
        """A variable for each query that fixes every part."""
        if all(len(parts) == 1 for parts, _ in queries):
            self.exactly_one([parts[0] for parts, _ in queries])
            for parts, value in queries:
                self.cost(parts[0] + 1, value)
            return
        parts_there, chosen = self.top, [self.fresh() for _ in queries]
        self.exactly_one([variable - 1 for variable in chosen])
        for variable, (parts, value) in zip(chosen, queries, strict=True):
            self.cost(variable, value)
            self.hard += [[-variable, p + 1 if p in parts else -p - 1] for p in range(parts_there)]

    def _claim(self, weight: int) -> int:
        """The variable of a record: true must follow from being covered, or false from not being so.

        A weight pulls its record one way already, so only the other way needs clauses.
        """
        covered = self.fresh()
        self.cost(covered, weight)
        return covered if weight > 0 else -covered

    def _follow(
        self,
        levels: int,
        options: Callable[[int, Any], list[Option]],
        start: Hashable,
        accepts: Callable[[Any], bool],
        weight: int,
    ) -> None:
        """Reads the parts level by level and lets the last state decide about the record."""
        claim = self._claim(weight)
        states: dict[Hashable, list[int]] = {start: []}  # the literals that say "not in this state"
        for level in range(levels):
            reached: dict[Hashable, list[int]] = {}
            for state, absent in states.items():
                for guard, target in options(level, state):
                    if target not in reached:
                        reached[target] = [-self.fresh()]
                    self.hard.append([*absent, *guard, -reached[target][0]])
            states = reached
        for state, absent in states.items():
            if accepts(state) == (claim > 0):
                self.hard.append([*absent, claim])

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


def _add_size_costs(clauses: Clauses, problem: WeightedProblem) -> None:
    """A cost of each size is the sum of steps between neighbouring sizes."""
    if not problem.size_costs.any():
        return
    variables = range(1, problem.query_class.sizable_parts + 1)
    steps = np.diff(problem.size_costs).tolist()
    counts = clauses.at_least(variables, len(steps))
    for count, step in zip(counts, steps, strict=False):
        clauses.cost(count, step)
