"""Released queries as tables over the columns of a schema: what the data player optimises against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Parts, QueryClass
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.signed import Signed
from oracledp.classes.subsets import Conjunctions, Disjunctions, Parities
from oracledp.errors import ParameterError
from oracledp.schema import Schema

Scores = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LinkedQueries:
    """q(x) = link(sum over columns of scores[column][q, code of x]) for each query of a list.

    Conjunctions count the columns they fail on, disjunctions those that satisfy them, parities the literals
    that hold, halfspaces the points: so one column can be changed and every query re-evaluated at once.
    """

    link: str
    thresholds: NDArray[np.int32]
    signs: NDArray[np.int8]  # +1 for q, -1 for 1 - q
    scores: tuple[Scores, ...]  # per column: queries × codes

    @classmethod
    def of(cls, queries: Sequence[Parts], owner: QueryClass, schema: Schema) -> LinkedQueries:
        """Tables for queries of a class over the schema's literals, possibly closed under negation."""
        base = owner.base if isinstance(owner, Signed) else owner
        signed = isinstance(owner, Signed)
        plain = [parts[:-1] if signed else parts for parts in queries]
        signs = [-1 if signed and parts[-1] > base.part_count else 1 for parts in queries]
        columns = [_column_scores(plain, base, schema, position) for position in range(len(schema.columns))]
        link, thresholds = _link(plain, base)
        return cls(link, thresholds, np.array(signs, dtype=np.int8), tuple(columns))

    def totals(self, codes: NDArray[np.int64]) -> Scores:
        """The sum of scores: records × queries."""
        return np.asarray(sum(table[:, codes[:, c]].T for c, table in enumerate(self.scores)), dtype=np.int32)

    def linked(self, totals: Scores) -> NDArray[np.bool_]:
        """The unsigned queries' values from their totals (the last axis is that of the queries)."""
        if self.link == "none-fails":
            return np.asarray(totals == 0)
        if self.link == "odd":
            return np.asarray(totals & 1, dtype=bool)
        return np.asarray(totals >= self.thresholds)

    def chosen(self, rows: NDArray[np.int64]) -> LinkedQueries:
        """Some of the queries, for their link alone."""
        return LinkedQueries(self.link, self.thresholds[rows], self.signs[rows], ())

    def values(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The signed queries' values: records × queries."""
        return np.asarray(self.linked(self.totals(codes)) != (self.signs < 0))


def _link(queries: Sequence[Parts], base: QueryClass) -> tuple[str, NDArray[np.int32]]:
    ones = np.ones(len(queries), dtype=np.int32)
    if isinstance(base, Conjunctions):
        return "none-fails", ones
    if isinstance(base, Parities):
        return "odd", ones
    if isinstance(base, Halfspaces):
        scaled = [int(base.decode(parts)[1] * _common(base)) for parts in queries]
        return "at-least", np.array(scaled, dtype=np.int32)
    if isinstance(base, Disjunctions):
        return "at-least", ones
    raise ParameterError(f"the game is not played with {base.kind}")


def _common(base: Halfspaces) -> int:
    return lcm(*(Fraction(number).denominator for number in (*base.values, *base.thresholds)))


def _column_scores(queries: Sequence[Parts], base: QueryClass, schema: Schema, position: int) -> Scores:
    """One column's contribution to each query, for each of its codes."""
    column = schema.columns[position]
    mine = [j for j, literal in enumerate(base.literals) if literal.column == column.name]
    holds = np.array([column.holds(base.literals[j]) for j in mine], dtype=np.int32).reshape(len(mine), column.size)
    place = {j: i for i, j in enumerate(mine)}
    weights = np.zeros((len(queries), len(mine)), dtype=np.int32)
    for row, parts in zip(weights, queries, strict=True):
        for j, weight in _terms(parts, base):
            if j in place:
                row[place[j]] = weight
    if isinstance(base, Conjunctions):
        return np.asarray(weights @ (1 - holds), dtype=np.int32)
    return np.asarray(weights @ holds, dtype=np.int32)


def _terms(parts: Parts, base: QueryClass) -> list[tuple[int, int]]:
    if isinstance(base, Halfspaces):
        scale = _common(base)
        return [(j, int(w * scale)) for j, w in enumerate(base.decode(parts)[0]) if w]
    return [(part, 1) for part in parts]
