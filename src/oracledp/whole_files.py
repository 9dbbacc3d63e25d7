"""Files that appear whole or not at all, however the process ends.

The content goes to a file without a name (Linux) that only its owner may read, is flushed to the disk and only then
gets its name. A process that dies earlier leaves nothing: a file without a name goes with its last descriptor.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from oracledp.errors import ModelError, ParameterError

_NO_NAME = getattr(os, "O_TMPFILE", None)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, with mode 0600, which takes the place of ``path`` when the block ends without an error.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "rule.json") as file:
    ...         _ = file.write(b"{}")
    ...         before = os.listdir(folder)
    ...     before, os.listdir(folder)
    ([], ['rule.json'])
    """
    target = Path(path)
    try:
        descriptor = _open_nameless(target.parent)
        with _written(target) if descriptor is None else _nameless(descriptor, target) as file:
            yield file
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


def _open_nameless(folder: Path) -> int | None:
    """A descriptor of a file without a name, or None where there are no such files."""
    if _NO_NAME is None or not Path("/proc/self/fd").is_dir():
        return None
    with suppress(OSError):
        return os.open(folder, _NO_NAME | os.O_RDWR | os.O_CLOEXEC, 0o600)
    return None


@contextmanager
def _nameless(descriptor: int, target: Path) -> Iterator[BinaryIO]:
    with os.fdopen(descriptor, "w+b") as file:
        yield file
        flush(file)
        try:
            _link(descriptor, target)
        except FileExistsError:  # a link replaces nothing: it takes a second name, whole already, and a rename
            second = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
            try:
                _link(descriptor, second)
                second.replace(target)
            finally:
                second.unlink(missing_ok=True)
    flush_folder(target.parent)


def _link(descriptor: int, target: Path) -> None:
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:  # with a folder's descriptor Python asks for linkat, which follows the link in /proc
        os.link(f"/proc/self/fd/{descriptor}", target.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


@contextmanager
def _written(target: Path) -> Iterator[BinaryIO]:
    """The same with a hidden name from the beginning: a killed process may leave that file behind."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)  # made with mode 0600
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            flush(file)
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)
    flush_folder(target.parent)


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
