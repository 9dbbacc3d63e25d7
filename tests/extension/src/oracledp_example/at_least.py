"""A query class in the members that any class must have: at least k of all literals hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass, Records, Separator
from oracledp.classes.registry import Family
from oracledp.classes.tables import Parts


@dataclass(frozen=True)
class AtLeast(QueryClass):
    """``at least k of a, b, c`` for k from 1 to ``most``: part k - 1 is the query."""

    kind = "at-least"
    most: int = 3

    @property
    def size(self) -> int:
        return min(self.most, self.dimension)

    @property
    def part_count(self) -> int:
        return self.size

    @property
    def hot(self) -> int:
        return 1

    def all_parts(self) -> Iterator[Parts]:
        return ((k,) for k in range(self.size))

    def contains(self, parts: Parts) -> bool:
        return len(parts) == 1 and 0 <= parts[0] < self.size

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        return np.asarray(np.asarray(records != 0).sum(axis=1) > parts[0], dtype=bool)

    def describe(self, parts: Parts) -> str:
        return f"at least {parts[0] + 1} of {', '.join(map(str, self.literals))}"

    def separator(self) -> Separator:
        return Separator(tuple(tuple(int(j < held) for j in range(self.dimension)) for held in range(1, self.size + 1)))

    def dual_separator(self) -> tuple[Parts, ...]:
        return tuple(self.all_parts())

    def parameters(self) -> dict[str, Any]:
        return {"most": self.most}


FAMILY = Family(lambda literals, size: AtLeast(literals, most=size), 3, "how many may be asked for")
