"""How many steps a compiled search may take: a limit counts steps, never time, so that it fails in the same place."""

from __future__ import annotations

from math import comb

from oracledp.exact.numbers import whole

NO_LIMIT = (1 << 63) - 1


def most_work(limit: int | None) -> int:
    """The limit as compiled code takes it.

    >>> most_work(5), most_work(None) == NO_LIMIT
    (5, True)
    """
    return NO_LIMIT if limit is None else whole(limit, "work_limit", least=0, most=NO_LIMIT)


MOST_TREE_CELLS = 1 << 29
"""Label counts of the deepest nodes of decision trees: about a minute."""


def tree_cells(literals: int, depth: int, labels: int) -> int:
    """How many label counts the deepest nodes of trees have: what time and memory go with.

    >>> tree_cells(43, 4, 2)
    3949120
    """
    return comb(literals, min(depth, literals)) * labels << min(depth, literals)
