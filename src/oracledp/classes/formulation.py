"""How a class is told to a general solver, once for all of them: linear programs and clauses read the same calls.

A solver's model has one 0/1 variable per part. A class says which sets of parts are queries, and which of them
cover a record; the model turns that into rows or clauses of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

Scored = Sequence[tuple[int, int]]  # (part, points)


class Formulation(Protocol):
    """What every model of a solver understands. Parts are numbered as in the class."""

    def exactly_one(self, parts: Iterable[int]) -> None:
        """Every query has one of these parts."""
        ...

    def at_most(self, parts: Sequence[int], most: int) -> None:
        """No query has more of these parts."""
        ...

    def cover_unless_any(self, weight: int, parts: Sequence[int]) -> None:
        """A record of this weight is covered by the queries that have none of these parts."""
        ...

    def cover_if_any(self, weight: int, parts: Sequence[int]) -> None:
        """A record of this weight is covered by the queries that have one of these parts."""
        ...

    def cover_if_odd(self, weight: int, parts: Sequence[int]) -> None:
        """A record of this weight is covered by the queries that have an odd number of these parts."""
        ...

    def cover_if_sum(self, weight: int, groups: Sequence[Scored], bound: int) -> None:
        """A record of this weight is covered where the points of a query's parts reach the bound.

        Of each group a query has at most one part.
        """
        ...

    def cover_by_first(self, weight: int, levels: Sequence[Scored]) -> None:
        """A record of this weight is covered where the first level with a listed part says 1."""
        ...

    def listed(self, queries: Sequence[tuple[Sequence[int], int]]) -> None:
        """The class has just these queries, given by their parts, and each has this value on the data."""
        ...
