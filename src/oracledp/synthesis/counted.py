"""Boolean queries as tables over the columns of a schema: what can be counted exactly and fitted in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Query, QueryClass
from oracledp.classes.linked import LinkedQueries
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.synthesis.bins import Floats, Integers

_GREATEST_SUM = 10_000  # of points: the law of a sum is convolved value by value


@dataclass(frozen=True, eq=False)
class CountedQuery:
    """q(x) = accept[sum over columns of the score of x's code]: a conjunction counts the columns it fails.

    ``scores[i]`` belongs to ``columns[i]`` and is never negative; columns that the query does not read are left out.
    """

    query: Query
    columns: tuple[int, ...]
    scores: tuple[Integers, ...]
    accept: NDArray[np.bool_]

    @classmethod
    def of(cls, query: Query, schema: Schema) -> CountedQuery:
        """The tables of a conjunction, disjunction, parity or halfspace, or of its loss at predicting a literal."""
        owner, parts, negated = query.owner.without_sign(query.parts)
        hypotheses, target = owner.without_target()
        linked = LinkedQueries.of([parts], hypotheses, schema)
        scores = [_lifted(table[0].astype(np.int64)) for table in linked.scores]
        shift = sum(int(table[0].min()) for table in linked.scores)
        totals = np.arange(sum(int(score.max()) for score in scores) + 1)
        accept = linked.linked((totals + shift)[:, None].astype(np.int32))[:, 0] != negated
        if target is not None:
            scores[schema.position(target.column)] += len(totals) * schema[target.column].holds(target)
            accept = np.concatenate([accept, ~accept])
        read = tuple(c for c, score in enumerate(scores) if score.any())
        return cls(query, read, tuple(scores[c] for c in read), accept)

    def values(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """The query's value on records of codes."""
        total = np.zeros(len(codes), dtype=np.int64)
        for column, score in zip(self.columns, self.scores, strict=True):
            total += score[codes[:, column]]
        return np.asarray(self.accept[total])

    def product(self) -> tuple[float, float, tuple[Floats, ...]] | None:
        """(a, b, factors) with q = a + b · product over columns of the factor, or None if q has no such form."""
        zero, rest = self.accept[0], self.accept[1:]
        if np.all(rest == (rest[0] if len(rest) else zero)):
            high = float(rest[0]) if len(rest) else float(zero)
            return high, float(zero) - high, tuple((score == 0).astype(np.float64) for score in self.scores)
        if np.all(self.accept[1:] != self.accept[:-1]):
            sign = 1.0 if zero else -1.0
            return 0.5, 0.5 * sign, tuple((1 - 2 * (score % 2)).astype(np.float64) for score in self.scores)
        return None


def countable(owner: QueryClass, schema: Schema) -> bool:
    """Whether the queries of a class can be counted as tables over columns."""
    base, _ = owner.unsigned().without_target()
    greatest = base.greatest_points
    if greatest is not None:
        return greatest <= _GREATEST_SUM
    read = {literal.column for literal in base.literals}
    return prod(column.size for column in schema.columns if column.name in read) <= _GREATEST_SUM


def counted(query: Query, schema: Schema) -> CountedQuery:
    """The tables of a user's query; a class that has none, or a literal that the schema lacks, is an error."""
    for literal in query.owner.literals:
        schema[literal.column].holds(literal)
    if not countable(query.owner, schema):
        raise ParameterError(
            f"a workload cannot hold this query of {query.owner.kind}: use conjunctions, disjunctions, parities, "
            f"halfspaces whose points add up to at most {_GREATEST_SUM:,} (as whole numbers), or few columns"
        )
    return CountedQuery.of(query, schema)


def _lifted(scores: Integers) -> Integers:
    return np.asarray(scores - scores.min())
