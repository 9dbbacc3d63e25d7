"""The door to an oracle for many draws of the noise over the same data, checked as strictly as one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.tables import parts_table
from oracledp.oracles.base import NO_QUERY, WRONG_VALUE, Failed, Oracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.redraws import Redrawn, check_batch
from oracledp.oracles.registry import acts_alike

Costs = NDArray[np.int64]


def answers_many(oracle: Oracle) -> bool:
    """Whether an oracle may be asked about many draws in one call: it is our own, and can.

    A stranger is asked one by one, so that each of its calls sees one problem alone.

    >>> from oracledp.oracles.exhaustive import ExhaustiveOracle
    >>> class Mine(ExhaustiveOracle):
    ...     "Not ours."
    >>> answers_many(ExhaustiveOracle()), answers_many(Mine())
    (True, False)
    """
    return acts_alike(oracle) and bool(getattr(oracle, "redraws", False))


def ask_many(oracle: Oracle, problem: WeightedProblem, part_costs: Costs, size_costs: Costs) -> Redrawn | Failed:
    """What :func:`oracledp.oracles.door.ask` says for each row of costs; the problem's own are not used.

    Every query that was found is looked up in the class and valued again without the search, in integers; the costs
    of a batch are checked before, so that no sum of them can wrap. One wrong value is a failure of all.
    """
    check_batch(problem, part_costs, size_costs)
    redraw: Callable[..., Redrawn] = type(oracle).redraw  # type: ignore[attr-defined]
    found = redraw(oracle, problem, part_costs, size_costs)
    if not all(problem.query_class.contains(parts) for parts in found.queries):
        return Failed(NO_QUERY)
    answered = np.flatnonzero(found.which >= 0)
    expected = _values(problem, found, answered, part_costs[answered], size_costs[answered])
    return Failed(WRONG_VALUE) if np.any(found.values[answered] != expected) else found


def _values(
    problem: WeightedProblem, found: Redrawn, draws: NDArray[np.intp], part_costs: Costs, size_costs: Costs
) -> NDArray[np.int64]:
    """The value of the query that was found for each of these draws, the problem's constant left out."""
    which = found.which[draws]
    free = np.zeros((len(draws), 1), dtype=np.int64)  # what NO_PART, the last index, costs
    parts = parts_table(found.queries)[which]
    costs = np.take_along_axis(np.concatenate([part_costs, free], axis=1), parts, axis=1).sum(axis=1, dtype=np.int64)
    if size_costs.shape[1]:
        sizes = np.array([problem.query_class.sizable(query) for query in found.queries], dtype=np.int64)
        costs += size_costs[np.arange(len(draws)), sizes[which]]
    worth = np.array([problem.weight_covered(query) for query in found.queries], dtype=np.int64)
    return np.asarray(costs + worth[which], dtype=np.int64)
