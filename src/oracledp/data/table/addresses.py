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


def split_address(address: str) -> tuple[str, str]:
    """The address as libpq takes it, and the table that it names.

    >>> split_address("postgresql://me@host/clinic?table=public.people&sslmode=require")
    ('postgresql://me@host/clinic?sslmode=require', 'public.people')
    """
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    tables = [value for key, value in pairs if key == "table"]
    if len(tables) != 1 or not tables[0]:
        raise ParameterError("a database's address must name one table: postgresql://user@host/database?table=NAME")
    rest = urlencode([(key, value) for key, value in pairs if key != "table"], quote_via=quote)
    return urlunsplit(parts._replace(query=rest)), tables[0]


@contextmanager
def open_address(address: str) -> Iterator[tuple[Any, str]]:
    """A connection to the database, and the table's name. The password is best left to ``~/.pgpass``."""
    server, table = split_address(address)
    psycopg = optional("psycopg", extra="postgres")
    connection, problem = None, ""
    try:
        connection = psycopg.connect(server)
    except psycopg.Error as error:
        problem = type(error).__name__
    if connection is None:  # outside the handler: its message may repeat the address, and the password in it
        raise DataError(f"the database cannot be reached ({problem}); see whether psql can, with the same address")
    with connection:
        yield connection, table
