"""Discrete halfspaces: integer scoring systems ``sum of points >= threshold``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import LinearCosts, QueryClass, Reader, Records, Separator
from oracledp.classes.formulation import Formulation
from oracledp.classes.pictures import Card, Picture
from oracledp.classes.points import Link, Points
from oracledp.classes.separation import separating_queries
from oracledp.classes.tables import Bits, Parts, PartsTable
from oracledp.data.literals import Literals
from oracledp.data.wording import bracketed
from oracledp.errors import ParameterError
from oracledp.exact.numbers import MOST_PARTS, exact, whole_or_none


@dataclass(frozen=True)
class Halfspaces(QueryClass):
    """``1[w·x >= θ]`` with each weight from a finite set and θ from ``thresholds`` (more than one: a free intercept).

    Dense (``max_nonzero=None``): one part per (coordinate, weight), exactly one per coordinate. Sparse: one
    part per (coordinate, non-zero weight), at most ``max_nonzero`` of them, the rest dummies. A free
    intercept is one more part. Weights and thresholds may be any rationals.

    >>> from oracledp.data.literals import Literals
    >>> card = Halfspaces(Literals.named("smoker", "adult"), weights=(-1, 0, 1), thresholds=(0, 1))
    >>> str(card.query(2, 4, 7))
    '+1·smoker >= 1'
    """

    kind = "halfspaces"
    weights: tuple[Fraction | int, ...] = (-1, 0, 1)
    max_nonzero: int | None = None
    thresholds: tuple[Fraction | int, ...] = (1,)

    def __post_init__(self) -> None:
        for name in ("weights", "thresholds"):
            values = tuple(sorted({exact(value, name) for value in getattr(self, name)}))
            if len(values) != len(getattr(self, name)) or not values:
                raise ParameterError(f"{name} must be distinct numbers, at least one")
            object.__setattr__(self, name, values)
        if len(self.literals) == 0:
            raise ParameterError("halfspaces need at least one literal")
        object.__setattr__(
            self, "max_nonzero", whole_or_none(self.max_nonzero, "max_nonzero", least=0, most=MOST_PARTS)
        )
        if self.max_nonzero is not None and 0 not in self.weights:
            raise ParameterError("max_nonzero needs weights that include 0")
        numbers = [Fraction(number) for number in self.weights + self.thresholds]
        if lcm(*(n.denominator for n in numbers)) * max(map(abs, numbers)) * (self.dimension + 2) >= 1 << 62:
            raise ParameterError("weights and thresholds are too large, or have too large a common denominator")

    # ---- numbering of the parts ----------------------------------------------------------------
    @property
    def sparse(self) -> bool:
        """Whether at most ``max_nonzero`` weights differ from zero."""
        return self.max_nonzero is not None

    @property
    def free_intercept(self) -> bool:
        """Whether the threshold is chosen too."""
        return len(self.thresholds) > 1

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """The weights that have a part of their own."""
        return tuple(Fraction(w) for w in self.weights if w != 0 or not self.sparse)

    @property
    def budget(self) -> int:
        """How many coordinates may carry a part."""
        return self.dimension if self.max_nonzero is None else min(self.max_nonzero, self.dimension)

    @property
    def first_threshold(self) -> int:
        """The number of the first intercept part."""
        return self.dimension * len(self.values)

    @property
    def part_count(self) -> int:
        """(coordinate, weight) pairs, then thresholds if they are free."""
        return self.first_threshold + (len(self.thresholds) if self.free_intercept else 0)

    @property
    def hot(self) -> int:
        """One part per coordinate (dense) or ``max_nonzero``, and one for a free intercept."""
        return self.budget + int(self.free_intercept)

    @property
    def dummies(self) -> int:
        """Sparse classes are padded to ``max_nonzero``."""
        return self.budget if self.sparse else 0

    def sizable(self, parts: Parts) -> int:
        """The weights count, the intercept does not."""
        return sum(1 for part in parts if part < self.first_threshold)

    def decode(self, parts: Parts) -> tuple[tuple[Fraction, ...], Fraction]:
        """The weight vector and the threshold of a query."""
        vector = [Fraction(0)] * self.dimension
        threshold = Fraction(self.thresholds[0])
        for part in parts:
            if part >= self.first_threshold:
                threshold = Fraction(self.thresholds[part - self.first_threshold])
            else:
                vector[part // len(self.values)] = self.values[part % len(self.values)]
        return tuple(vector), threshold

    # ---- the functions -------------------------------------------------------------------------
    @property
    def size(self) -> int:
        """The number of weight vectors times the number of thresholds."""
        if not self.sparse:
            return int(len(self.values) ** self.dimension) * len(self.thresholds)
        count = sum(comb(self.dimension, s) * int(len(self.values) ** s) for s in range(self.budget + 1))
        return count * len(self.thresholds)

    def all_parts(self) -> Iterator[Parts]:
        """Every query; the highest part decides the order."""
        tails: list[Parts] = [()]
        if self.free_intercept:
            tails = [(self.first_threshold + i,) for i in range(len(self.thresholds))]
        for tail in tails:
            for vector in self._dense() if not self.sparse else self._sparse(self.dimension, self.budget):
                yield vector + tail

    def _dense(self) -> Iterator[Parts]:
        base = len(self.values)
        for digits in product(range(base), repeat=self.dimension):
            yield tuple(j * base + digit for j, digit in enumerate(reversed(digits)))

    def _sparse(self, coordinates: int, budget: int) -> Iterator[Parts]:
        yield ()
        if budget > 0:
            for part in range(coordinates * len(self.values)):
                for rest in self._sparse(part // len(self.values), budget - 1):
                    yield (*rest, part)

    def contains(self, parts: Parts) -> bool:
        """One weight per coordinate at most (dense: exactly), one threshold where it is free."""
        vector = [part for part in parts if 0 <= part < self.first_threshold]
        tail = [part for part in parts if self.first_threshold <= part < self.part_count]
        coordinates = [part // len(self.values) for part in vector]
        increasing = all(a < b for a, b in pairwise(coordinates))
        enough = len(vector) <= self.budget if self.sparse else len(vector) == self.dimension
        whole = len(vector) + len(tail) == len(parts) and tuple(parts) == tuple(sorted(parts))
        return whole and increasing and enough and len(tail) == int(self.free_intercept)

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """``w·x >= θ``; separator elements have one more coordinate x0 and mean ``w·x + (1-θ)·x0 >= 1``."""
        vector, threshold = self.decode(parts)
        scale = lcm(threshold.denominator, *(w.denominator for w in vector))
        w = np.array([int(v * scale) for v in vector], dtype=object if records.dtype == object else np.int64)
        score = records[:, : self.dimension].astype(w.dtype) @ w
        if records.shape[1] == self.dimension:
            return np.asarray(score >= int(threshold * scale), dtype=bool)
        intercept = records[:, self.dimension].astype(w.dtype) * int((1 - threshold) * scale)
        return np.asarray(score + intercept >= scale, dtype=bool)

    def describe(self, parts: Parts) -> str:
        """``+1·a -2·(b >= 3) >= 1``."""
        vector, threshold = self.decode(parts)
        pairs = zip(vector, self.literals, strict=True)
        terms = [f"{'+' if w > 0 else '-'}{abs(w)}·{bracketed(x)}" for w, x in pairs if w]
        return f"{' '.join(terms) or '0'} >= {threshold}"

    # ---- identification ------------------------------------------------------------------------
    def separator(self) -> Separator:
        """For each coordinate and each pair of neighbouring weights a < b, an element that only b passes (E7).

        The element is c on that coordinate: c = 1/b if b > 0 (then w·c >= 1 iff w >= b), else c = 1/a (then
        w·c >= 1 iff w <= a). A free intercept is the weight 1-θ on one more coordinate.
        """
        width = self.element_width
        places = ((j, c) for j in range(width) for c in cuts(self._weights_of(j)))
        return Separator(tuple(tuple(c if i == j else 0 for i in range(width)) for j, c in places))

    @property
    def element_width(self) -> int:
        """One coordinate more for the intercept, unless the threshold is 1 and an element may do without it."""
        return self.dimension if self.thresholds == (1,) else self.dimension + 1

    def _weights_of(self, coordinate: int) -> tuple[Fraction, ...]:
        if coordinate < self.dimension:
            return tuple(Fraction(w) for w in self.weights)
        return tuple(sorted(1 - Fraction(t) for t in self.thresholds))

    def linear_costs(self, noise: NDArray[np.int64]) -> LinearCosts:
        """An element reads one coordinate only, so its noise is a cost on that coordinate's parts."""
        plain, final = cuts(self._weights_of(0)), cuts(self._weights_of(self.dimension))
        costs = []
        for part in range(self.part_count):
            if part < self.first_threshold:
                coordinate, place = divmod(part, len(self.values))
                weight, tests = self.values[place], plain
            else:
                coordinate, tests = self.dimension, final
                weight = 1 - Fraction(self.thresholds[part - self.first_threshold])
            start = coordinate * len(plain)
            costs.append(sum(int(noise[start + i]) for i, c in enumerate(tests) if weight * c >= 1))
        return LinearCosts(0, np.array(costs, dtype=np.int64))

    def dual_separator(self) -> tuple[Parts, ...]:
        """Queries that read one bit each where the weights allow it, otherwise a set found by search."""
        threshold = self.thresholds[0]
        large = [i for i, w in enumerate(self.values) if w >= threshold]
        constant = self.constant_query()
        if constant is None or threshold <= 0 or not large or self.budget == 0:
            return separating_queries(self)
        count = len(self.values)
        return tuple(
            tuple(sorted([*(part for part in constant if part // count != j), j * count + large[0]]))
            for j in range(self.dimension)
        )

    def constant_query(self) -> Parts | None:
        """All weights zero."""
        if 0 not in self.weights:
            return None
        tail = (self.first_threshold,) if self.free_intercept else ()
        if self.sparse:
            return tail
        zero = self.values.index(Fraction(0))
        return tuple(j * len(self.values) + zero for j in range(self.dimension)) + tail

    def parameters(self) -> dict[str, Any]:
        """Weights, sparsity and thresholds; fractions as strings."""
        return {
            "weights": [str(w) for w in self.weights],
            "max_nonzero": self.max_nonzero,
            "thresholds": [str(t) for t in self.thresholds],
        }

    @classmethod
    def from_parameters(cls, literals: Literals, data: dict[str, Any], read: Reader) -> Halfspaces:
        """Fractions from their strings."""
        weights, thresholds = (tuple(map(Fraction, data.pop(name))) for name in ("weights", "thresholds"))
        return cls(literals, weights=weights, thresholds=thresholds, **data)

    # ---- what searches, solvers and pages read ---------------------------------------------------
    def as_halfspaces(self) -> Halfspaces:
        """The class itself."""
        return self

    @property
    def sizable_parts(self) -> int:
        """The weights; an intercept is no dummy's place."""
        return self.first_threshold

    @cached_property
    def scaled(self) -> tuple[list[int], list[int]]:
        """The weights that have parts, and the thresholds, as integers on one common scale.

        >>> from oracledp.data.literals import Literals
        >>> Halfspaces(Literals.named("a"), weights=("-1/2", 0, 1), thresholds=("1/3",)).scaled
        ([-3, 0, 6], [2])
        """
        thresholds = [Fraction(threshold) for threshold in self.thresholds]
        scale = lcm(*(number.denominator for number in (*self.values, *thresholds)))
        return [int(value * scale) for value in self.values], [int(threshold * scale) for threshold in thresholds]

    def points(self, parts: Parts) -> Points:
        """On the scale that makes every weight and threshold of the class whole."""
        points, thresholds = self.scaled
        count, first, threshold = len(points), self.first_threshold, thresholds[0]
        terms = tuple((part // count, points[part % count]) for part in parts if part < first and points[part % count])
        for part in parts:
            threshold = thresholds[part - first] if part >= first else threshold
        return Points(Link.SUM, terms, threshold)

    @property
    def greatest_points(self) -> int:
        """The heaviest weight or threshold on every coordinate that may carry one, and on the other side."""
        points, thresholds = self.scaled
        return max(map(abs, (*points, *thresholds))) * (self.budget + 1)

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """All queries together, in integers on a common scale."""
        points, thresholds = self.scaled
        count, total = len(points), np.zeros((len(table), len(records)), dtype=np.int64)
        scores = np.zeros((self.part_count + 1, len(records)), dtype=np.int64)
        for part in range(self.first_threshold):
            scores[part] = points[part % count] * records[:, part // count].astype(np.int64)
        if self.free_intercept:
            scores[self.first_threshold : self.part_count] = -np.array(thresholds)[:, None]
        for column in table.T:
            total += scores[column]
        return np.asarray(total >= (0 if self.free_intercept else thresholds[0]))

    def picture(self, parts: Parts) -> Picture:
        """A scoring card."""
        vector, threshold = self.decode(parts)
        pairs = zip(self.literals, vector, strict=True)
        return Card(tuple((str(literal), weight) for literal, weight in pairs if weight), threshold)

    def changed(self, parts: Parts) -> Iterator[Parts]:
        """Another threshold, another weight, or a weight moved to another place."""
        count, first = len(self.values), self.first_threshold
        vector = [part for part in parts if part < first]
        tail = parts[len(vector) :]
        yield from ((*vector, first + i) for i in range(len(tail) * len(self.thresholds)))
        if self.sparse:
            yield from ((*(kept for kept in vector if kept != part), *tail) for part in vector)
        full = self.sparse and len(vector) == self.budget
        for j in range(self.dimension):
            rest = [part for part in vector if part // count != j]
            without = [[p for p in rest if p != dropped] for dropped in rest]
            for base in [rest] if len(rest) < len(vector) or not full else without:
                for part in range(j * count, (j + 1) * count):
                    yield (*sorted([*base, part]), *tail)

    def formulate(self, records: NDArray[np.uint8], weights: NDArray[np.int64], model: Formulation) -> None:
        """One weight per coordinate, one threshold, and a record's points against it."""
        points, thresholds = self.scaled
        count, first = len(points), self.first_threshold
        groups = [[(j * count + i, points[i]) for i in range(count)] for j in range(self.dimension)]
        for group in groups:
            parts = [part for part, _ in group]
            (model.at_most(parts, 1) if self.sparse else model.exactly_one(parts)) if parts else None
        if self.sparse:
            model.at_most(range(first), self.budget)
        final: list[list[tuple[int, int]]] = []
        if self.free_intercept:
            model.exactly_one(range(first, self.part_count))
            final = [[(first + i, -threshold) for i, threshold in enumerate(thresholds)]]
        bound = 0 if self.free_intercept else thresholds[0]
        for record, weight in zip(records, weights.tolist(), strict=True):
            model.cover_if_sum(weight, [*(groups[int(j)] for j in np.flatnonzero(record)), *final], bound)


def cuts(weights: tuple[Fraction, ...]) -> list[Fraction]:
    """The values of one coordinate at which the truth changes between neighbouring weights."""
    return [1 / upper if upper > 0 else 1 / lower for lower, upper in pairwise(weights)]
