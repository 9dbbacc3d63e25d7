"""Where a ledger is kept: a file (SQLite) or a table on a PostgreSQL server, behind one interface.

A store keeps links in order and lends them out under a lock. It never changes or deletes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from oracledp.data.table.addresses import is_address
from oracledp.privacy.ledger.chain import Link


class Log(Protocol):
    """The links of a store while no other process can add one."""

    @property
    def links(self) -> Sequence[Link]:
        """Everything that stands in the ledger."""
        ...

    def now(self) -> str:
        """The time of the store: one clock for all who charge, as far as there is one."""
        ...

    def append(self, link: Link) -> None:
        """Put one more link at the end; it lasts once the lock is given up without an error."""
        ...


class Store(Protocol):
    """One ledger's place."""

    @property
    def place(self) -> str:
        """How messages name it; no password in it."""
        ...

    def create(self, first: Link) -> None:
        """Begin a ledger with its terms; one that is there is never overwritten."""
        ...

    def read(self) -> Sequence[Link]:
        """Everything that stands in the ledger."""
        ...

    def locked(self) -> AbstractContextManager[Log]:
        """The ledger for one writer; what was appended has reached the disk when the block ends."""
        ...


def store_at(address: str | Path) -> Store:
    """The store that an address stands for: ``postgresql://…?ledger=NAME`` or a path."""
    if isinstance(address, str) and is_address(address):
        from oracledp.privacy.ledger.server_store import ServerStore

        return ServerStore(address)
    from oracledp.privacy.ledger.file_store import FileStore

    return FileStore(Path(address))
