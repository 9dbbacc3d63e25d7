"""Heuristics: good starting points and steepest descent. They always answer with a query and never claim anything."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Query
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.tables import Parts, parts_of, parts_table
from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.batch import values
from oracledp.oracles.problem import WeightedProblem

MOST_SINGLES = 8  # how many single literals a search over sets starts from


@dataclass(frozen=True)
class HeuristicOracle:
    """Greedy and local search for every class; halfspaces also start from rounded linear models of scikit-learn.

    Each start descends along the best single change (a literal added, dropped or swapped; one weight or the
    threshold; one rule) until none helps or ``most_steps`` are done: a deterministic limit of work.
    """

    most_steps: int = 200

    name: ClassVar[str] = "heuristic"
    trust: ClassVar[Trust] = Trust.GUESSED
    total: ClassVar[bool] = False
    fixed_ties: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.most_steps < 0:
            raise ParameterError("most_steps must be at least 0")

    def solve(self, problem: WeightedProblem) -> Answer:
        """The best end of a descent."""
        queries = problem.query_class
        ends = [self._descend(problem, start) for start in dict.fromkeys(_starts(problem))]
        parts = min(ends, key=lambda end: (problem.value(end), queries.order_key(end)))
        certificate = Certificate(Trust.GUESSED, "greedy and local search", len(ends))
        return Solution(Query(queries, parts), problem.value(parts), certificate)

    def _descend(self, problem: WeightedProblem, parts: Parts) -> Parts:
        for _ in range(self.most_steps):
            table = parts_table([parts, *problem.query_class.changed(parts)])
            total = values(problem, table)
            best = int(np.argmin(total))
            if total[best] == total[0]:
                break
            parts = parts_of(table[best])
        return parts


def _starts(problem: WeightedProblem) -> list[Parts]:
    queries = problem.query_class
    constant = queries.constant_query()
    starts = [next(queries.all_parts()) if constant is None else constant]
    halfspaces, lists, subsets = queries.as_halfspaces(), queries.as_decision_lists(), queries.as_subsets()
    if halfspaces is not None:
        starts += rounded_models(halfspaces, problem)
    if lists is not None:
        starts += [(*starts[0][:-1], starts[0][-1] + 1), next(queries.all_parts())]
    if subsets is not None and subsets.width > 0:
        singles = values(problem, parts_table((j,) for j in range(queries.dimension)))
        starts += [(int(j),) for j in np.argsort(singles, kind="stable")[:MOST_SINGLES]]
    return starts


# ---- halfspaces from linear models ---------------------------------------------------------------------
def rounded_models(queries: Halfspaces, problem: WeightedProblem) -> list[Parts]:
    """Logistic regression and a linear support vector machine, rounded to the weights at several scales."""
    wanted = problem.weights < 0
    if wanted.all() or not wanted.any():
        return []
    linear, svm = (optional(f"sklearn.{name}", extra="solvers") for name in ("linear_model", "svm"))
    importance = np.abs(problem.weights) / np.abs(problem.weights).max()
    found = []
    for model in (linear.LogisticRegression(max_iter=200), svm.LinearSVC(random_state=0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a model that has not converged is still a start
            model.fit(problem.records, wanted, sample_weight=importance)
        found += [round_halfspace(queries, model.coef_[0], -model.intercept_[0], scale) for scale in (0.5, 1.0, 2.0)]
    return found


def round_halfspace(queries: Halfspaces, slope: NDArray[np.float64], threshold: float, scale: float) -> Parts:
    """The query nearest to ``slope·x >= threshold``, the steepest slope being ``scale`` times the heaviest weight."""
    factor = scale * max(abs(float(w)) for w in queries.weights) / max(float(np.abs(slope).max()), 1e-300)
    steepest = sorted(range(len(slope)), key=lambda j: (-abs(slope[j]), j))[: queries.budget]
    parts = []
    for j in sorted(steepest):
        weight = Fraction(queries.weights[_nearest(queries.weights, slope[j] * factor)])
        if weight in queries.values:  # a sparse class has no part for 0
            parts.append(j * len(queries.values) + queries.values.index(weight))
    if queries.free_intercept:
        parts.append(queries.first_threshold + _nearest(queries.thresholds, threshold * factor))
    return tuple(parts)


def _nearest(numbers: Sequence[Fraction | int], target: float) -> int:
    return int(np.argmin([abs(float(number) - target) for number in numbers]))
