"""What a ledger must be, and what a new entry must meet, before it is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from oracledp.errors import BudgetExceeded, ModelError, ParameterError
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger.chain import Link, checked
from oracledp.privacy.ledger.entries import PERSON, RESERVED, Charge, DataSet, Delivered, GivenUp, Reservation, Terms
from oracledp.privacy.ledger.entry import Entry
from oracledp.privacy.ledger.limits import Limit
from oracledp.privacy.ledger.origins import Origin, charged_from
from oracledp.privacy.ledger.spending import refuse_beyond
from oracledp.privacy.ledger.witness import refuse_rolled_back

E = TypeVar("E", bound=Entry)


def whole_copy(links: Sequence[Link], place: str) -> tuple[int, int]:
    """The number of entries of a back-up that nobody changed, and of those that its witness saw later."""
    terms, entries = checked(links, place)
    if terms.witness is None:
        return len(entries), 0
    return len(entries), refuse_rolled_back(Path(terms.witness), links, place, copy=True)


def whole_chain(links: Sequence[Link], place: str) -> tuple[Terms, tuple[Entry, ...]]:
    """The entries of a ledger that nobody changed and that its witness knows."""
    terms, entries = checked(links, place)
    if terms.witness is not None:
        refuse_rolled_back(Path(terms.witness), links, place)
    return terms, entries


@dataclass(frozen=True)
class Standing:
    """What a new entry is held against: the ledger as it stands, and what is known of a charge besides its numbers."""

    terms: Terms
    entries: tuple[Entry, ...]
    place: str
    relation: Neighbours | None = None
    origin: Origin | None = None
    again: bool = False
    now: str | None = None


def admitted(new: E, known: Standing) -> E:
    """The entry as it is added; refused if the ledger does not bear it."""
    if isinstance(new, Charge):
        sign = charged_from(those(DataSet, known.entries), new.dataset, known.origin, new.person)
        made = replace(new, time=known.now, fingerprint=sign)  # under the lock: times are in the order of charges
        _refuse(known, made)
        return made
    if isinstance(new, Reservation):
        _refuse(known, new.as_charge())
    if isinstance(new, GivenUp) and new.release not in {one.release for one in standing(known.entries)}:
        raise ParameterError(f"{known.place} has no such reservation")
    if isinstance(new, DataSet):
        _refuse_known(known, new)
    if isinstance(new, Delivered):
        _refuse_delivered(known, new)
    return new


def _refuse_known(known: Standing, new: DataSet) -> None:
    """A name stands for one thing until an officer says otherwise, and only a known one can be registered again."""
    if (new.name in {one.name for one in those(DataSet, known.entries)}) != known.again:
        words = "is not registered yet" if known.again else "is registered already"
        raise ParameterError(f"data set {new.name!r} {words}")


def _refuse_delivered(known: Standing, new: Delivered) -> None:
    """Nothing is delivered that was not charged for, and nothing twice."""
    if new.release not in {charge.release for charge in those(Charge, known.entries)}:
        raise ModelError(f"{known.place} has no charge for release {new.release}: nothing can be delivered for it")
    if any(one.release == new.release for one in those(Delivered, known.entries)):
        raise ModelError(f"{known.place} knows the files of release {new.release} already")


def _refuse(known: Standing, new: Charge) -> None:
    """Refuse a charge of another relation, unit or data set, one that was made before, one that is too much."""
    terms, entries, place = known.terms, known.entries, known.place
    _refuse_other_kind(known, new)
    names = {dataset.name for dataset in those(DataSet, entries)}
    if names and new.dataset not in names:
        named = "none is named" if new.dataset is None else f"{new.dataset!r} is not one of them"
        raise BudgetExceeded(
            f"{place} is charged for registered data sets only, and {named}: {', '.join(sorted(names))}"
        )
    charges = those(Charge, entries)
    if new.release is not None and any(charge.release == new.release for charge in charges):
        raise BudgetExceeded(f"{place} was charged for release {new.release} already; nothing is charged twice")
    _refuse_others_reservation(known, new)
    reserved = tuple(one.as_charge() for one in standing(entries) if one.release != new.release)
    refuse_beyond(terms, those(Limit, entries), (*charges, *reserved), new, place)


def _refuse_other_kind(known: Standing, new: Charge) -> None:
    """Refuse a charge of another relation or unit: it would not add up with the others."""
    terms, place, counted = known.terms, known.place, Neighbours.parse(known.terms.neighbours)
    if known.relation is not None and known.relation is not counted:
        raise BudgetExceeded(
            f"the ledger {place} counts {counted.value} budget only, "
            f"and this release is private under {known.relation.value}"
        )
    if new.mechanism != RESERVED and (terms.unit == PERSON) != (new.unit.name == PERSON):
        raise BudgetExceeded(
            f"the ledger {place} counts budget per {'person' if terms.unit == PERSON else 'row'}, "
            f"and this release is private per {new.unit.name}"
        )
    _refuse_other_persons(known, new)


def _refuse_other_persons(known: Standing, new: Charge) -> None:
    """Persons by one column and persons by another do not add up: of one data set, all charges speak of the same."""
    earlier: str | None = None
    for entry in known.entries:
        if isinstance(entry, DataSet) and entry.name == new.dataset:
            earlier = None  # registered again: it stands for something else from there on
        if isinstance(entry, Charge) and entry.dataset == new.dataset:
            earlier = entry.person
    if new.mechanism != RESERVED and earlier is not None and new.person != earlier:
        of = "" if new.dataset is None else f" of data set {new.dataset!r}"
        raise BudgetExceeded(
            f"earlier charges{of} in {known.place} tell persons apart by {earlier!r}, this one by {new.person!r}; "
            "other data is charged under a name of its own (--dataset)"
        )


def _refuse_others_reservation(known: Standing, new: Charge) -> None:
    """What somebody set aside is for their own charge, and from the data set that they named."""
    for one in standing(known.entries):
        if one.release == new.release and (one.actor, one.dataset or new.dataset) != (new.actor, new.dataset):
            whom = "somebody else" if one.actor is None else repr(one.actor)
            what = "" if one.dataset is None else f" and data set {one.dataset!r}"
            raise BudgetExceeded(f"what was set aside in {known.place} under this id is for {whom}{what}")


def standing(entries: Sequence[Entry]) -> tuple[Reservation, ...]:
    """The reservations that were neither used nor given up and whose time is not over."""
    ended = {entry.release for entry in entries if isinstance(entry, Charge | GivenUp)}
    moment = datetime.now(UTC)
    made = (one for one in those(Reservation, entries) if one.release not in ended)
    return tuple(one for one in made if datetime.fromisoformat(one.until) > moment)


def those(kind: type[E], entries: Sequence[Entry]) -> tuple[E, ...]:
    """The entries of one kind."""
    return tuple(entry for entry in entries if isinstance(entry, kind))
