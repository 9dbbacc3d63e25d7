"""Where a data set comes from, as a fingerprint that the ledger can compare and nobody else can read.

A fingerprint is a keyed digest (HMAC-SHA256) of a data set's name, its address, its schema and the column that tells
persons apart: all of them public to those who run it. No row goes in, neither its values nor how many there are: a
digest of rows would let whoever has the key, and knows all rows but one, test guesses about that one. The key is drawn
with the registration and stays in the ledger; exports and cards carry the fingerprint alone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from oracledp.data.schema import Schema
from oracledp.data.table.addresses import is_address, named_in
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.privacy.ledger.entries import DataSet

_WHERE = ("host", "hostaddr", "port", "dbname", "service")  # options of an address that name another database


@dataclass(frozen=True)
class Origin:
    """A file, folder or table by its address, and the schema that it is read by, if there is one already."""

    source: str
    schema: Schema | None = None

    @property
    def place(self) -> str:
        """The address without what may change while the data stays: links, users, passwords, other options.

        >>> Origin("postgresql://ada:secret@db/clinic?sslmode=require&table=visits").place
        'postgresql://db/clinic?table=visits'
        """
        if not is_address(self.source):
            return os.path.realpath(self.source)
        server, table = named_in(self.source, "table")
        parts = urlsplit(server)
        try:
            port = "" if parts.port in (None, 5432) else f":{parts.port}"
        except ValueError:
            raise ParameterError("the port in a database's address is not a number") from None
        where = sorted(pair for pair in parse_qsl(parts.query) if pair[0] in _WHERE)
        return f"postgresql://{parts.hostname or ''}{port}{parts.path}?{urlencode([*where, ('table', table)])}"


def new_key() -> str:
    """A key that nobody guesses: 256 bits."""
    return secrets.token_hex(32)


def fingerprint(key: str, name: str, origin: Origin, person: str | None) -> str:
    """The fingerprint of a data set, as 64 hexadecimal digits.

    >>> key, visits = "00" * 32, Origin("postgresql://db/clinic?table=visits")
    >>> fingerprint(key, "visits", visits, None) == fingerprint(key, "visits", visits, "patient_id")
    False
    """
    said = {
        "name": name,
        "place": origin.place,
        "schema": None if origin.schema is None else origin.schema.to_json(),
        "person": person,
    }
    text = json.dumps(said, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()


def charged_from(sets: Sequence[DataSet], name: str | None, origin: Origin | None, person: str | None) -> str | None:
    """The fingerprint that a charge carries: that of its data set, if what it read is what was registered.

    A schema or a column that was not named at the registration is free.
    """
    known = {one.name: one for one in sets}.get(name or "")  # the last registration of a name counts
    if known is None or known.fingerprint is None:
        return None
    if origin is None:
        raise BudgetExceeded(f"data set {name!r} is registered with its source: name the source that is read")
    for schema in dict.fromkeys((origin.schema is not None, False)):
        for column in dict.fromkeys((person, None)):
            tried = origin if schema else Origin(origin.source)
            if hmac.compare_digest(known.fingerprint, fingerprint(known.key or "", known.name, tried, column)):
                return known.fingerprint
    raise BudgetExceeded(
        f"data set {name!r} is registered with another source, schema or person column than this run reads"
    )
