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

from oracledp.locks import lock, try_lock

PREFIX = "oracledp-scratch-"
_WATCH = 'trap "" HUP INT QUIT TERM; echo; while read -r _; do :; done; rm -rf -- "$0"'
_FOLDERS_OPEN = hasattr(os, "O_DIRECTORY")  # not on Windows, which has no shell to watch either
_LOCKED = ".lock"  # the file that is locked there, instead of its folder


@contextmanager
def private_folder() -> Iterator[Path]:
    """An empty folder that only this user can enter, removed at the end of the block or of the process."""
    remove_abandoned()
    folder, held = _locked_folder()
    watcher = None
    try:
        watcher = _watcher(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if watcher is not None and watcher.stdin is not None:
            watcher.stdin.close()
            watcher.wait()
        _close(held, removed=folder)


def remove_abandoned() -> None:
    """Remove the folders of processes that died, together with their watchers."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            descriptor = _open(folder)
            abandoned = False
            try:
                abandoned = _is_ours(descriptor) and try_lock(descriptor)
                if abandoned:
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                _close(descriptor, removed=folder if abandoned else None)


def _locked_folder() -> tuple[Path, int]:
    """A new folder and the lock on it; should another process remove it before it is locked, one more."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # made with mode 0700
        with suppress(FileNotFoundError):
            held = _open(folder)
            with suppress(OSError):  # a file system without locks: then nobody takes the folder for abandoned
                lock(held)
            if folder.exists():
                return folder, held
            os.close(held)


def _open(folder: Path) -> int:
    """A descriptor of what is locked: the folder itself, or a file in it."""
    if _FOLDERS_OPEN:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    return os.open(folder / _LOCKED, os.O_RDWR | os.O_CREAT, 0o600)


def _is_ours(descriptor: int) -> bool:
    """Whether this user made it; on Windows everybody has a temporary folder of their own."""
    return not hasattr(os, "geteuid") or os.fstat(descriptor).st_uid == os.geteuid()


def _close(descriptor: int, *, removed: Path | None) -> None:
    """Give up the lock; on Windows the file that was locked can only then go with the folder."""
    os.close(descriptor)
    if removed is not None and not _FOLDERS_OPEN:
        shutil.rmtree(removed, ignore_errors=True)


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
