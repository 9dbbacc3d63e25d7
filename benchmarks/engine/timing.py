"""CPU seconds of one thread, and calls that are stopped when they have used too many of them."""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, TypeVar

try:
    import resource
except ImportError:  # not on every system; then only the solvers' own limits stop them
    resource = None  # type: ignore[assignment]

T = TypeVar("T")
ENOUGH_SECONDS = 0.2


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """The CPU seconds of one call, and what it returned.

    The clock of the whole process moves in steps of milliseconds where a limit is set, that of the thread does not.
    """
    whole, own = time.process_time(), time.thread_time()
    answer = call()
    return max(time.process_time() - whole, time.thread_time() - own), answer


def best_of(call: Callable[[], T], most: int = 20) -> tuple[float, T]:
    """The least CPU seconds among calls that take a fifth of a second together, or of one long call.

    >>> best_of(lambda: 7)[1]
    7
    """
    best, answer = timed(call)
    spent, calls = best, 1
    while spent < ENOUGH_SECONDS and calls < most:
        seconds, answer = timed(call)
        best, spent, calls = min(best, seconds), spent + seconds, calls + 1
    return best, answer


def within(limit: float, call: Callable[..., T], *arguments: Any, module: str | None = None) -> T | None:
    """What the call returns in a process of its own, or None if it was stopped after ``limit`` CPU seconds.

    A process of its own also keeps solvers apart that cannot live in one. The module is imported before the clock
    starts: some take seconds for that.

    >>> within(60, max, 3, 5)
    5
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, limit, call, arguments, module))
    process.start()
    sender.close()
    try:
        answer: T | Exception = receiver.recv()
    except EOFError:
        return None
    finally:
        process.join()
    if isinstance(answer, Exception):
        raise answer
    return answer


def _serve(
    sender: Connection, limit: float, call: Callable[..., Any], arguments: tuple[Any, ...], module: str | None
) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some peers print, and the output may be JSON
    if module is not None:
        import_module(module)
    if resource is not None:
        seconds = math.ceil(time.process_time() + limit)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        sender.send(call(*arguments))
    except Exception as error:
        sender.send(error)
