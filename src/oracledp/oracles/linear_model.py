"""A weighted problem as an integer linear program: the one model that CP-SAT and HiGHS both read.

Variable number p < ``part_count`` says whether the query has part p. Each record has a variable for its
coverage, tied to the parts in the one direction that its weight does not already pull it: a record of
positive weight must be covered when the query covers it, one of negative weight must not when it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from oracledp.classes.formulation import Scored
from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError
from oracledp.oracles.problem import WeightedProblem

Terms = list[tuple[int, int]]  # (variable, coefficient)


@dataclass(frozen=True)
class Row:
    """lower <= sum of terms <= upper (None: no bound), or only when a 0/1 variable has the given value."""

    terms: Terms
    lower: int | None
    upper: int | None
    when: tuple[int, bool] | None = None


@dataclass
class LinearModel:
    """0/1 variables with integer costs, rows and parity constraints."""

    part_count: int
    costs: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    even: list[list[int]] = field(default_factory=list)  # an even number of these 0/1 variables is 1

    def variable(self, cost: int = 0) -> int:
        """A new 0/1 variable."""
        self.costs.append(cost)
        return len(self.costs) - 1

    def row(
        self,
        terms: Iterable[tuple[int, int]],
        lower: int | None = None,
        upper: int | None = None,
        when: tuple[int, bool] | None = None,
    ) -> None:
        """A new row."""
        self.rows.append(Row(list(terms), lower, upper, when))

    # ---- what a class says of itself (classes/formulation.py) ---------------------------------------
    def exactly_one(self, parts: Iterable[int]) -> None:
        """One of these variables is 1."""
        self.row(((v, 1) for v in parts), 1, 1)

    def at_most(self, parts: Sequence[int], most: int) -> None:
        """Not more of these variables are 1."""
        self.row(((v, 1) for v in parts), upper=most)

    def cover_unless_any(self, weight: int, parts: Sequence[int]) -> None:
        """Covered where minus their number reaches 0."""
        self._cover_when(weight, [(part, -1) for part in parts], 0)

    def cover_if_any(self, weight: int, parts: Sequence[int]) -> None:
        """Covered where their number reaches 1."""
        self._cover_when(weight, [(part, 1) for part in parts], 1)

    def cover_if_odd(self, weight: int, parts: Sequence[int]) -> None:
        """The record's variable makes their number even."""
        self.even.append([self.variable(weight), *parts])

    def cover_if_sum(self, weight: int, groups: Sequence[Scored], bound: int) -> None:
        """One row over all groups."""
        self._cover_when(weight, [(part, points) for group in groups for part, points in group if points], bound)

    def cover_by_first(self, weight: int, levels: Sequence[Scored]) -> None:
        """From the back: label = 1 where a 1-rule holds, 0 where a 0-rule holds, else the label of the rest."""
        rest = next(part for part, label in levels[-1] if label)
        if len(levels) == 1:
            self.costs[rest] += weight
        for position in reversed(range(len(levels) - 1)):
            label = self.variable(weight if position == 0 else 0)
            ones, zeros = ([part for part, said in levels[position] if said == bit] for bit in (1, 0))
            if weight > 0:
                self.row([(label, 1), *((part, -1) for part in ones)], lower=0)
                self.row([(label, 1), (rest, -1), *((part, 1) for part in zeros)], lower=0)
            else:
                self.row([(label, 1), *((part, 1) for part in zeros)], upper=1)
                self.row([(label, 1), (rest, -1), *((part, -1) for part in ones)], upper=0)
            rest = label

    def listed(self, queries: Sequence[tuple[Sequence[int], int]]) -> None:
        """A variable for each query, unless its only part is one already."""
        if all(len(parts) == 1 for parts, _ in queries):
            self.exactly_one([parts[0] for parts, _ in queries])
            for parts, value in queries:
                self.costs[parts[0]] += value
            return
        chosen = [self.variable(value) for _, value in queries]
        self.exactly_one(chosen)
        for part in range(self.part_count):
            users = [(v, -1) for v, (parts, _) in zip(chosen, queries, strict=True) if part in parts]
            self.row([(part, 1), *users], 0, 0)

    def _cover_when(self, weight: int, terms: Terms, bound: int) -> None:
        """A record that is covered when ``terms >= bound``, and otherwise ``terms <= bound - 1``."""
        covered = self.variable(weight)
        if weight > 0:
            self.row(terms, upper=bound - 1, when=(covered, False))
        else:
            self.row(terms, lower=bound, when=(covered, True))

    # ---- what a solver found ------------------------------------------------------------------------

    def decode(self, values: Sequence[int]) -> Parts:
        """The parts whose variables are 1."""
        return tuple(part for part in range(self.part_count) if values[part])

    def objective(self, values: Sequence[int]) -> int:
        """The exact cost of an assignment."""
        return sum(cost * int(value) for cost, value in zip(self.costs, values, strict=True))


def linear_model(problem: WeightedProblem) -> LinearModel | None:
    """The model of a problem, or None for a class that is too large to be listed and says nothing of itself."""
    model = LinearModel(problem.query_class.part_count)
    for cost in problem.part_costs.tolist():
        model.variable(cost)
    try:
        problem.query_class.formulate(problem.records, problem.weights, model)
    except CapacityError:
        return None
    _add_size_costs(model, problem)
    return model


def _add_size_costs(model: LinearModel, problem: WeightedProblem) -> None:
    if not problem.size_costs.any():
        return
    chosen = [model.variable(cost) for cost in problem.size_costs.tolist()]
    model.exactly_one(chosen)
    size: Terms = [(variable, count) for count, variable in enumerate(chosen)]
    model.row([*size, *((part, -1) for part in range(problem.query_class.sizable_parts))], 0, 0)
