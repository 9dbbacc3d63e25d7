"""How many steps a compiled search may take: a limit counts steps, never time, so that it fails in the same place."""

from __future__ import annotations

from oracledp.errors import ParameterError

NO_LIMIT = (1 << 63) - 1


def most_work(limit: int | None) -> int:
    """The limit as compiled code takes it.

    >>> most_work(5), most_work(None) == NO_LIMIT
    (5, True)
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        raise ParameterError("work_limit must be a non-negative integer or None")
    return NO_LIMIT if limit is None else min(limit, NO_LIMIT)
