"""Calls into code that is not ours: however it ends, only a fixed word comes out.

An exception may carry private values in its message, its arguments or its traceback. None of them leaves here. What
the operator asks for must still get through: if a signal's handler raised (Ctrl-C does), that exception goes on.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from types import FrameType
from typing import Any, TypeVar

Result = TypeVar("Result")
STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM") if hasattr(signal, name)]


class Ending(Enum):
    """How a call ended that did not return."""

    RAISED = "raised"
    OUT_OF_MEMORY = "out of memory"


def guarded(call: Callable[[], Result]) -> Result | Ending:
    """What the call returns, or how it ended: any exception at all, SystemExit and KeyboardInterrupt included.

    >>> guarded(lambda: 1 + 1), guarded(lambda: exit("a secret"))
    (2, <Ending.RAISED: 'raised'>)
    """
    with _noted() as stops:
        ended = _ended(call)
    if stops:
        raise stops[0].with_traceback(None) from None
    return ended


def _ended(call: Callable[[], Result]) -> Result | Ending:
    try:
        return call()
    except MemoryError:
        return Ending.OUT_OF_MEMORY
    except BaseException:
        return Ending.RAISED


@contextmanager
def _noted() -> Iterator[list[BaseException]]:
    """What handlers of real signals raise meanwhile; Python runs them in the main thread only."""
    stops: list[BaseException] = []
    previous: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        previous = {number: handler for number in STOPPING if callable(handler := signal.getsignal(number))}
    for number, handler in previous.items():
        signal.signal(number, _noting(handler, stops))
    try:
        yield stops
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _noting(handler: Callable[[int, FrameType | None], Any], stops: list[BaseException]) -> Callable[..., None]:
    def noting(number: int, frame: FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException as stop:
            stops.append(stop)
            raise

    return noting
