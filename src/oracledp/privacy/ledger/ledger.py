"""The ledger: what analysts charge, what officers limit, what everybody may read."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from oracledp.data.schema import Schema
from oracledp.data.table.addresses import is_address
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact, positive, probability, whole
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger.chain import START, Link
from oracledp.privacy.ledger.entries import Charge, DataSet, Delivered, GivenUp, Reservation, Terms, known_unit
from oracledp.privacy.ledger.entry import E, Entry, short_text
from oracledp.privacy.ledger.events import as_event
from oracledp.privacy.ledger.limits import Limit
from oracledp.privacy.ledger.origins import Origin, fingerprint, new_key
from oracledp.privacy.ledger.rules import Standing, admitted, standing, those, whole_chain, whole_copy
from oracledp.privacy.ledger.showing import Shown
from oracledp.privacy.ledger.spending import Spending
from oracledp.privacy.ledger.stamps import library, now, user
from oracledp.privacy.ledger.stores import store_at
from oracledp.privacy.ledger.totals import Total, total
from oracledp.privacy.ledger.witness import create_witness, remember


@dataclass(frozen=True, repr=False)
class Ledger(Shown):
    """A budget (ε, δ) under one neighbour relation, add/remove-one by default, kept in a file or on a server.

    ``path`` is a file or ``postgresql://user@host/database?ledger=NAME``. A charge is on disk, under a lock, before the
    mechanism samples: a crash counts as spent, and two processes cannot spend the same budget. What one object of this
    class charges carries its ``actor`` (by default the user of the operating system), ``purpose``, ``dataset`` and the
    fingerprint of its ``origin``; its ``release`` is the id of one charge to come, for those who must find it again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger.create(Path(folder) / "budget", epsilon=1).acting(actor="ada", purpose="triage rule")
    ...     _ = ledger.charge(Guarantee(epsilon=Fraction(1, 4), neighbours=Neighbours.DEFAULT, proof="noise"), "rspm")
    ...     ledger.charges[0].actor, ledger.remaining
    ('ada', (Fraction(3, 4), Fraction(0, 1)))
    """

    path: Path | str
    actor: str | None = None
    purpose: str | None = None
    dataset: str | None = None
    release: str | None = None
    origin: Origin | None = None
    hashed: bool = False

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        epsilon: Exact,
        delta: Exact = 0,
        neighbours: Neighbours | str = Neighbours.DEFAULT,
        accountant: str = "plain",
        unit: str = "row",
        witness: str | Path | None = None,
    ) -> Ledger:
        """Open a new budget; an existing one is never overwritten.

        ``accountant="curves"`` lets many small charges go further than their plain sum (proofs/budget.md); it needs
        δ > 0. ``unit="person"`` takes charges for tables that were bounded by person alone, ``unit="row"`` none of
        these: the two do not add up. ``witness`` names a second file, best on another disk, that notices if an older
        copy is put back.
        """
        terms = Terms(
            epsilon=positive(epsilon, "epsilon"),
            delta=probability(delta, "delta", zero=True),
            neighbours=Neighbours.parse(neighbours).value,
            unit=known_unit(unit),
            accountant=accountant,
            witness=None if witness is None else str(Path(witness).absolute()),
            created=now(),
        )
        first = Link.after(START, terms)
        if witness is not None:
            create_witness(Path(witness), first)
        try:
            store_at(path).create(first)
        except BaseException:
            if witness is not None:
                Path(witness).unlink(missing_ok=True)
            raise
        return cls.at(path)

    @classmethod
    def at(cls, place: str | Path) -> Ledger:
        """The ledger in a file or at an address of a server."""
        return cls(place if isinstance(place, str) and is_address(place) else Path(place))

    def acting(self, *, actor: str | None = None, purpose: str | None = None, dataset: str | None = None) -> Ledger:
        """The same ledger, charged by someone, for something, from a data set."""
        return replace(
            self,
            actor=short_text(actor, "actor") or self.actor,
            purpose=short_text(purpose, "purpose") or self.purpose,
            dataset=short_text(dataset, "dataset") or self.dataset,
        )

    def reading(self, source: str | Path, schema: Schema | None = None) -> Ledger:
        """The same ledger, charged for what is read from there: it must be what the data set was registered with."""
        return replace(self, origin=Origin(str(source), schema))

    def releasing(self, release: str | None = None) -> Ledger:
        """The same ledger for one release, whose files :meth:`deliver` names; by a reservation's id, or a new one."""
        return replace(self, release=release or secrets.token_hex(16), hashed=True)

    @property
    def terms(self) -> Terms:
        """The budget and how it is counted."""
        return self._read()[0]

    @property
    def budget(self) -> tuple[Fraction, Fraction]:
        """The whole (ε, δ)."""
        terms = self.terms
        return terms.epsilon, terms.delta

    @property
    def neighbours(self) -> Neighbours:
        """The relation that every charge must speak of."""
        return Neighbours.parse(self.terms.neighbours)

    @property
    def charges(self) -> tuple[Charge, ...]:
        """What was spent, in order."""
        return those(Charge, self._read()[1])

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Every limit that was set, in order; of two with one scope the later one counts."""
        return those(Limit, self._read()[1])

    @property
    def datasets(self) -> tuple[DataSet, ...]:
        """The data sets that charges may name, in order; of two with one name the later one counts."""
        return those(DataSet, self._read()[1])

    @property
    def delivered(self) -> dict[str, Delivered]:
        """What came of charges, by their release."""
        return {one.release: one for one in those(Delivered, self._read()[1])}

    @property
    def spending(self) -> Spending:
        """All charges added up, plainly and as curves."""
        return Spending.of(self.charges)

    @property
    def spent(self) -> tuple[Fraction, Fraction]:
        """The plain sum of all charges."""
        return (total := self.spending).epsilon, total.delta

    @property
    def remaining(self) -> tuple[Fraction, Fraction]:
        """What is left in plain sums; below zero where curves let more through."""
        (epsilon, delta), (used_epsilon, used_delta) = self.budget, self.spent
        return epsilon - used_epsilon, delta - used_delta

    def charge(self, guarantee: Guarantee, mechanism: str) -> Charge:
        """Write the charge to disk, or refuse it; call this before any noise is drawn."""
        new = Charge(
            epsilon=guarantee.epsilon,
            delta=guarantee.delta,
            mechanism=mechanism,
            assumes=guarantee.assumes,
            private=guarantee.private,
            proof=guarantee.proof,
            rho=guarantee.rho,
            actor=self.actor or user(),
            purpose=self.purpose,
            dataset=self.dataset,
            release=self.release or secrets.token_hex(16),
            version=library(),
            person=guarantee.unit.person,
            rows_per_person=None if guarantee.unit.person is None else guarantee.unit.rows,
            hashed=self.hashed or None,
        )
        return self._append(new, guarantee.neighbours)

    def deliver(self, release: str, files: Mapping[str, str]) -> Delivered:
        """Add the SHA-256 of every file of a release, by name, to its charge: once, and after they were written."""
        return self._append(Delivered(release=release, files=tuple(sorted(files.items()))))

    def total(self, delta: Exact | None = None) -> Total:
        """What all charges cost together at δ (the budget's own by default), had they been fixed in advance."""
        return total(self.charges, self.terms.delta if delta is None else probability(delta, "delta", zero=True))

    @property
    def reservations(self) -> tuple[Reservation, ...]:
        """What is set aside now."""
        return standing(self._read()[1])

    def reserve(self, *, epsilon: Exact, delta: Exact = 0, hours: int = 24) -> Ledger:
        """Set budget aside for one long run: the same ledger, whose next charge takes it.

        What the run then charges may be less or more; nothing is ever given back that was charged.
        """
        made = datetime.now(UTC)
        new = Reservation(
            epsilon=positive(epsilon, "epsilon"),
            delta=probability(delta, "delta", zero=True),
            release=secrets.token_hex(16),
            until=(made + timedelta(hours=whole(hours, "hours", most=24 * 365))).isoformat(timespec="seconds"),
            time=made.isoformat(timespec="seconds"),
            actor=self.actor or user(),
            purpose=self.purpose,
            dataset=self.dataset,
        )
        self._append(new)
        return replace(self, release=new.release)

    def give_up(self, release: str) -> GivenUp:
        """End a reservation that will not be used: no noise was drawn for it."""
        return self._append(GivenUp(release=release, time=now()))

    def limit(
        self,
        *,
        epsilon: Exact,
        delta: Exact = 0,
        dataset: str | None = None,
        actor: str | None = None,
        purpose: str | None = None,
        period: str | None = None,
    ) -> Limit:
        """Set an allowance below the budget; ``"each"`` gives every data set, actor or purpose one of its own."""
        return self._append(
            Limit(
                epsilon=positive(epsilon, "epsilon"),
                delta=probability(delta, "delta", zero=True),
                dataset=short_text(dataset, "dataset"),
                actor=short_text(actor, "actor"),
                purpose=short_text(purpose, "purpose"),
                period=period,
                time=now(),
            )
        )

    def register(
        self,
        name: str,
        *,
        note: str | None = None,
        source: str | Path | None = None,
        schema: Schema | None = None,
        person: str | None = None,
        again: bool = False,
    ) -> DataSet:
        """Add a data set; from the first one on, every charge must name one that is registered.

        With its ``source``, and its schema and person column if they are fixed, charges must come from there
        (:mod:`oracledp.privacy.ledger.origins`). ``again`` replaces what a known name stands for from now on.
        """
        named, key = short_text(name, "dataset") or "", None if source is None else new_key()
        if key is None and (schema is not None or person is not None):
            raise ParameterError("a schema and a person column are fixed together with a source: name it too")
        sign = None if key is None else fingerprint(key, named, Origin(str(source), schema), person)
        new = DataSet(name=named, note=short_text(note, "note"), time=now(), fingerprint=sign, key=key)
        return self._append(new, again=again)

    def verify(self) -> int:
        """The number of entries after the terms, if each follows from those before and the witness knows no other."""
        return len(self._read()[1])

    def verify_copy(self) -> tuple[int, int]:
        """The same for a back-up, and how many later entries the witness knows of: what they charged is spent."""
        store = store_at(self.path)
        return whole_copy(store.read(), store.place)

    def events(self) -> Any:
        """The charges as a ``dp_accounting`` event, for other accountants (:mod:`oracledp.privacy.ledger.events`)."""
        return as_event(self.charges)

    def _read(self) -> tuple[Terms, tuple[Entry, ...]]:
        store = store_at(self.path)
        return whole_chain(store.read(), store.place)

    def _append(self, new: E, relation: Neighbours | None = None, *, again: bool = False) -> E:
        """Check a new entry against everything that stands there, and add it, under one lock."""
        store = store_at(self.path)
        with store.locked() as log:
            terms, entries = whole_chain(log.links, store.place)
            known = Standing(terms, entries, store.place, relation, self.origin, again, log.now())
            made = admitted(new, known)
            log.append(Link.after(log.links[-1].digest, made))
        if terms.witness is not None:
            remember(Path(terms.witness), log.links)
        return made
