"""What stands in a ledger, entry by entry: its terms first, then charges, limits and data sets in order of time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from oracledp.data.table.unit import MOST_ROWS_PER_PERSON, ROWS, Unit
from oracledp.errors import ModelError, ParameterError
from oracledp.exact.numbers import exact, positive, probability, whole
from oracledp.privacy.guarantee import Neighbours, show

VERSION = 2
EACH = "each"  # in a limit: one allowance for every data set, actor or purpose
PERIODS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
QUARTER = "quarter"
LONGEST_NAME = 200
RESERVED = "reserved"  # how a reservation stands among charges

E = TypeVar("E", bound="Entry")


class Entry:
    """One kind of entry: frozen, with plain values in its JSON; fractions are strings, so nothing is rounded."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """Every field that says something."""
        plain = {name: _plain(value) for name, value in asdict(self).items()}  # type: ignore[call-overload]
        return {name: value for name, value in plain.items() if value is not None}

    @classmethod
    def from_json(cls: type[E], data: Mapping[str, Any]) -> E:
        """Read what :meth:`to_json` wrote; fields of later versions are passed over."""
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        return cls(**{name: cls._parse(name, value) for name, value in data.items() if name in known})

    @classmethod
    def _parse(cls, name: str, value: Any) -> Any:
        if name in ("epsilon", "delta", "rho", "rho_delta"):
            number = exact(value, name)
            if number < 0:
                raise ModelError("a ledger holds no negative numbers: they would give budget back")
            return number
        if name == "assumes":
            return tuple(str(claim) for claim in value)
        if name == "private":
            return value is True
        if name == "rows_per_person":
            return whole(value, name, most=MOST_ROWS_PER_PERSON)
        return value if value is None else str(value)


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


@dataclass(frozen=True, kw_only=True)
class Charge(Entry):
    """One release that was paid for: how much, by whom, for what, from which data set, and when (UTC).

    ``person`` is the column whose values are persons, of each of whom so many rows were used; without it the charge is
    per row. ``rho`` and ``rho_delta`` say that the release is also rho_delta-approximately ρ-zCDP; without them it
    follows from ε and δ (:mod:`oracledp.privacy.ledger.spending`).
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
class Limit(Entry):
    """An allowance below the budget: for one data set, actor or purpose, or for each of them, perhaps per period.

    Limits are a policy, counted in plain sums; a later limit with the same scope replaces an earlier one.

    >>> Limit(epsilon=Fraction(1), delta=Fraction(0), actor="each", period="quarter").words
    'each actor, per quarter: epsilon 1, delta 0'
    """

    kind: ClassVar[str] = "limit"

    epsilon: Fraction
    delta: Fraction
    dataset: str | None = None
    actor: str | None = None
    purpose: str | None = None
    period: str | None = None
    time: str | None = None

    def __post_init__(self) -> None:
        if self.period not in (None, QUARTER, *PERIODS):
            raise ParameterError(f"period must be one of year, quarter, month, day, got {self.period!r}")

    @property
    def scope(self) -> tuple[str | None, ...]:
        """What the limit is about: of two limits with one scope the later one counts."""
        return self.dataset, self.actor, self.purpose, self.period

    @property
    def words(self) -> str:
        """The limit in a line."""
        parts = [
            f"each {name}" if value == EACH else f"{name} {value}"
            for name, value in zip(("dataset", "actor", "purpose"), self.scope, strict=False)
            if value is not None
        ]
        parts += [f"per {self.period}"] if self.period else []
        return f"{', '.join(parts) or 'everything'}: epsilon {show(self.epsilon)}, delta {show(self.delta)}"

    def covers(self, new: Charge) -> bool:
        """Whether a new charge counts against this limit at all."""
        return all(
            wanted in (None, EACH) or wanted == getattr(new, name)
            for name, wanted in zip(("dataset", "actor", "purpose"), self.scope, strict=False)
        )

    def shares(self, old: Charge, new: Charge) -> bool:
        """Whether an earlier charge shares the allowance from which the new one is taken."""
        same = all(
            wanted is None or getattr(old, name) == getattr(new, name)
            for name, wanted in zip(("dataset", "actor", "purpose"), self.scope, strict=False)
        )
        return same and (self.period is None or _period(old.time, self.period) == _period(new.time, self.period))


@dataclass(frozen=True, kw_only=True)
class DataSet(Entry):
    """A data set that may be charged for: once one is registered, every charge must name one.

    >>> DataSet(name="visits", note="clinic, 2026").to_json()
    {'name': 'visits', 'note': 'clinic, 2026'}
    """

    kind: ClassVar[str] = "dataset"

    name: str
    note: str | None = None
    time: str | None = None


KINDS: dict[str, type[Entry]] = {kind.kind: kind for kind in (Terms, Charge, Reservation, GivenUp, Limit, DataSet)}


def encoded(entry: Entry) -> str:
    """The one text of an entry, over which its digest is taken."""
    return json.dumps(entry.to_json(), ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def short_text(value: str | None, option: str) -> str | None:
    """A name or a purpose that fits on a line of a report, or None."""
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME or not value.isprintable():
        raise ParameterError(f"{option} must be a printable text of at most {LONGEST_NAME} characters on one line")
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _period(time: str | None, period: str) -> str:
    """The year, quarter, month or day of a time; charges from before times were recorded share a period of their own.

    >>> _period("2026-05-03T10:00:00+00:00", "quarter"), _period("2026-05-03T10:00:00+00:00", "month")
    ('2026-Q2', '2026-05')
    """
    if time is None:
        return "unknown"
    moment = datetime.fromisoformat(time)
    if period == QUARTER:
        return f"{moment.year}-Q{(moment.month + 2) // 3}"
    return moment.strftime(PERIODS[period])
