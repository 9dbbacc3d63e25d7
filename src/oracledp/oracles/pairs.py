"""Every conjunction and disjunction of at most two literals from one matrix product over the records.

The product runs in doubles, which hold every partial sum exactly: all are integers of at most 2^53.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.oracles.problem import WeightedProblem

EXACT = 1 << 53
_ROWS_AT_ONCE = 1 << 10
_WORTHWHILE = 8  # queries per literal: below this, evaluating them is as quick


def pairs_serve(problem: WeightedProblem, table: NDArray[np.int32]) -> bool:
    """Whether the queries are so many and so narrow that the product is exact and quicker."""
    known = joined_by(problem.query_class, Link.ALL, Link.SUM) is not None
    many = len(table) > _WORTHWHILE * problem.query_class.dimension
    return known and many and table.shape[1] <= 2 and problem.weight_total < EXACT


def pair_values(problem: WeightedProblem, table: NDArray[np.int32]) -> NDArray[np.int64]:
    """sum_i weights[i] q(records[i]) for each row of one or two literals, or none (-1)."""
    joint = _joint_sums(problem)
    last = len(joint) - 1  # the literal that always holds: -1 as an index
    first, second = (table[:, column] % (last + 1) for column in (0, min(1, table.shape[1] - 1)))
    both = joint[first, second]
    if joined_by(problem.query_class, Link.ALL) is not None:
        return both
    either = np.where(first == last, 0, joint[first, last]) + np.where(second == last, 0, joint[second, last])
    return np.asarray(either - np.where((first == last) | (second == last), 0, both))


def _joint_sums(problem: WeightedProblem) -> NDArray[np.int64]:
    """The weight of the records on which both of two literals hold; the last literal always holds."""
    bases, mixture = _bases(problem)
    total = np.zeros((len(bases) + 1, len(bases) + 1))
    block = np.ones((min(_ROWS_AT_ONCE, len(problem.records)), len(bases) + 1))
    for begin in range(0, len(problem.records), _ROWS_AT_ONCE):
        records = problem.records[begin : begin + _ROWS_AT_ONCE]
        values = block[: len(records)]
        values[:, :-1] = records[:, bases]
        total += values.T @ (values * problem.weights[begin : begin + len(records), None])
    return np.asarray(mixture.T @ total.astype(np.int64) @ mixture)


def _bases(problem: WeightedProblem) -> tuple[list[int], NDArray[np.int64]]:
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
    mixture = np.zeros((len(bases) + 1, len(literals) + 1), dtype=np.int64)
    mixture[-1, -1] = 1
    for number in range(len(literals)):
        mixture[row[negated.get(number, number)], number] = -1 if number in negated else 1
        mixture[-1, number] = int(number in negated)
    return bases, mixture
