"""Files that appear whole or not at all, however the process ends.

The content goes to a file without a name (Linux) that only its owner may read, is flushed to the disk and only then
gets its name. A process that dies earlier leaves nothing: a file without a name goes with its last descriptor. Only
regular files are ever replaced: a symbolic link is followed, a device or a pipe is written through.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from oracledp.errors import ModelError, ParameterError

_NO_NAME = getattr(os, "O_TMPFILE", None)
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class PendingFile:
    """An output that is open, so that writing it is known to be possible, and has no name yet.

    ``reserve`` bytes are set aside on the disk. :meth:`keep` gives the file its name, :meth:`drop` leaves no trace.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pending = PendingFile(Path(folder) / "rule.json", reserve=100)
    ...     _ = pending.file.write(b"{}")
    ...     before = os.listdir(folder)
    ...     pending.keep()
    ...     before, os.listdir(folder), (Path(folder) / "rule.json").read_bytes()
    ([], ['rule.json'], b'{}')
    """

    def __init__(self, path: str | os.PathLike[str], *, reserve: int = 0) -> None:
        self.path = path
        self._hidden: Path | None = None  # its name while it is written, where files must have one
        with one_line(path):
            self._target = _followed(Path(path))
            self._through = self._target.exists() and not self._target.is_file()
            self.file = self._open()
            self._reserve(0 if self._through else reserve)

    @property
    def regular(self) -> bool:
        """Whether what is written stays there to be read: not so in a device or a pipe."""
        return not self._through

    def _open(self) -> BinaryIO:
        if self._through:
            if self._target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            return cast(BinaryIO, self._target.open("wb"))
        folder = self._target.parent
        if hasattr(os, "pathconf") and len(os.fsencode(self._target.name)) > os.pathconf(folder, "PC_NAME_MAX"):
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        descriptor = _open_nameless(folder)
        if descriptor is None:
            descriptor, name = tempfile.mkstemp(prefix=".oracledp.", dir=folder)  # made with mode 0600
            self._hidden = Path(name)
        return cast(BinaryIO, os.fdopen(descriptor, "w+b"))

    def _reserve(self, size: int) -> None:
        """Ask the disk for room; file systems that cannot promise it are taken at their word later."""
        try:
            if size and hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self.file.fileno(), 0, size)
        except OSError as error:
            if error.errno in _NO_SPACE:
                self.drop()
                raise

    def keep(self) -> None:
        """Have the content reach the disk and give it its name, in place of a regular file that may be there."""
        with one_line(self.path):
            try:
                if self._through:
                    self.file.close()
                    return
                self.file.flush()
                self.file.truncate(self.file.tell())
                flush(self.file)
                self._name()
            finally:
                self.drop()
        flush_folder(self._target.parent)

    def _name(self) -> None:
        if self._hidden is not None:
            self.file.close()  # Windows renames no open file
            self._hidden.replace(self._target)
            return
        try:
            _link(self.file.fileno(), self._target)
        except FileExistsError:  # a link replaces nothing: it takes a second name, whole already, and a rename
            second = self._target.with_name(f".oracledp.{secrets.token_hex(8)}")
            try:
                _link(self.file.fileno(), second)
                second.replace(self._target)
            finally:
                second.unlink(missing_ok=True)

    def drop(self) -> None:
        """Forget the content; after :meth:`keep` there is nothing left to forget."""
        with suppress(OSError):
            self.file.close()
        if self._hidden is not None:
            self._hidden.unlink(missing_ok=True)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, with mode 0600, which takes the place of ``path`` when the block ends without an error."""
    pending = PendingFile(path)
    try:
        with one_line(path):
            yield pending.file
        pending.keep()
    finally:
        pending.drop()


@contextmanager
def one_line(path: str | os.PathLike[str]) -> Iterator[None]:
    """An operating system's refusal to write as one clear line."""
    try:
        yield
    except OSError as error:
        raise ParameterError(f"{path} cannot be written: {error.strerror or type(error).__name__}") from None


def read_saved(path: str | os.PathLike[str], what: str) -> dict[str, Any]:
    """The JSON object in a file that should hold ``what`` ("a release")."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"cannot read {what} from {path}") from error
    if not isinstance(data, dict):
        raise ModelError(f"{path} does not hold {what}")
    return data


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all."""
    with whole_file(path) as file:
        file.write(text.encode())


def _followed(target: Path) -> Path:
    """Where a symbolic link leads; a file that is no link stays what it is."""
    if not target.is_symlink():
        return target
    reached = Path(os.path.realpath(target))
    if reached.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return reached


def _open_nameless(folder: Path) -> int | None:
    """A descriptor of a file without a name, or None where there are no such files."""
    if _NO_NAME is None or not Path("/proc/self/fd").is_dir():
        return None
    with suppress(OSError):
        return os.open(folder, _NO_NAME | os.O_RDWR | os.O_CLOEXEC, 0o600)
    return None


def _link(descriptor: int, target: Path) -> None:
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:  # with a folder's descriptor Python asks for linkat, which follows the link in /proc
        os.link(f"/proc/self/fd/{descriptor}", target.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def flush(file: IO[Any]) -> None:
    """Have everything written reach the disk."""
    file.flush()
    os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Make the name last: best effort, some file systems refuse."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
