"""How many steps a compiled search may take: a limit counts steps, never time, so that it fails in the same place."""

from __future__ import annotations

from oracledp.exact.numbers import whole

NO_LIMIT = (1 << 63) - 1


def most_work(limit: int | None) -> int:
    """The limit as compiled code takes it.

    >>> most_work(5), most_work(None) == NO_LIMIT
    (5, True)
    """
    return NO_LIMIT if limit is None else whole(limit, "work_limit", least=0, most=NO_LIMIT)
