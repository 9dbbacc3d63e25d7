"""Locks on open files, which the operating system gives up with their owner.

``flock`` where there is one, else (Windows) a byte far beyond the end of the file, because a byte that is locked
there cannot be read either. The modules are imported when a lock is taken: the package imports anywhere.
"""

from __future__ import annotations

import importlib
import os
from time import sleep
from typing import Any

_FAR = 1 << 30  # no file that we lock gets there
_PAUSE = 0.01  # seconds between two tries


def lock(descriptor: int) -> None:
    """Wait until the lock is ours; closing the descriptor gives it up.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as first, open(first.name) as second:
    ...     lock(first.fileno())
    ...     try_lock(second.fileno())
    False
    """
    try:
        import fcntl
    except ImportError:
        while not _lock_byte(descriptor):
            sleep(_PAUSE)
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def try_lock(descriptor: int) -> bool:
    """Take the lock unless another has it."""
    try:
        import fcntl
    except ImportError:
        return _lock_byte(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_byte(descriptor: int) -> bool:
    msvcrt: Any = importlib.import_module("msvcrt")
    os.lseek(descriptor, _FAR, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except PermissionError:  # another has it
        return False
    return True
