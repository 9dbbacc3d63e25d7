"""The closure of a class under negation: q or 1 - q, the sign being one more part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Branch, Parts, QueryClass, Records, Separator


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
        self, records: NDArray[np.uint8], weights: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
        """The base's: the branches are the base's, and a sign flips the reduced weights."""
        return self.base.reduce(records, weights)

    def dual_separator(self) -> tuple[Parts, ...]:
        """The base's: negating a query tells no more records apart."""
        return tuple((*parts, self.base.part_count) for parts in self.base.dual_separator())

    def constant_query(self) -> Parts | None:
        """The base's."""
        constant = self.base.constant_query()
        return None if constant is None else (*constant, self.base.part_count)

    def parameters(self) -> dict[str, Any]:
        """The base class."""
        return {"base": self.base.to_json()}
