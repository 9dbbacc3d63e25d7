"""A weighted problem as an integer linear program: the one model that CP-SAT and HiGHS both read.

Variable number p < ``part_count`` says whether the query has part p. Each record has a variable for its
coverage, tied to the parts in the one direction that its weight does not already pull it: a record of
positive weight must be covered when the query covers it, one of negative weight must not when it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities, Parts, ReadOnceFormulas
from oracledp.classes.subsets import SubsetClass
from oracledp.oracles.batch import condition_bits, data_values, scaled_points, sizable_parts, whole_table
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

    def exactly_one(self, variables: Iterable[int]) -> None:
        """One of these variables is 1."""
        self.row(((v, 1) for v in variables), 1, 1)

    def decode(self, values: Sequence[int]) -> Parts:
        """The parts whose variables are 1."""
        return tuple(part for part in range(self.part_count) if values[part])

    def objective(self, values: Sequence[int]) -> int:
        """The exact cost of an assignment."""
        return sum(cost * int(value) for cost, value in zip(self.costs, values, strict=True))


def linear_model(problem: WeightedProblem) -> LinearModel | None:
    """The model of a problem over a class that oracles know, or None for any other class."""
    build = _BUILDERS.get(type(problem.query_class))
    if build is None:
        return None
    model = LinearModel(problem.query_class.part_count)
    for cost in problem.part_costs.tolist():
        model.variable(cost)
    build(model, problem)
    _add_size_costs(model, problem)
    return model


def _add_size_costs(model: LinearModel, problem: WeightedProblem) -> None:
    if not problem.size_costs.any():
        return
    chosen = [model.variable(cost) for cost in problem.size_costs.tolist()]
    model.exactly_one(chosen)
    size: Terms = [(variable, count) for count, variable in enumerate(chosen)]
    model.row([*size, *((part, -1) for part in range(sizable_parts(problem.query_class)))], 0, 0)


def _cover_when(model: LinearModel, weight: int, terms: Terms, bound: int) -> None:
    """A record that is covered when ``terms >= bound``, and otherwise ``terms <= bound - 1``."""
    covered = model.variable(weight)
    if weight > 0:
        model.row(terms, upper=bound - 1, when=(covered, False))
    else:
        model.row(terms, lower=bound, when=(covered, True))


def _limit_width(model: LinearModel, problem: WeightedProblem) -> None:
    queries = problem.query_class
    if isinstance(queries, SubsetClass) and queries.width < queries.dimension:
        model.row(((part, 1) for part in range(queries.dimension)), upper=queries.width)


def _conjunctions(model: LinearModel, problem: WeightedProblem) -> None:
    _limit_width(model, problem)
    for record, weight in zip(problem.records, problem.weights.tolist(), strict=True):
        _cover_when(model, weight, [(int(j), -1) for j in np.flatnonzero(record == 0)], 0)


def _disjunctions(model: LinearModel, problem: WeightedProblem) -> None:
    _limit_width(model, problem)
    for record, weight in zip(problem.records, problem.weights.tolist(), strict=True):
        _cover_when(model, weight, [(int(j), 1) for j in np.flatnonzero(record)], 1)


def _parities(model: LinearModel, problem: WeightedProblem) -> None:
    _limit_width(model, problem)
    for record, weight in zip(problem.records, problem.weights.tolist(), strict=True):
        model.even.append([model.variable(weight), *(int(j) for j in np.flatnonzero(record))])


def _halfspaces(model: LinearModel, problem: WeightedProblem) -> None:
    queries = problem.query_class
    assert isinstance(queries, Halfspaces)
    points, thresholds = scaled_points(queries)
    count, first = len(points), queries.first_threshold
    for j in range(queries.dimension):
        model.row(((j * count + i, 1) for i in range(count)), None if queries.sparse else 1, 1)
    if queries.sparse:
        model.row(((part, 1) for part in range(first)), upper=queries.budget)
    intercept: Terms = []
    if queries.free_intercept:
        model.exactly_one(range(first, queries.part_count))
        intercept = [(first + i, -threshold) for i, threshold in enumerate(thresholds)]
    bound = 0 if queries.free_intercept else thresholds[0]
    for record, weight in zip(problem.records, problem.weights.tolist(), strict=True):
        score = [(int(j) * count + i, points[i]) for j in np.flatnonzero(record) for i in range(count) if points[i]]
        _cover_when(model, weight, [*score, *intercept], bound)


def _decision_lists(model: LinearModel, problem: WeightedProblem) -> None:
    """From the back of the list: label = 1 where a 1-rule holds, 0 where a 0-rule holds, else the rest's label."""
    queries = problem.query_class
    assert isinstance(queries, DecisionLists)
    stride, default = queries.stride, queries.positions * queries.stride
    for position in range(queries.positions):
        model.exactly_one(range(position * stride, (position + 1) * stride))
    model.exactly_one((default, default + 1))
    holds = condition_bits(queries, problem.records)
    for i, weight in enumerate(problem.weights.tolist()):
        conditions = [int(c) for c in np.flatnonzero(holds[:, i])]
        rest = default + 1
        for position in reversed(range(queries.positions)):
            label = model.variable(weight if position == 0 else 0)
            ones: Terms = [(position * stride + 2 * c + 1, 1) for c in conditions]
            zeros: Terms = [(position * stride + 2 * c, 1) for c in conditions]
            if weight > 0:
                model.row([(label, 1), *((part, -1) for part, _ in ones)], lower=0)
                model.row([(label, 1), (rest, -1), *zeros], lower=0)
            else:
                model.row([(label, 1), *zeros], upper=1)
                model.row([(label, 1), (rest, -1), *((part, -1) for part, _ in ones)], upper=0)
            rest = label
        if queries.positions == 0:
            model.costs[default + 1] += weight


def _formulas(model: LinearModel, problem: WeightedProblem) -> None:
    """Formulas have no smaller parts: each is a part whose value on the data is tabulated."""
    model.exactly_one(range(problem.query_class.part_count))
    for part, value in enumerate(data_values(problem, whole_table(problem.query_class)).tolist()):
        model.costs[part] += value


_BUILDERS: dict[type, Callable[[LinearModel, WeightedProblem], None]] = {
    Conjunctions: _conjunctions,
    Disjunctions: _disjunctions,
    Parities: _parities,
    Halfspaces: _halfspaces,
    DecisionLists: _decision_lists,
    ReadOnceFormulas: _formulas,
}
