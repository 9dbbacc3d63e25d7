"""What stands in a ledger, entry by entry: its terms first, then charges, limits and data sets in order of time."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import ParameterError
from oracledp.exact.numbers import positive, probability
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger.entry import Entry

VERSION = 2
PERSON = "person"  # the unit of a ledger whose charges must all speak of persons
UNITS = ("row", PERSON)
RESERVED = "reserved"  # how a reservation stands among charges


@dataclass(frozen=True, kw_only=True)
class Terms(Entry):
    """What the ledger stands for: the budget, the relation, whose privacy a unit is, and how charges are added up.

    ``accountant`` is "plain" (Σε, Σδ) or "curves" (also zero-concentrated, proofs/budget.md). ``witness`` names a
    second file that remembers how long the ledger was.
    """

    kind: ClassVar[str] = "terms"

    epsilon: Fraction
    delta: Fraction
    neighbours: str
    unit: str = "row"
    accountant: str = "plain"
    witness: str | None = None
    created: str | None = None

    def __post_init__(self) -> None:
        positive(self.epsilon, "epsilon")
        probability(self.delta, "delta", zero=True)
        Neighbours.parse(self.neighbours)
        if self.accountant not in ("plain", "curves"):
            raise ParameterError(f"accountant must be 'plain' or 'curves', got {self.accountant!r}")
        if self.accountant == "curves" and self.delta == 0:
            raise ParameterError("accountant 'curves' needs a delta above 0: without one, charges can only be summed")


def known_unit(unit: str) -> str:
    """A unit that charges can speak of."""
    if unit not in UNITS:
        raise ParameterError(f"unit must be 'row' or 'person', got {unit!r}")
    return unit


@dataclass(frozen=True, kw_only=True)
class Charge(Entry):
    """One release that was paid for: how much, by whom, for what, from which data set, and when (UTC).

    ``person`` is the column whose values are persons, of each of whom so many rows were used; without it the charge is
    per row. ``rho`` and ``rho_delta`` say that the release is also rho_delta-approximately ρ-zCDP; without them it
    follows from ε and δ (:mod:`oracledp.privacy.ledger.spending`). ``fingerprint`` is that of the data set which was
    read. ``hashed`` says that :class:`Delivered` is to follow: until it does, nothing was delivered.
    """

    kind: ClassVar[str] = "charge"

    epsilon: Fraction
    delta: Fraction
    mechanism: str
    assumes: tuple[str, ...] = ()
    private: bool = True
    proof: str | None = None
    rho: Fraction | None = None
    rho_delta: Fraction | None = None
    time: str | None = None
    actor: str | None = None
    purpose: str | None = None
    dataset: str | None = None
    release: str | None = None
    version: str | None = None
    person: str | None = None
    rows_per_person: int | None = None
    fingerprint: str | None = None
    hashed: bool | None = None

    @property
    def unit(self) -> Unit:
        """Whom the charge speaks of."""
        return ROWS if self.person is None else Unit(self.person, self.rows_per_person or 1)


@dataclass(frozen=True, kw_only=True)
class Reservation(Entry):
    """Budget set aside for one release to come, until a time (UTC): others cannot spend it, and nothing was drawn yet.

    It ends with the charge of its ``release``, when it is given up, or when its time is over.
    """

    kind: ClassVar[str] = "reservation"

    epsilon: Fraction
    delta: Fraction
    release: str
    until: str
    rho: Fraction | None = None
    time: str | None = None
    actor: str | None = None
    purpose: str | None = None
    dataset: str | None = None

    def as_charge(self) -> Charge:
        """What it takes from the budget while it stands."""
        return Charge(
            epsilon=self.epsilon,
            delta=self.delta,
            mechanism=RESERVED,
            rho=self.rho,
            time=self.time,
            actor=self.actor,
            purpose=self.purpose,
            dataset=self.dataset,
            release=self.release,
        )


@dataclass(frozen=True, kw_only=True)
class GivenUp(Entry):
    """A reservation that will not be used."""

    kind: ClassVar[str] = "given-up"

    release: str
    time: str | None = None


@dataclass(frozen=True, kw_only=True)
class DataSet(Entry):
    """A data set that may be charged for: once one is registered, every charge must name one.

    ``fingerprint`` stands for what was registered with it, under a ``key`` that stays in the ledger
    (:mod:`oracledp.privacy.ledger.origins`); charges must then come from there.

    >>> DataSet(name="visits", note="clinic, 2026").to_json()
    {'name': 'visits', 'note': 'clinic, 2026'}
    """

    kind: ClassVar[str] = "dataset"

    name: str
    note: str | None = None
    time: str | None = None
    fingerprint: str | None = None
    key: str | None = None

    def shown(self) -> dict[str, Any]:
        """What may be printed: everything but the key."""
        return {name: value for name, value in self.to_json().items() if name != "key"}


@dataclass(frozen=True, kw_only=True)
class Delivered(Entry):
    """What came of a charge: the files of its release by name and SHA-256, added once they are written.

    It has no time: that of a run's end would tell about the rows.

    >>> Delivered(release="7f", files=(("rule.json", "00"),)).digest[:16]
    '3e934cf471dbc15e'
    """

    kind: ClassVar[str] = "delivered"

    release: str
    files: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """One SHA-256 for the whole release."""
        listed = json.dumps(sorted(self.files), ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(listed.encode()).hexdigest()
