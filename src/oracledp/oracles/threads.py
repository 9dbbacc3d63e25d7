"""How many threads the compiled searches may use. Answers and counts of work never depend on it."""

from __future__ import annotations

from oracledp import _engine
from oracledp.exact.numbers import whole

MOST_THREADS = 256


def set_threads(threads: int) -> None:
    """Let one computation of the compiled core use so many threads; a process starts with one.

    Trees (the search, and the weights they are drawn by), transforms over more than a million subsets and batches of
    redraws make use of them. One is the default because jobs that run side by side, as in a vote or on a shared
    machine, would take each other's processors.

    >>> set_threads(2)
    >>> set_threads(1)
    """
    _engine.set_threads(whole(threads, "threads", most=MOST_THREADS))
