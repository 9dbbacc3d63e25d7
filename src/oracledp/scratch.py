"""A private folder for temporary files that goes away however the process ends.

DuckDB names its files itself, so they cannot be unlinked while open. Three things see to it instead that no private
record stays on the disk:

1. The block that made the folder removes it, also on an error or an interruption.
2. A watcher, a shell in a session of its own, waits at the end of a pipe. When the process dies, for whatever reason,
   the kernel closes the pipe and the watcher removes the folder. It ignores the signals of terminals.
3. Should the watcher die too (the machine stops, say), the next process removes the folder before it makes its own. It
   knows that a folder is abandoned by the lock on it, which the kernel gives up with its owner.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where a folder cannot be locked: the block that made it removes it
    fcntl = None  # type: ignore[assignment]

PREFIX = "oracledp-scratch-"
_WATCH = 'trap "" HUP INT QUIT TERM; echo; while read -r _; do :; done; rm -rf -- "$0"'
_OPEN_FOLDER = sum(getattr(os, flag, 0) for flag in ("O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC"))


@contextmanager
def private_folder() -> Iterator[Path]:
    """An empty folder that only this user can enter, removed at the end of the block or of the process."""
    remove_abandoned()
    folder, lock = _locked_folder()
    watcher = None
    try:
        watcher = _watcher(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if watcher is not None and watcher.stdin is not None:
            watcher.stdin.close()
            watcher.wait()
        if lock is not None:
            os.close(lock)


def remove_abandoned() -> None:
    """Remove the folders of processes that died, together with their watchers."""
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            descriptor = os.open(folder, _OPEN_FOLDER)
            try:
                if os.fstat(descriptor).st_uid == os.geteuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


def _locked_folder() -> tuple[Path, int | None]:
    """A new folder and the lock on it; should another process remove it before it is locked, one more."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # made with mode 0700
        if fcntl is None:
            return folder, None
        with suppress(FileNotFoundError):
            lock = os.open(folder, _OPEN_FOLDER)
            with suppress(OSError):  # a file system without locks: then nobody takes the folder for abandoned
                fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _watcher(folder: Path) -> subprocess.Popen[bytes] | None:
    """The process that outlives this one, once it ignores signals; None where there is no shell."""
    try:
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
    except OSError:
        return None
    assert watcher.stdout is not None
    with watcher.stdout:
        watcher.stdout.readline()  # before this a signal could still end it, while the folder is empty
    return watcher
