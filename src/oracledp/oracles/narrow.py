"""Every conjunction and disjunction of at most three literals from matrix products over the records.

The products run in doubles, which hold every partial sum exactly: all are integers of at most 2^53.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.oracles.problem import WeightedProblem

Floats = NDArray[np.float64]

EXACT = 1 << 50  # eight such sums, one for each choice of negations, still add up below 2^53
MOST_SUMS = 1 << 23  # kept at once
_ROWS_AT_ONCE = 1 << 10
_WORTHWHILE = 8  # queries per literal, or sums per query: beyond, evaluating the queries is as quick


def narrow_serves(problem: WeightedProblem, table: NDArray[np.int32]) -> bool:
    """Whether the queries are so many and so narrow that the products are exact and quicker."""
    width, literals = table.shape[1], problem.query_class.dimension
    known = joined_by(problem.query_class, Link.ALL, Link.SUM) is not None and 1 <= width <= 3
    sums = (literals + 1) ** width
    many = len(table) > _WORTHWHILE * literals and sums < min(MOST_SUMS, _WORTHWHILE * len(table))
    return known and many and problem.weight_total < EXACT


def narrow_values(problem: WeightedProblem, table: NDArray[np.int32]) -> NDArray[np.int64]:
    """sum_i weights[i] q(records[i]) for each row of one to three literals, or none (-1)."""
    conjunctions = joined_by(problem.query_class, Link.ALL) is not None
    sums = _joint_sums(problem, table.shape[1], negated=not conjunctions)
    last = len(sums) - 1  # the literal that always holds: -1 as an index
    found: NDArray[np.int64] = sums[tuple(column % (last + 1) for column in table.T)].astype(np.int64)
    return found if conjunctions else int(problem.weights.sum()) - found  # none of the literals holds


def _joint_sums(problem: WeightedProblem, width: int, *, negated: bool) -> Floats:
    """The weight of the records on which all of ``width`` literals hold (or none does); the last always counts."""
    bases, mixture = _bases(problem)
    if negated:
        mixture[:, :-1] *= -1
        mixture[-1, :-1] += 1
    total = np.zeros((len(bases) + 1,) * width)
    block = np.ones((min(_ROWS_AT_ONCE, len(problem.records)), len(bases) + 1))
    for begin in range(0, len(problem.records), _ROWS_AT_ONCE):
        records = problem.records[begin : begin + _ROWS_AT_ONCE]
        values = block[: len(records)]
        values[:, :-1] = records[:, bases]
        total += _products(values, problem.weights[begin : begin + len(records)].astype(np.float64), width)
    for _ in range(width):  # each axis in turn: it leaves in front and comes back at the end
        total = np.tensordot(total, mixture, axes=(0, 0))
    return total


def _products(values: Floats, weights: Floats, width: int) -> Floats:
    """The weighted sums over all rows of the products of ``width`` columns, whichever they are."""
    if width == 1:
        return np.asarray(weights @ values)
    if width == 2:
        return np.asarray(values.T @ (values * weights[:, None]))
    return np.stack([_products(values, weights * column, width - 1) for column in values.T])


def _bases(problem: WeightedProblem) -> tuple[list[int], Floats]:
    """The literals but those that are the negation of one before them, and every literal as a sum of these and one.

    A name is not taken at its word: the records must show the negation, else all literals are kept.
    """
    literals = list(problem.query_class.literals)
    place = {literal: number for number, literal in enumerate(literals)}
    opposite = [place.get(literal.negated(), number) for number, literal in enumerate(literals)]
    negations = [(number, other) for number, other in enumerate(opposite) if other < number]
    if any(np.any(problem.records[:, a] == problem.records[:, b]) for a, b in negations):
        negations = []
    negated = dict(negations)
    bases = [number for number in range(len(literals)) if number not in negated]
    row = {number: index for index, number in enumerate(bases)}
    mixture = np.zeros((len(bases) + 1, len(literals) + 1))
    mixture[-1, -1] = 1
    for number in range(len(literals)):
        mixture[row[negated.get(number, number)], number] = -1 if number in negated else 1
        mixture[-1, number] = int(number in negated)
    return bases, mixture
