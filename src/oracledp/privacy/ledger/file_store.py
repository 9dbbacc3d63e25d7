"""A ledger in a file: SQLite with a rollback journal, so that a copy of the one file is the whole ledger."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from oracledp.errors import ModelError, ParameterError
from oracledp.privacy.ledger.chain import Link
from oracledp.privacy.ledger.old_file import is_old, old_links, upgrade
from oracledp.privacy.ledger.stamps import now
from oracledp.whole_files import flush_folder

_WAIT = 600.0  # seconds for other writers, who hold the lock for milliseconds
_FIRST = b"SQLite format 3\0"
_TABLE = """
CREATE TABLE entries (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, digest TEXT NOT NULL);
CREATE TRIGGER no_change BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END;
CREATE TRIGGER no_refund BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END;
"""


@dataclass
class _FileLog:
    connection: sqlite3.Connection
    links: list[Link]

    def now(self) -> str:
        return now()

    def append(self, link: Link) -> None:
        _insert(self.connection, len(self.links), link)
        self.links.append(link)


@dataclass(frozen=True)
class FileStore:
    """A ledger in one file that only its owner may read."""

    path: Path

    @property
    def place(self) -> str:
        """The path as it was given."""
        return str(self.path)

    def create(self, first: Link, *more: Link) -> None:
        """Make the file with mode 0600; an existing one is never overwritten. A copy has ``more`` from the start."""
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise ParameterError(f"{self.path} exists already: a ledger is never overwritten") from None
        except OSError as error:
            raise ParameterError(f"cannot create the ledger {self.path}: {error.strerror}") from None
        write_new(self.path, [first, *more])
        flush_folder(self.path.parent)

    def read(self) -> Sequence[Link]:
        """Every link; a ledger of the first version is read as it stands."""
        self._check()
        if is_old(self.path):
            return old_links(self.path)
        with self._open() as connection:
            return _links(connection)

    @contextmanager
    def locked(self) -> Iterator[_FileLog]:
        """An exclusive transaction, flushed to the disk at its end."""
        self._check()
        if is_old(self.path):
            upgrade(self.path, write_new)
        with self._open() as connection:
            connection.execute("BEGIN EXCLUSIVE")
            try:
                yield _FileLog(connection, _links(connection))
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(_connect(self.path)) as connection:
                yield connection
        except UnicodeDecodeError:  # damaged so that not even SQLite's message can be read
            raise ModelError(f"{self.path} is not a readable ledger; nothing is sampled") from None
        except sqlite3.DatabaseError as error:
            if "full" in str(error) or "readonly" in str(error) or "disk I/O" in str(error):
                raise ParameterError(f"the ledger {self.path} cannot be written: {error}; nothing is sampled") from None
            raise ModelError(f"{self.path} is not a readable ledger; nothing is sampled") from None

    def _check(self) -> None:
        """Name a missing or foreign file: SQLite would take an empty one for a new database."""
        try:
            with self.path.open("rb") as file:
                start = file.read(len(_FIRST))
        except FileNotFoundError:
            raise ParameterError(f"there is no ledger {self.path}; create it with 'oracledp budget create'") from None
        except OSError:
            start = b""
        if start != _FIRST and not is_old(self.path):
            raise ModelError(f"{self.path} is not a readable ledger; nothing is sampled")


def write_new(path: Path, links: Sequence[Link]) -> None:
    """Fill an empty file with a ledger."""
    try:
        with closing(_connect(path)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            for statement in _TABLE.strip().split("\n"):
                connection.execute(statement)
            for number, link in enumerate(links):
                _insert(connection, number, link)
            connection.commit()
    except sqlite3.DatabaseError as error:
        path.unlink(missing_ok=True)
        raise ParameterError(f"cannot create the ledger {path}: {error}") from None


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")  # the folder is flushed too, so that no journal comes back
    return connection


def _insert(connection: sqlite3.Connection, number: int, link: Link) -> None:
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (number, link.kind, link.body, link.digest))


def _links(connection: sqlite3.Connection) -> list[Link]:
    rows = connection.execute("SELECT number, kind, body, digest FROM entries ORDER BY number").fetchall()
    if [row[0] for row in rows] != list(range(len(rows))):
        raise sqlite3.DatabaseError("an entry is missing")
    return [Link(str(kind), str(body), str(digest)) for _, kind, body, digest in rows]
