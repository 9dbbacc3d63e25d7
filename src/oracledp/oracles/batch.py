"""Many queries at once: a table of parts in, exact integer values out. Shared by searches that list queries."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache, reduce, singledispatch
from itertools import zip_longest
from math import lcm

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import (
    Conjunctions,
    DecisionLists,
    Disjunctions,
    Halfspaces,
    Parities,
    Parts,
    QueryClass,
    ReadOnceFormulas,
    Signed,
    ZeroOneLoss,
)
from oracledp.oracles.pairs import pair_values, pairs_serve
from oracledp.oracles.problem import WeightedProblem

NO_PART = -1
CELLS = 1 << 22  # queries × records looked at in one step, so memory stays small

Table = NDArray[np.int32]  # one row per query: its parts in increasing order, then NO_PART
Bits = NDArray[np.bool_]


def parts_table(queries: Iterable[Parts]) -> Table:
    """Queries as rows of equal length.

    >>> parts_table([(), (0,), (0, 2)]).tolist()
    [[-1, -1], [0, -1], [0, 2]]
    """
    listed = list(queries)
    columns = list(zip_longest(*listed, fillvalue=NO_PART))
    return np.array(columns, dtype=np.int32).reshape(len(columns), len(listed)).T


@lru_cache(maxsize=2)
def whole_table(query_class: QueryClass) -> Table:
    """Every query of the class in its fixed order. It depends on no data, so it may be kept between problems."""
    return parts_table(query_class.all_parts())


def parts_of(row: NDArray[np.int32]) -> Parts:
    """The query of one row of a table."""
    return tuple(int(part) for part in row if part != NO_PART)


def data_values(problem: WeightedProblem, table: Table) -> NDArray[np.int64]:
    """sum_i weights[i] q(records[i]) for each row; the limits of a problem rule out any overflow."""
    if pairs_serve(problem, table):
        return pair_values(problem, table)
    step = max(1, CELLS // max(1, len(problem.records)))
    values = np.zeros(len(table), dtype=np.int64)
    for start in range(0, len(table), step):
        rows = table[start : start + step]
        values[start : start + step] = coverage(problem.query_class, rows, problem.records) @ problem.weights
    return values


def cost_values(problem: WeightedProblem, table: Table) -> NDArray[np.int64]:
    """The costs of parts and sizes for each row."""
    costs = np.append(problem.part_costs, np.int64(0))  # NO_PART, the last index, costs nothing
    total = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        total += costs[column]
    if problem.size_costs.size:
        total += problem.size_costs[sizes(problem.query_class, table)]
    return total


def values(problem: WeightedProblem, table: Table) -> NDArray[np.int64]:
    """The value of the problem at each row, its constant left out."""
    return data_values(problem, table) + cost_values(problem, table)


def sizes(query_class: QueryClass, table: Table) -> NDArray[np.int64]:
    """How many parts of each row take the place of a dummy."""
    below = sizable_parts(query_class)
    return np.asarray(((table != NO_PART) & (table < below)).sum(axis=1), dtype=np.int64)


# ---- coverage: rows × records, class by class ------------------------------------------------------
@singledispatch
def coverage(query_class: QueryClass, table: Table, records: NDArray[np.uint8]) -> Bits:
    """q(x) for each row q and each record x. Classes without a faster way are evaluated query by query."""
    return np.array([query_class.evaluate(parts_of(row), records) for row in table], dtype=bool).reshape(
        len(table), len(records)
    )


def _literal_bits(records: NDArray[np.uint8], neutral: bool) -> Bits:
    """One row per literal, and a last row for NO_PART that changes nothing."""
    return np.concatenate([records.T != 0, np.full((1, len(records)), neutral)])


def _fold(operation: np.ufunc, neutral: bool, table: Table, records: NDArray[np.uint8]) -> Bits:
    bits = _literal_bits(records, neutral)
    start = np.full((len(table), len(records)), neutral)
    result: Bits = reduce(lambda covered, column: operation(covered, bits[column]), table.T, start)
    return result


@coverage.register
def _(query_class: Conjunctions, table: Table, records: NDArray[np.uint8]) -> Bits:
    return _fold(np.logical_and, True, table, records)


@coverage.register
def _(query_class: Disjunctions, table: Table, records: NDArray[np.uint8]) -> Bits:
    return _fold(np.logical_or, False, table, records)


@coverage.register
def _(query_class: Parities, table: Table, records: NDArray[np.uint8]) -> Bits:
    return _fold(np.logical_xor, False, table, records)


@coverage.register
def _(query_class: Halfspaces, table: Table, records: NDArray[np.uint8]) -> Bits:
    points, thresholds = scaled_points(query_class)
    count, total = len(query_class.values), np.zeros((len(table), len(records)), dtype=np.int64)
    scores = np.zeros((query_class.part_count + 1, len(records)), dtype=np.int64)
    for part in range(query_class.first_threshold):
        scores[part] = points[part % count] * records[:, part // count].astype(np.int64)
    offset = 0
    if query_class.free_intercept:
        scores[query_class.first_threshold : query_class.part_count] = -np.array(thresholds)[:, None]
    else:
        offset = thresholds[0]
    for column in table.T:
        total += scores[column]
    return np.asarray(total >= offset)


@coverage.register
def _(query_class: DecisionLists, table: Table, records: NDArray[np.uint8]) -> Bits:
    holds, stride = condition_bits(query_class, records), query_class.stride
    covered: Bits = np.repeat((table[:, -1:] % stride) == 1, len(records), axis=1)
    for column in reversed(table.T[:-1]):
        choice = column % stride
        covered = np.where(holds[choice // 2], (choice % 2 == 1)[:, None], covered)
    return covered


@coverage.register
def _(query_class: ReadOnceFormulas, table: Table, records: NDArray[np.uint8]) -> Bits:
    bits = [query_class.evaluate((int(part),), records) for part in table[:, 0]]
    return np.array(bits, dtype=bool).reshape(len(table), len(records))


@coverage.register
def _(query_class: Signed, table: Table, records: NDArray[np.uint8]) -> Bits:
    plus, minus = query_class.base.part_count, query_class.base.part_count + 1
    negated = (table == minus).any(axis=1, keepdims=True)
    inner = np.where(table >= plus, NO_PART, table)[:, :-1]  # the last column holds signs and NO_PART alone
    return np.asarray(coverage(query_class.base, inner, records) != negated)


@coverage.register
def _(query_class: ZeroOneLoss, table: Table, records: NDArray[np.uint8]) -> Bits:
    return np.asarray(coverage(query_class.hypotheses, table, records[:, :-1]) != (records[:, -1] != 0))


# ---- small facts that every model of a class needs ---------------------------------------------------
def sizable_parts(query_class: QueryClass) -> int:
    """The parts numbered below this take the place of a dummy each."""
    if isinstance(query_class, Signed):
        return sizable_parts(query_class.base)
    if isinstance(query_class, ZeroOneLoss):
        return sizable_parts(query_class.hypotheses)
    return query_class.first_threshold if isinstance(query_class, Halfspaces) else query_class.part_count


def scaled_points(query_class: Halfspaces) -> tuple[list[int], list[int]]:
    """The weights that have parts, and the thresholds, as integers on one common scale.

    >>> from oracledp.data.literals import Literals
    >>> scaled_points(Halfspaces(Literals.named("a"), weights=("-1/2", 0, 1), thresholds=("1/3",)))
    ([-3, 0, 6], [2])
    """
    thresholds = [Fraction(threshold) for threshold in query_class.thresholds]
    scale = lcm(*(number.denominator for number in (*query_class.values, *thresholds)))
    return [int(value * scale) for value in query_class.values], [int(threshold * scale) for threshold in thresholds]


def condition_bits(query_class: DecisionLists, records: NDArray[np.uint8]) -> Bits:
    """One row per condition, and a last one for skip, which never holds."""
    rows = [(records[:, list(condition)] != 0).all(axis=1) for condition in query_class.conditions]
    return np.array([*rows, np.zeros(len(records), dtype=bool)], dtype=bool)
