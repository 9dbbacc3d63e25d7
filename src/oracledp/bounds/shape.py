"""What the bounds need to know of a query class: five public numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from oracledp.classes.base import QueryClass
from oracledp.errors import OracleDPError


@dataclass(frozen=True)
class Shape:
    """The size of a class and of its embeddings.

    ``parts`` counts dummies too; ``elements`` is the size of the separator set, None where it has none of
    reasonable size; ``margin`` is the least number of elements on which two queries differ.
    """

    size: int
    hot: int
    parts: int
    elements: int | None
    margin: int = 1
    nested: bool = False

    @classmethod
    def of(cls, queries: QueryClass) -> Shape:
        """The shape of a class.

        >>> from oracledp.classes import Conjunctions
        >>> from oracledp.data.literals import Literals
        >>> Shape.of(Conjunctions(Literals.named("a", "b", "c"), max_width=2))
        Shape(size=7, hot=2, parts=5, elements=3, margin=1, nested=True)
        """
        try:
            separator = queries.separator()
            elements, margin = len(separator), separator.margin
        except (OracleDPError, MemoryError):
            elements, margin = None, 1
        return cls(
            queries.size, queries.hot, queries.part_count + queries.dummies, elements, margin, bool(queries.nested)
        )

    @property
    def log_size(self) -> float:
        """ln|Q|."""
        return log(self.size)
