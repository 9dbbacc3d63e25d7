"""The dual problem: the record that minimises a weighted sum of queries (proofs/engine-cells.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.classes.base import QueryClass
from oracledp.classes.dual import Record
from oracledp.classes.points import Link, Points
from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError, ParameterError
from oracledp.oracles.base import Certificate, Failed, Trust
from oracledp.oracles.problem import LIMIT
from oracledp.oracles.work import most_work

GREATEST_SCORE = 1 << 30


@dataclass(frozen=True)
class Block:
    """Columns whose values depend on one another: a record restricted to them is one of the patterns.

    >>> Block.one_hot(4, 2, 3).patterns
    ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    >>> Block.at_least(0, 1).patterns  # age >= 30, age >= 60
    ((0, 0), (1, 0), (1, 1))
    """

    columns: tuple[int, ...]
    patterns: tuple[Record, ...]

    def __post_init__(self) -> None:
        if list(self.columns) != sorted(set(self.columns)) or not self.patterns:
            raise ParameterError("a block needs distinct columns in increasing order and at least one pattern")
        if any(len(pattern) != len(self.columns) or not set(pattern) <= {0, 1} for pattern in self.patterns):
            raise ParameterError("a pattern needs one bit (0 or 1) per column of its block")
        object.__setattr__(self, "patterns", tuple(sorted(set(self.patterns))))

    @classmethod
    def one_hot(cls, *columns: int) -> Block:
        """Exactly one of the columns is one."""
        ordered = tuple(sorted(columns))
        return cls(ordered, tuple(tuple(int(j == chosen) for j in ordered) for chosen in ordered))

    @classmethod
    def at_least(cls, *columns: int) -> Block:
        """Tests of rising thresholds: none of them holds unless those before it do."""
        return cls(
            columns, tuple(tuple(int(j < count) for j in range(len(columns))) for count in range(len(columns) + 1))
        )


@dataclass(frozen=True)
class BestRecord:
    """The first record, in the order of records, with the least weighted sum of queries."""

    record: Record
    value: int
    certificate: Certificate


def solve_dual(
    query_class: QueryClass,
    queries: Sequence[Parts],
    weights: NDArray[np.int64],
    *,
    groups: Iterable[Sequence[int] | Block] = (),
    costs: NDArray[np.int64] | None = None,
    work_limit: int | None = None,
) -> BestRecord | Failed:
    """Minimise  sum_i weights[i] queries[i](x) + sum_j costs[j] x_j  over records x, exactly.

    ``groups`` are one-hot groups of columns or blocks; all other columns are free bits. Classes: conjunctions,
    disjunctions, parities, halfspaces, and their closures under negation. Without a work limit the search always
    ends with a proof; equal records are settled by the order of records.

    >>> from oracledp.data.literals import Literals
    >>> from oracledp.classes import Conjunctions
    >>> both = Conjunctions(Literals.named("red", "green", "large"))
    >>> best = solve_dual(both, [(0,), (1,), (1, 2)], np.array([-2, -1, -3]), groups=[(0, 1)])
    >>> best.record, best.value
    ((0, 1, 1), -4)
    """
    if len(weights) != len(queries):
        raise ParameterError("weights need one entry per query")
    paid = np.zeros(query_class.dimension, dtype=np.int64) if costs is None else np.asarray(costs, dtype=np.int64)
    if paid.shape != (query_class.dimension,):
        raise ParameterError("costs need one entry per column")
    if sum(map(abs, weights.tolist())) + sum(map(abs, paid.tolist())) >= LIMIT:
        raise CapacityError("weights and costs together exceed 2^62; use a coarser lattice")
    base, plain, signed, constant = _without_signs(query_class, queries, [int(w) for w in weights])
    blocks = _all_blocks(query_class.dimension, groups)
    coded = [(_ones(block), [int(paid[ones].sum()) for ones in _ones(block)]) for block in blocks]
    terms = _terms(base, plain, signed, blocks)
    limit = most_work(work_limit)
    found = _engine.best_record(query_class.dimension, coded, terms, limit)
    if found is None:
        return Failed("work limit reached")
    value, record, work = found
    return BestRecord(
        tuple(record), value + constant, Certificate(Trust.PROVED, "every record was evaluated or bounded", work)
    )


def _without_signs(
    query_class: QueryClass, queries: Sequence[Parts], weights: list[int]
) -> tuple[QueryClass, list[Parts], list[int], int]:
    """A negated query 1 - q of weight w is the constant w and q with weight -w."""
    base, plain, signed, constant = query_class, [], [], 0
    for parts, weight in zip(queries, weights, strict=True):
        base, inner, negated = query_class.without_sign(parts)
        plain.append(inner)
        signed.append(-weight if negated else weight)
        constant += weight if negated else 0
    return base, plain, signed, constant


def _all_blocks(dimension: int, groups: Iterable[Sequence[int] | Block]) -> list[Block]:
    """The groups as blocks, and one block of a single bit for every other column."""
    blocks = [group if isinstance(group, Block) else Block.one_hot(*group) for group in groups]
    used = [column for block in blocks for column in block.columns]
    if len(set(used)) != len(used) or not all(0 <= column < dimension for column in used):
        raise ParameterError("groups must be disjoint sets of columns")
    return blocks + [Block((column,), ((0,), (1,))) for column in range(dimension) if column not in set(used)]


def _ones(block: Block) -> list[list[int]]:
    return [[c for c, bit in zip(block.columns, pattern, strict=True) if bit] for pattern in block.patterns]


def _terms(
    base: QueryClass, queries: list[Parts], weights: list[int], blocks: list[Block]
) -> list[tuple[int, bool, int, list[int]]]:
    """(weight, parity, threshold, score of every value); true where the scores reach the threshold, or are odd."""
    forms = [_form(base, parts) for parts in queries]
    points = np.zeros((len(queries), base.dimension), dtype=np.int64)
    for row, form in zip(points, forms, strict=True):
        for literal, value in form.terms:
            row[literal] = value
    whole = np.hstack([_block_scores(forms, points, block) for block in blocks]) if blocks else points
    return [
        (w, form.link is Link.ODD, 0 if form.link is Link.ALL else form.threshold, scores)
        for w, form, scores in zip(weights, forms, whole.tolist(), strict=True)
    ]


def _block_scores(forms: list[Points], points: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
    """The score of each value of a block for each query."""
    chosen = points[:, list(block.columns)]
    scores: NDArray[np.int64] = chosen @ np.array(block.patterns, dtype=np.int64).T
    every = np.array([form.link is Link.ALL for form in forms], dtype=bool)[:, None]
    # where all must hold, a value that lacks a chosen literal costs one point, and none may be lost
    return np.where(every, (scores - chosen.sum(axis=1, keepdims=True)).clip(-1), scores)


def _form(base: QueryClass, parts: Parts) -> Points:
    """A query as whole points per column and a threshold."""
    if not base.contains(parts):
        raise ParameterError("these parts are not a query of the class")
    form = base.points(parts)
    if form is None:
        raise ParameterError(f"the dual search knows queries that are points on literals, and {base.kind} are not")
    if form.greatest > GREATEST_SCORE:
        raise CapacityError("the weights of a halfspace are too large for the dual search")
    return form
