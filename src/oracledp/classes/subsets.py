"""Conjunctions, disjunctions and parities: a query is a set of at most ``max_width`` literals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import LinearCosts, QueryClass, Reader, Records, Separator, colex_subsets
from oracledp.classes.formulation import Formulation
from oracledp.classes.pictures import Picture, Sentence
from oracledp.classes.points import Link, Points
from oracledp.classes.tables import Bits, Parts, PartsTable, fold_literals
from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.data.wording import NEVER, all_of, any_of, joined, reduced
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.numbers import MOST_PARTS, whole_or_none

SWAP_BELOW = 9  # queries of more literals are changed one literal at a time: their swaps are too many


@dataclass(frozen=True)
class SubsetClass(QueryClass):
    """A class whose queries are the sets of at most ``max_width`` literals (any number when None)."""

    max_width: int | None = None
    link: ClassVar[Link]
    joined: ClassVar[str]  # how a page introduces the chosen literals

    def __post_init__(self) -> None:
        if len(self.literals) == 0:
            raise ParameterError(f"{self.kind} need at least one literal")
        width = whole_or_none(self.max_width, "max_width", least=0, most=MOST_PARTS)
        object.__setattr__(self, "max_width", width)

    @property
    def width(self) -> int:
        """The greatest number of literals in a query."""
        return self.dimension if self.max_width is None else min(self.max_width, self.dimension)

    @property
    def size(self) -> int:
        """The number of subsets."""
        return sum(comb(self.dimension, w) for w in range(self.width + 1))

    def all_parts(self) -> Iterator[Parts]:
        """Every subset, in the order of its bit mask."""
        return colex_subsets(self.dimension, self.width)

    def contains(self, parts: Parts) -> bool:
        """Whether these are distinct literal numbers, not too many."""
        distinct = all(a < b for a, b in pairwise(parts))
        return distinct and len(parts) <= self.width and all(0 <= p < self.dimension for p in parts)

    @property
    def part_count(self) -> int:
        """One part per literal."""
        return self.dimension

    @property
    def hot(self) -> int:
        """The width: shorter queries are padded with dummies."""
        return self.width

    @property
    def dummies(self) -> int:
        """As many as the width."""
        return self.width

    def dual_separator(self) -> tuple[Parts, ...]:
        """The single literals: they read off a record bit by bit."""
        if self.width == 0:
            raise ParameterError(f"{self.kind} of width 0 cannot tell records apart")
        return tuple((j,) for j in range(self.dimension))

    def constant_query(self) -> Parts:
        """The empty set."""
        return ()

    def parameters(self) -> dict[str, Any]:
        """The width."""
        return {"max_width": self.max_width}

    def holds_on(self, parts: Parts, records: PackedRecords) -> NDArray[np.bool_]:
        """From the chosen columns alone."""
        chosen = np.array([records.column(part) for part in parts], dtype=bool).reshape(len(parts), len(records))
        return self.evaluate(tuple(range(len(parts))), chosen.T)

    def as_subsets(self) -> SubsetClass:
        """The class itself."""
        return self

    def as_conjunctions_see(
        self, records: PackedRecords, weights: NDArray[np.int64]
    ) -> tuple[PackedRecords, NDArray[np.int64], int]:
        """The weighted records for a search over conjunctions, and a constant.

        A disjunction is one minus the conjunction of the negated literals.
        """
        if self.link is Link.ALL:
            return records, weights, 0
        assert self.link is Link.SUM, "parities are no conjunctions"
        return records.negated(), -weights, int(weights.sum())

    def changed(self, parts: Parts) -> Iterator[Parts]:
        """A literal dropped, added or, in a short query, exchanged."""
        absent = [p for p in range(self.dimension) if p not in parts]
        shorter = [tuple(p for p in parts if p != dropped) for dropped in parts]
        yield from shorter
        grown = [parts] if len(parts) < self.width else []
        for start in [*grown, *(shorter if len(parts) < SWAP_BELOW else [])]:
            yield from (tuple(sorted((*start, added))) for added in absent)

    def points(self, parts: Parts) -> Points:
        """One point on each chosen literal."""
        return Points(self.link, tuple((part, 1) for part in parts), int(self.link is Link.SUM))

    @property
    def greatest_points(self) -> int:
        """One point per literal."""
        return self.width + 1

    def picture(self, parts: Parts) -> Picture:
        """The chosen literals."""
        kept: list[Literal] | None = self.chosen(parts)
        if self.link is Link.ALL:
            kept = reduced(self.chosen(parts))
        elif self.link is Link.SUM:
            opposites = reduced(literal.negated() for literal in self.chosen(parts))
            kept = None if opposites is None else [literal.negated() for literal in opposites]
        if kept is None:
            return Sentence(self.describe(parts))
        return Sentence(self.describe(parts), self.joined, tuple(map(str, kept)))

    def formulate(self, records: NDArray[np.uint8], weights: NDArray[np.int64], model: Formulation) -> None:
        """At most ``width`` literals; which of them decide about a record depends on how they are joined."""
        if self.width < self.dimension:
            model.at_most(range(self.dimension), self.width)
        cover = {
            Link.ALL: (model.cover_unless_any, 0),
            Link.SUM: (model.cover_if_any, 1),
            Link.ODD: (model.cover_if_odd, 1),
        }[self.link]
        for record, weight in zip(records, weights.tolist(), strict=True):
            cover[0](weight, [int(j) for j in np.flatnonzero(record == cover[1])])

    def chosen(self, parts: Parts) -> list[Literal]:
        """The literals of a query."""
        return [self.literals[part] for part in parts]


def joined_by(query_class: QueryClass, *links: Link) -> SubsetClass | None:
    """The class as sets of literals that are joined in one of these ways, or None."""
    found = query_class.as_subsets()
    return found if found is not None and found.link in links else None


def unit_elements(dimension: int, *, complement: bool) -> tuple[tuple[int, ...], ...]:
    """The unit vectors, or the vectors that are one everywhere but at one place."""
    return tuple(tuple(int((i == j) != complement) for i in range(dimension)) for j in range(dimension))


def chosen_bits(parts: Parts, records: Records) -> NDArray[np.bool_]:
    """The columns of the chosen literals, as booleans."""
    return np.asarray(records[:, list(parts)] != 0, dtype=bool)


@dataclass(frozen=True)
class Conjunctions(SubsetClass):
    """Conjunctions of at most ``max_width`` literals; the empty one is always true.

    >>> from oracledp.data.literals import Literals
    >>> queries = Conjunctions(Literals.named("smoker", "adult"), max_width=2)
    >>> str(queries.query(0, 1)), queries.size
    ('smoker and adult', 4)
    """

    kind = "conjunctions"
    link = Link.ALL
    joined = "all of"

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """True where every chosen literal holds."""
        return np.asarray(chosen_bits(parts, records).all(axis=1), dtype=bool)

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """All queries together, literal by literal."""
        return fold_literals(np.logical_and, True, table, records)

    def describe(self, parts: Parts) -> str:
        """``a and b``."""
        return all_of(self.chosen(parts))

    def separator(self) -> Separator:
        """The records that lack one literal each: q is 0 there exactly when it uses that literal."""
        return Separator(unit_elements(self.dimension, complement=True))

    def linear_costs(self, noise: NDArray[np.int64]) -> LinearCosts:
        """q(e_j) = 1 - [j in q], so the noise is a constant minus the noise of the chosen literals."""
        return LinearCosts(int(noise.sum()), -noise)

    @property
    def nested(self) -> bool:
        """One literal more makes a conjunction smaller."""
        return True


@dataclass(frozen=True)
class Disjunctions(SubsetClass):
    """Disjunctions of at most ``max_width`` literals; the empty one is never true.

    >>> from oracledp.data.literals import Literals
    >>> str(Disjunctions(Literals.named("smoker", "adult")).query(0, 1))
    'smoker or adult'
    """

    kind = "disjunctions"
    link = Link.SUM
    joined = "any of"

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """True where some chosen literal holds."""
        return np.asarray(chosen_bits(parts, records).any(axis=1), dtype=bool)

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """All queries together, literal by literal."""
        return fold_literals(np.logical_or, False, table, records)

    def describe(self, parts: Parts) -> str:
        """``a or b``."""
        return any_of(self.chosen(parts))

    def separator(self) -> Separator:
        """The unit vectors: q is 1 there exactly when it uses that literal."""
        return Separator(unit_elements(self.dimension, complement=False))

    def linear_costs(self, noise: NDArray[np.int64]) -> LinearCosts:
        """q(e_j) = [j in q]."""
        return LinearCosts(0, noise.copy())

    @property
    def nested(self) -> bool:
        """One literal more makes a disjunction larger."""
        return True


@dataclass(frozen=True)
class Parities(SubsetClass):
    """Parities of at most ``max_width`` literals; with negations, take :meth:`closure`.

    ``code`` may give the columns of a generator matrix (one 0/1 element each): a separator whose margin is
    the minimum distance of that linear code, computed here and never taken on trust, and so less noise.

    >>> from oracledp.data.literals import Literals
    >>> str(Parities(Literals.named("a", "b", "c")).query(0, 2))
    'a xor c'
    """

    kind = "parities"
    link = Link.ODD
    joined = "an odd number of"
    code: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.code is None:
            return
        if not self.code or any(len(column) != self.dimension or not set(column) <= {0, 1} for column in self.code):
            raise ParameterError("each element of the code needs one bit (0 or 1) per literal")
        if minimum_distance(self.code) == 0:
            raise ParameterError("the code does not separate the parities: its distance is 0")

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """True where an odd number of the chosen literals hold."""
        return np.asarray(chosen_bits(parts, records).sum(axis=1) % 2, dtype=bool)

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """All queries together, literal by literal."""
        return fold_literals(np.logical_xor, False, table, records)

    def describe(self, parts: Parts) -> str:
        """``a xor b``."""
        return joined(self.chosen(parts), " xor ", NEVER)

    def separator(self) -> Separator:
        """The unit vectors, or the columns of the given code with its distance as margin."""
        if self.code is not None:
            return Separator(self.code, minimum_distance(self.code))
        return Separator(unit_elements(self.dimension, complement=False))

    def linear_costs(self, noise: NDArray[np.int64]) -> LinearCosts | None:
        """q(e_j) = [j in q] on unit vectors; a code's elements go in as records."""
        return None if self.code is not None else LinearCosts(0, noise.copy())

    def parameters(self) -> dict[str, Any]:
        """The width and the code."""
        return {"max_width": self.max_width, "code": self.code}

    @classmethod
    def from_parameters(cls, literals: Literals, data: dict[str, Any], read: Reader) -> Parities:
        """The code's columns as tuples."""
        code = data.pop("code", None)
        columns = None if code is None else tuple(tuple(int(bit) for bit in column) for column in code)
        return cls(literals, **data, code=columns)


@cache
def minimum_distance(code: tuple[tuple[int, ...], ...]) -> int:
    """The minimum distance of the linear code with these generator columns, over all 2^d messages.

    >>> minimum_distance(((1, 0), (0, 1), (1, 1)))
    2
    """
    dimension = len(code[0])
    if dimension > 20:
        raise CapacityError("the margin of a code is checked by enumeration: at most 20 literals")
    distance = np.zeros(1 << dimension, dtype=np.int32)
    masks = np.arange(1 << dimension, dtype=np.uint32)
    for column in code:
        mask = sum(bit << j for j, bit in enumerate(column))
        distance += np.bitwise_count(masks & np.uint32(mask)).astype(np.int32) & 1
    return int(distance[1:].min())
