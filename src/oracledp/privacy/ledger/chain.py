"""Entries in a chain of digests: an edit, a deletion or an insertion anywhere breaks every later link.

Whoever can write the ledger can also recompute the chain, or put back an older copy. Against that a *witness* helps
(:mod:`oracledp.privacy.ledger.witness`): a second file, best kept where nobody can change what is there already.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from oracledp.errors import ModelError
from oracledp.privacy.ledger.entries import VERSION, Charge, DataSet, Delivered, GivenUp, Reservation, Terms
from oracledp.privacy.ledger.entry import Entry, encoded
from oracledp.privacy.ledger.limits import Limit

START = hashlib.sha256(f"oracledp ledger {VERSION}".encode()).hexdigest()
KINDS: dict[str, type[Entry]] = {
    kind.kind: kind for kind in (Terms, Charge, Reservation, GivenUp, Limit, DataSet, Delivered)
}


@dataclass(frozen=True)
class Link:
    """An entry as it is stored: its kind, its text, and the digest over these and everything before."""

    kind: str
    body: str
    digest: str

    @classmethod
    def after(cls, previous: str, entry: Entry) -> Link:
        """The link that follows a digest."""
        body = encoded(entry)
        return cls(entry.kind, body, _digest(previous, entry.kind, body))

    @property
    def entry(self) -> Entry | None:
        """The entry itself; None for a kind that a later version of the library brought."""
        known = KINDS.get(self.kind)
        data: Any = json.loads(self.body)
        return None if known is None else known.from_json(data)


def _digest(previous: str, kind: str, body: str) -> str:
    return hashlib.sha256(f"{previous}\n{kind}\n{body}".encode()).hexdigest()


def checked(links: Iterable[Link], place: str) -> tuple[Terms, tuple[Entry, ...]]:
    """The terms with which a whole chain begins, and its other entries; anything else stops everything.

    >>> checked((), "budget")
    Traceback (most recent call last):
    oracledp.errors.ModelError: budget is not a readable ledger; nothing is sampled
    """
    entries: list[Entry] = []
    previous = START
    for number, link in enumerate(links):
        if link.digest != _digest(previous, link.kind, link.body):
            raise ModelError(f"{place} was changed by hand: entry {number} does not follow from what stands before it")
        previous = link.digest
        try:
            entry = link.entry
        except (ValueError, TypeError, KeyError):
            entry = None
        if entry is None:
            raise ModelError(f"{place}: entry {number} cannot be read; nothing is sampled")
        entries.append(entry)
    if not entries or not isinstance(entries[0], Terms):
        raise ModelError(f"{place} is not a readable ledger; nothing is sampled")
    return entries[0], tuple(entries[1:])
