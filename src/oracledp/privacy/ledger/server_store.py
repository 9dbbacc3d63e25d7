"""A ledger on a PostgreSQL server, for several machines: ``postgresql://user@host/database?ledger=NAME``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from oracledp.data.table.addresses import connect, named_in
from oracledp.errors import ModelError, ParameterError
from oracledp.extras import optional
from oracledp.privacy.ledger.chain import Link
from oracledp.privacy.ledger.stamps import stamp

_TABLE = """
CREATE TABLE IF NOT EXISTS oracledp_ledger (
  ledger text NOT NULL, number bigint NOT NULL, kind text NOT NULL, body text NOT NULL, digest text NOT NULL,
  PRIMARY KEY (ledger, number))
"""
_READ = "SELECT kind, body, digest FROM oracledp_ledger WHERE ledger = %s ORDER BY number"
_WRITE = "INSERT INTO oracledp_ledger VALUES (%s, %s, %s, %s, %s)"
_NOW = "SELECT clock_timestamp()"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('oracledp ledger ' || %s, 0))"


@dataclass
class _ServerLog:
    cursor: Any
    name: str
    links: list[Link]

    def now(self) -> str:
        self.cursor.execute(_NOW)
        moment: datetime = self.cursor.fetchone()[0]
        return stamp(moment)

    def append(self, link: Link) -> None:
        self.cursor.execute(_WRITE, (self.name, len(self.links), link.kind, link.body, link.digest))
        self.links.append(link)


@dataclass(frozen=True)
class ServerStore:
    """One of the ledgers in a database."""

    address: str

    @property
    def name(self) -> str:
        """The ledger's name in the table."""
        return named_in(self.address, "ledger")[1]

    @property
    def place(self) -> str:
        """The name alone: an address may hold a password."""
        return f"ledger {self.name!r} on the server"

    def create(self, first: Link) -> None:
        """Begin a ledger; two who try at once do not both succeed."""
        with self._transaction() as cursor:
            cursor.execute(_TABLE)
            if self._links(cursor):
                raise ParameterError(f"{self.place} exists already: a ledger is never overwritten")
            _ServerLog(cursor, self.name, []).append(first)

    def read(self) -> Sequence[Link]:
        """Every link."""
        with self._transaction() as cursor:
            return self._known(cursor)

    @contextmanager
    def locked(self) -> Iterator[_ServerLog]:
        """A transaction that holds the ledger's own lock until it has been written to the server's disk."""
        with self._transaction() as cursor:
            yield _ServerLog(cursor, self.name, self._known(cursor))

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        server, name = named_in(self.address, "ledger")
        psycopg = optional("psycopg", extra="postgres")
        connection = connect(server)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute("SET LOCAL synchronous_commit = on")
                cursor.execute(_LOCK, (name,))
                yield cursor
        except psycopg.Error as error:
            # The server may have kept a charge whose answer was lost: budget spent, nothing sampled.
            problem = type(error).__name__
            raise ModelError(f"{self.place} failed ({problem}); nothing is sampled") from None

    def _known(self, cursor: Any) -> list[Link]:
        cursor.execute("SELECT to_regclass('oracledp_ledger') IS NOT NULL")
        links = self._links(cursor) if cursor.fetchone()[0] else []
        if not links:
            raise ParameterError(f"there is no {self.place}; create it with 'oracledp budget create'")
        return links

    def _links(self, cursor: Any) -> list[Link]:
        cursor.execute(_READ, (self.name,))
        return [Link(*row) for row in cursor.fetchall()]
