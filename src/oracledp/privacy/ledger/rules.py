"""What a ledger must be, and what a new entry must meet, before it is added."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from oracledp.errors import BudgetExceeded
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger.chain import Link, checked
from oracledp.privacy.ledger.entries import RESERVED, Charge, DataSet, Entry, GivenUp, Limit, Reservation, Terms
from oracledp.privacy.ledger.spending import refuse_beyond
from oracledp.privacy.ledger.witness import refuse_rolled_back

E = TypeVar("E", bound=Entry)
PERSON = "person"  # the unit of a ledger whose charges must all speak of persons


def whole_chain(links: Sequence[Link], place: str) -> tuple[Terms, tuple[Entry, ...]]:
    """The entries of a ledger that nobody changed and that its witness knows."""
    terms, entries = checked(links, place)
    if terms.witness is not None:
        refuse_rolled_back(Path(terms.witness), links, place)
    return terms, entries


def refuse(terms: Terms, entries: Sequence[Entry], new: Charge, neighbours: Neighbours | None, place: str) -> None:
    """Refuse a charge of another relation, unit or data set, one that was made before, one that is too much."""
    counted = Neighbours.parse(terms.neighbours)
    if neighbours is not None and neighbours is not counted:
        raise BudgetExceeded(
            f"the ledger {place} counts {counted.value} budget only, "
            f"and this release is private under {neighbours.value}"
        )
    if new.mechanism != RESERVED and (terms.unit == PERSON) != (new.unit.name == PERSON):
        raise BudgetExceeded(
            f"the ledger {place} counts budget per {'person' if terms.unit == PERSON else 'row'}, "
            f"and this release is private per {new.unit.name}"
        )
    known = {dataset.name for dataset in those(DataSet, entries)}
    if known and new.dataset not in known:
        named = "none is named" if new.dataset is None else f"{new.dataset!r} is not one of them"
        raise BudgetExceeded(
            f"{place} is charged for registered data sets only, and {named}: {', '.join(sorted(known))}"
        )
    charges = those(Charge, entries)
    if new.release is not None and any(charge.release == new.release for charge in charges):
        raise BudgetExceeded(f"{place} was charged for release {new.release} already; nothing is charged twice")
    reserved = tuple(one.as_charge() for one in standing(entries) if one.release != new.release)
    refuse_beyond(terms, those(Limit, entries), (*charges, *reserved), new, place)


def standing(entries: Sequence[Entry]) -> tuple[Reservation, ...]:
    """The reservations that were neither used nor given up and whose time is not over."""
    ended = {entry.release for entry in entries if isinstance(entry, Charge | GivenUp)}
    moment = datetime.now(UTC)
    made = (one for one in those(Reservation, entries) if one.release not in ended)
    return tuple(one for one in made if datetime.fromisoformat(one.until) > moment)


def those(kind: type[E], entries: Sequence[Entry]) -> tuple[E, ...]:
    """The entries of one kind."""
    return tuple(entry for entry in entries if isinstance(entry, kind))
