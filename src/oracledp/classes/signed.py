"""The closure of a class under negation: q or 1 - q, the sign being one more part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Branch, QueryClass, Reader, Records, Separator, relative
from oracledp.classes.pictures import Picture, Sentence
from oracledp.classes.tables import NO_PART, Bits, Parts, PartsTable
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import ModelError


@relative("closure")
@dataclass(frozen=True)
class Signed(QueryClass):
    """Q ∪ ¬Q. The sign is one of TWO one-hot parts: one binary coordinate with one-sided noise leaks (trap P5).

    >>> from oracledp.classes.subsets import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> both = Conjunctions(Literals.named("a", "b")).closure()
    >>> str(both.query(0, 1, 3)), both.size
    ('not (a and b)', 8)
    """

    kind = "signed"
    base: QueryClass

    @property
    def size(self) -> int:
        """Twice the base."""
        return 2 * self.base.size

    @property
    def part_count(self) -> int:
        """The base's parts and two signs."""
        return self.base.part_count + 2

    @property
    def hot(self) -> int:
        """The base's, and the sign."""
        return self.base.hot + 1

    @property
    def dummies(self) -> int:
        """The base's."""
        return self.base.dummies

    def sizable(self, parts: Parts) -> int:
        """The base's count: the sign is no dummy's place."""
        return self.base.sizable(parts[:-1])

    def order_key(self, parts: Parts) -> tuple[int, ...]:
        """The sign decides first, then the base's order."""
        return (parts[-1], *self.base.order_key(parts[:-1]))

    def all_parts(self) -> Iterator[Parts]:
        """The base's queries, then their negations."""
        for sign in (self.base.part_count, self.base.part_count + 1):
            for parts in self.base.all_parts():
                yield (*parts, sign)

    def contains(self, parts: Parts) -> bool:
        """A query of the base and one sign."""
        return bool(parts) and 0 <= parts[-1] - self.base.part_count < 2 and self.base.contains(parts[:-1])

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """q or 1 - q; an extra last column marks the formal element on which every q of the base is 0."""
        negated = parts[-1] > self.base.part_count
        if records.shape[1] == self.dimension:
            return np.asarray(self.base.evaluate(parts[:-1], records) != negated)
        formal = np.asarray(records[:, -1] != 0, dtype=bool)
        return np.asarray((self.base.evaluate(parts[:-1], records[:, :-1]) & ~formal) != negated)

    def describe(self, parts: Parts) -> str:
        """``not (…)`` for the negated half."""
        words = self.base.describe(parts[:-1])
        return f"not ({words})" if parts[-1] > self.base.part_count else words

    @property
    def element_width(self) -> int:
        """One column more than the base: the mark of the formal element."""
        return self.base.element_width + 1

    def separator(self) -> Separator:
        """The base's elements and a formal one where every q is 0 and every 1 - q is 1 (erratum A9)."""
        base = self.base.separator()
        formal = (0,) * self.base.element_width + (1,)
        return Separator((*((*element, 0) for element in base.elements), formal))

    def branches(self) -> tuple[Branch, ...]:
        """The base as it is, and the base negated."""
        return tuple(
            Branch(branch.base, branch.negated != bool(sign), (*branch.extra, self.base.part_count + sign))
            for sign in (0, 1)
            for branch in self.base.branches()
        )

    def reduce(
        self, records: PackedRecords, weights: NDArray[np.int64]
    ) -> tuple[PackedRecords, NDArray[np.int64], int]:
        """The base's: the branches are the base's, and a sign flips the reduced weights."""
        return self.base.reduce(records, weights)

    def dual_separator(self) -> tuple[Parts, ...]:
        """The base's: negating a query tells no more records apart."""
        return tuple((*parts, self.base.part_count) for parts in self.base.dual_separator())

    def constant_query(self) -> Parts | None:
        """The base's."""
        constant = self.base.constant_query()
        return None if constant is None else (*constant, self.base.part_count)

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """The base's, turned round where the sign says so."""
        plus, minus = self.base.part_count, self.base.part_count + 1
        negated = (table == minus).any(axis=1, keepdims=True)
        inner = np.where(table >= plus, NO_PART, table)[:, :-1]  # the last column holds signs and NO_PART alone
        return np.asarray(self.base.coverage(inner, records) != negated)

    @property
    def sizable_parts(self) -> int:
        """The base's: the sign is no dummy's place."""
        return self.base.sizable_parts

    def changed(self, parts: Parts) -> Iterator[Parts]:
        """The other sign, or a change of the base's."""
        other = 2 * self.base.part_count + 1 - parts[-1]
        yield (*parts[:-1], other)
        yield from ((*inner, parts[-1]) for inner in self.base.changed(parts[:-1]))

    def picture(self, parts: Parts) -> Picture:
        """The base's; a negation is said in words."""
        drawn = self.base.picture(parts[:-1])
        if parts[-1] == self.base.part_count:
            return drawn
        items = (drawn.heading, drawn.items) if isinstance(drawn, Sentence) else ("", ())
        return Sentence(self.describe(parts), *items, negated=True)

    def without_sign(self, parts: Parts) -> tuple[QueryClass, Parts, bool]:
        """The base's query, and whether it is negated here."""
        base, inner, negated = self.base.without_sign(parts[:-1])
        return base, inner, negated != (parts[-1] > self.base.part_count)

    def unsigned(self) -> QueryClass:
        """The base's."""
        return self.base.unsigned()

    def parameters(self) -> dict[str, Any]:
        """The base class."""
        return {"base": self.base.to_json()}

    @classmethod
    def from_parameters(cls, literals: Literals, data: dict[str, Any], read: Reader) -> Signed:
        """The closure of the class inside, which is over the same literals."""
        base = read(data["base"])
        if base.literals != literals:
            raise ModelError("a signed class and the class inside it have different literals")
        return cls(literals, base)
