"""Released queries as tables over the columns of a schema: what the data player optimises against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Parts, QueryClass
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.signed import Signed
from oracledp.classes.subsets import Conjunctions, Disjunctions, Parities, SubsetClass
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError

Scores = NDArray[np.int32]
Floats = NDArray[np.float32]
LINKS: dict[type[QueryClass], str] = {
    Conjunctions: "none-fails",
    Disjunctions: "at-least",
    Parities: "odd",
    Halfspaces: "at-least",
}


@dataclass(frozen=True, eq=False)
class LinkedQueries:
    """q(x) = link(sum over columns of scores[column][q, code of x]) for each query of a list.

    Conjunctions count the columns they fail on, disjunctions those that satisfy them, parities the literals
    that hold, halfspaces the points: so one column can be changed and every query re-evaluated at once.
    ``weights`` says how much the data player gains from each query; a negation 1 - q weighs -1.
    """

    link: str
    thresholds: NDArray[np.int32]
    weights: Floats
    scores: tuple[Scores, ...]  # per column: queries × codes

    @classmethod
    def of(cls, queries: Sequence[Parts], owner: QueryClass, schema: Schema) -> LinkedQueries:
        """Tables for queries of a class over the schema's literals, possibly closed under negation."""
        linker = Linker(owner, schema)
        plain = [linker.plain(parts) for parts in queries]
        return linker.tables([parts for parts, _ in plain], [sign for _, sign in plain])

    def totals(self, codes: NDArray[np.int64]) -> Scores:
        """The sum of scores: records × queries."""
        return np.asarray(sum(table[:, codes[:, c]].T for c, table in enumerate(self.scores)), dtype=np.int32)

    def linked(self, totals: Scores) -> NDArray[np.bool_]:
        """The queries' values from their totals (the last axis is that of the queries), signs left out."""
        if self.link == "none-fails":
            return np.asarray(totals == 0)
        if self.link == "odd":
            return np.asarray(totals & 1, dtype=bool)
        return np.asarray(totals >= self.thresholds)

    def values(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The signed queries' values: records × queries."""
        return np.asarray(self.linked(self.totals(codes)) != (self.weights < 0))

    @cached_property
    def active(self) -> tuple[NDArray[np.int64], ...]:
        """For each column the queries that read it."""
        return tuple(np.flatnonzero(np.any(table != table[:, :1], axis=1)) for table in self.scores)

    def gains(self, column: int, totals: Scores, codes: NDArray[np.int64]) -> Floats:
        """What each code of one column would gain, up to a constant per record: records × codes."""
        rows = self.active[column]
        table, weights = self.scores[column][rows], self.weights[rows]
        rest = totals[:, rows] - table[:, codes[:, column]].T
        if self.link == "none-fails":  # true where nothing fails, here or elsewhere
            return np.asarray((rest == 0).astype(np.float32) @ ((table == 0) * weights[:, None]))
        if self.link == "odd":  # (1 - (-1)^rest (-1)^score) / 2
            return (1 - 2 * (rest & 1)).astype(np.float32) @ (((table & 1) - np.float32(0.5)) * weights[:, None])
        least = self.thresholds[rows]
        gained = [(rest + score >= least).astype(np.float32) @ weights for score in table.T]
        return np.stack(gained, axis=1)


class Linker:
    """Turns queries of one class into scores over the codes of a schema's columns."""

    def __init__(self, owner: QueryClass, schema: Schema) -> None:
        self.signed = isinstance(owner, Signed)
        base = owner.base if isinstance(owner, Signed) else owner
        if type(base) not in LINKS:
            raise ParameterError(f"the game is not played with {base.kind}")
        self.base = base
        self.link = LINKS[type(base)]
        self._places: list[tuple[int, int]] = [(0, 0)] * len(base.literals)  # literal -> column, place in it
        self._holds: list[NDArray[np.int32]] = []
        self._known: dict[Parts, tuple[list[tuple[int, int]], int]] = {}
        for position, column in enumerate(schema.columns):
            mine = [j for j, literal in enumerate(base.literals) if literal.column == column.name]
            held = np.array([column.holds(base.literals[j]) for j in mine], dtype=np.int32)
            self._holds.append(held.reshape(len(mine), column.size))
            for place, j in enumerate(mine):
                self._places[j] = (position, place)

    def plain(self, parts: Parts) -> tuple[Parts, int]:
        """A query without its sign, and the sign."""
        if not self.signed:
            return parts, 1
        return parts[:-1], -1 if parts[-1] > self.base.part_count else 1

    def tables(self, queries: Sequence[Parts], weights: Sequence[float]) -> LinkedQueries:
        """Tables for queries without signs."""
        points = [np.zeros((len(queries), len(held)), dtype=np.int32) for held in self._holds]
        thresholds = np.ones(len(queries), dtype=np.int32)
        for row, parts in enumerate(queries):
            if parts not in self._known:
                self._known[parts] = self._terms(parts)
            terms, thresholds[row] = self._known[parts]
            for literal, point in terms:
                column, place = self._places[literal]
                points[column][row, place] = point
        fails = isinstance(self.base, Conjunctions)
        scores = [mine @ (1 - held if fails else held) for mine, held in zip(points, self._holds, strict=True)]
        return LinkedQueries(self.link, thresholds, np.array(weights, dtype=np.float32), tuple(scores))

    def _terms(self, parts: Parts) -> tuple[list[tuple[int, int]], int]:
        if isinstance(self.base, SubsetClass):
            return [(part, 1) for part in parts], 1
        assert isinstance(self.base, Halfspaces)
        scale = lcm(*(Fraction(number).denominator for number in (*self.base.values, *self.base.thresholds)))
        weights, threshold = self.base.decode(parts)
        return [(j, int(w * scale)) for j, w in enumerate(weights) if w], int(threshold * scale)


class PastQueries:
    """The queries released so far, equal ones merged: q and its negation cancel out of the data player's losses."""

    def __init__(self, owner: QueryClass, schema: Schema) -> None:
        self._linker = Linker(owner, schema)
        self._counts: dict[Parts, int] = {}
        self._last: tuple[Parts, int] | None = None

    def add(self, parts: Parts) -> None:
        """One more released query."""
        plain, sign = self._last = self._linker.plain(parts)
        self._counts[plain] = self._counts.get(plain, 0) + sign

    def linked(self, optimism: float) -> LinkedQueries | None:
        """All of them, the last one counted ``optimism`` times more; None before the first."""
        if self._last is None:
            return None
        weights: dict[Parts, float] = {parts: float(count) for parts, count in self._counts.items()}
        weights[self._last[0]] += optimism * self._last[1]
        kept = {parts: weight for parts, weight in weights.items() if weight}
        return self._linker.tables(list(kept), list(kept.values()))
