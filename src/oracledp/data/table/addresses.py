"""Databases by address: ``postgresql://user@host/database?table=people``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from oracledp.errors import DataError, ParameterError
from oracledp.extras import optional

SCHEMES = ("postgresql", "postgres")


def is_address(text: str) -> bool:
    """Whether a text is the address of a database rather than a path.

    >>> is_address("postgresql://host/clinic?table=people"), is_address("people.csv")
    (True, False)
    """
    return text.partition("://")[0].lower() in SCHEMES and "://" in text


def named_in(address: str, key: str) -> tuple[str, str]:
    """The address as libpq takes it, and the table or ledger that it names.

    >>> named_in("postgresql://me@host/clinic?table=public.people&sslmode=require", "table")
    ('postgresql://me@host/clinic?sslmode=require', 'public.people')
    """
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    named = [value for name, value in pairs if name == key]
    if len(named) != 1 or not named[0]:
        raise ParameterError(f"a database's address must name one {key}: postgresql://user@host/database?{key}=NAME")
    rest = urlencode([(name, value) for name, value in pairs if name != key], quote_via=quote)
    return urlunsplit(parts._replace(query=rest)), named[0]


def connect(server: str) -> Any:
    """A connection to a database. The password is best left to ``~/.pgpass``."""
    psycopg = optional("psycopg", extra="postgres")
    try:
        return psycopg.connect(server)
    except psycopg.Error as error:
        problem = type(error).__name__
    # outside the handler: its message may repeat the address, and the password in it
    raise DataError(f"the database cannot be reached ({problem}); see whether psql can, with the same address")


@contextmanager
def open_address(address: str) -> Iterator[tuple[Any, str]]:
    """A connection to the database, and the table's name."""
    server, table = named_in(address, "table")
    with connect(server) as connection:
        yield connection, table
