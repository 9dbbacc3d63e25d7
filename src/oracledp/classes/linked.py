"""Released queries as tables over the columns of a schema: what the data player optimises against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.points import Link
from oracledp.classes.tables import Bits, Parts
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError

Scores = NDArray[np.int32]
Floats = NDArray[np.float32]
MOST_JOINT = 1 << 14  # codes of all columns that a class without points reads: each of its queries is tabulated


@dataclass(frozen=True, eq=False)
class LinkedQueries:
    """q(x) = link(sum over columns of scores[column][q, code of x]) for each query of a list.

    Conjunctions count the columns they fail on, other queries with points (classes/points.py) the points of what
    holds: so one column can be changed and every query re-evaluated at once. The queries of any other class are
    tabulated: their scores number the joint codes of all columns that they read, and ``table`` has their values there.
    ``weights`` says how much the data player gains from each query; a negation 1 - q weighs -1.
    """

    link: Link | None
    thresholds: NDArray[np.int32]
    weights: Floats
    scores: tuple[Scores, ...]  # per column: queries × codes
    table: Bits | None = None  # queries × joint codes, where there is no link

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
        if self.table is not None:
            return np.asarray(self.table[np.arange(len(self.table)), totals])
        if self.link is Link.ALL:
            return np.asarray(totals == 0)
        if self.link is Link.ODD:
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
        if self.table is not None:
            held = [self.table[rows, rest + score] @ weights for score in table.T]
            return np.stack(held, axis=1).astype(np.float32)
        if self.link is Link.ALL:  # true where nothing fails, here or elsewhere
            return np.asarray((rest == 0).astype(np.float32) @ ((table == 0) * weights[:, None]))
        if self.link is Link.ODD:  # (1 - (-1)^rest (-1)^score) / 2
            return (1 - 2 * (rest & 1)).astype(np.float32) @ (((table & 1) - np.float32(0.5)) * weights[:, None])
        least = self.thresholds[rows]
        gained = [(rest + score >= least).astype(np.float32) @ weights for score in table.T]
        return np.stack(gained, axis=1)


class Linker:
    """Turns queries of one class into scores over the codes of a schema's columns."""

    def __init__(self, owner: QueryClass, schema: Schema) -> None:
        self.owner = owner
        self.base = owner.unsigned()
        form = self.base.points(next(self.base.all_parts()))
        self.link = None if form is None else form.link
        self._schema = schema
        self._places: list[tuple[int, int]] = [(0, 0)] * len(self.base.literals)  # literal -> column, place in it
        self._holds: list[NDArray[np.int32]] = []
        self._known: dict[Parts, tuple[list[tuple[int, int]], int]] = {}
        for position, column in enumerate(schema.columns):
            mine = [j for j, literal in enumerate(self.base.literals) if literal.column == column.name]
            held = np.array([column.holds(self.base.literals[j]) for j in mine], dtype=np.int32)
            self._holds.append(held.reshape(len(mine), column.size))
            for place, j in enumerate(mine):
                self._places[j] = (position, place)
        if self.link is None and self._joint > MOST_JOINT:
            raise ParameterError(
                f"{self.base.kind} have no points on literals, and the columns that they read take {self._joint:,} "
                f"values together: at most {MOST_JOINT:,} can be tabulated"
            )

    def plain(self, parts: Parts) -> tuple[Parts, int]:
        """A query without its sign, and the sign."""
        _, inner, negated = self.owner.without_sign(parts)
        return inner, -1 if negated else 1

    def tables(self, queries: Sequence[Parts], weights: Sequence[float]) -> LinkedQueries:
        """Tables for queries without signs."""
        if self.link is None:
            return self._tabulated(queries, weights)
        points = [np.zeros((len(queries), len(held)), dtype=np.int32) for held in self._holds]
        thresholds = np.ones(len(queries), dtype=np.int32)
        for row, parts in enumerate(queries):
            if parts not in self._known:
                self._known[parts] = self._terms(parts)
            terms, thresholds[row] = self._known[parts]
            for literal, point in terms:
                column, place = self._places[literal]
                points[column][row, place] = point
        fails = self.link is Link.ALL
        scores = [mine @ (1 - held if fails else held) for mine, held in zip(points, self._holds, strict=True)]
        return LinkedQueries(self.link, thresholds, np.array(weights, dtype=np.float32), tuple(scores))

    def _terms(self, parts: Parts) -> tuple[list[tuple[int, int]], int]:
        form = self.base.points(parts)
        assert form is not None
        return list(form.terms), form.threshold

    # ---- classes without points ---------------------------------------------------------------------
    @property
    def _read(self) -> list[int]:
        """The columns that the class has literals of."""
        return [position for position, held in enumerate(self._holds) if len(held)]

    @property
    def _joint(self) -> int:
        return prod(self._schema.columns[position].size for position in self._read)

    @cached_property
    def _joint_codes(self) -> tuple[NDArray[np.int64], dict[int, int]]:
        """Every joint code, the columns that nobody reads at their first value, and what a code counts per column."""
        codes = np.zeros((self._joint, len(self._schema.columns)), dtype=np.int64)
        strides, stride = {}, 1
        for position in self._read:
            size = self._schema.columns[position].size
            codes[:, position] = np.arange(self._joint) // stride % size
            strides[position] = stride
            stride *= size
        return codes, strides

    def _tabulated(self, queries: Sequence[Parts], weights: Sequence[float]) -> LinkedQueries:
        codes, strides = self._joint_codes
        records = self._schema.literal_values(self.base.literals, codes.astype(self._schema.code_dtype))
        table = np.array([self.base.evaluate(parts, records) for parts in queries], dtype=bool)
        scores = [
            np.tile(np.arange(column.size, dtype=np.int32) * strides.get(position, 0), (len(queries), 1))
            for position, column in enumerate(self._schema.columns)
        ]
        shape = table.reshape(len(queries), self._joint)
        ones = np.ones(len(queries), dtype=np.int32)
        return LinkedQueries(None, ones, np.array(weights, dtype=np.float32), tuple(scores), shape)


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
