"""A query as points on literals: the form that games, workloads, cards and searches for records read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Link(Enum):
    """How points turn into a truth value."""

    ALL = "every listed literal holds"
    SUM = "the points of the literals that hold reach the threshold"
    ODD = "an odd number of the listed literals hold"


@dataclass(frozen=True)
class Points:
    """Whole points on literals, by number, and what they must add up to.

    >>> Points(Link.SUM, ((0, 2), (3, -1)), threshold=1).greatest
    4
    """

    link: Link
    terms: tuple[tuple[int, int], ...]
    threshold: int = 0

    @property
    def greatest(self) -> int:
        """A bound on everything that is added up."""
        return sum(abs(points) for _, points in self.terms) + abs(self.threshold)
