"""Every conjunction and disjunction of at most three literals at once, from the engine's sums over sets of literals."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import subset_sums
from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.classes.tables import NO_PART, PartsTable
from oracledp.oracles.problem import WeightedProblem

MOST_SUMS = 1 << 23  # kept at once
_WORTHWHILE = 8  # queries per literal, or sums per query: beyond, evaluating the queries is as quick


def narrow_serves(problem: WeightedProblem, table: PartsTable) -> bool:
    """Whether the queries are so many and so narrow that the sums of all sets are quicker."""
    width, literals = table.shape[1], problem.query_class.dimension
    known = joined_by(problem.query_class, Link.ALL, Link.SUM) is not None and 1 <= width <= 3
    sums = sum(comb(literals, size) for size in range(width + 1))
    return known and len(table) > _WORTHWHILE * literals and sums < min(MOST_SUMS, _WORTHWHILE * len(table))


def narrow_values(problem: WeightedProblem, table: PartsTable) -> NDArray[np.int64]:
    """sum_i weights[i] q(records[i]) for each row of one to three literals, or none (-1)."""
    owner = joined_by(problem.query_class, Link.ALL, Link.SUM)
    assert owner is not None, "asked for by narrow_serves"
    records, weights, constant = owner.as_conjunctions_see(problem.packed, problem.weights)
    return constant + subset_sums(records, weights, table.shape[1])[_places(table, owner.dimension)]


def _places(table: PartsTable, literals: int) -> NDArray[np.int64]:
    """Where each set stands among all: by size, then in lexicographic order.

    >>> _places(np.array([[-1, -1], [0, -1], [2, -1], [0, 1], [1, 2]], dtype=np.int32), 3).tolist()
    [0, 1, 3, 4, 6]
    """
    width = table.shape[1]
    choices = np.array([[comb(n, size) for size in range(width + 1)] for n in range(literals + 1)])
    sizes = np.asarray((table != NO_PART).sum(axis=1))
    places = np.asarray(np.cumsum(choices[literals])[sizes] - 1)  # of the last set of each size
    for number, column in enumerate(table.T):
        chosen = column != NO_PART  # count back over the sets that have a later literal here
        places[chosen] -= choices[literals - 1 - column[chosen], sizes[chosen] - number]
    return places
