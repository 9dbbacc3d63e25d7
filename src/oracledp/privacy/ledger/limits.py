"""Allowances below a budget: a policy, counted in plain sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import ClassVar

from oracledp.errors import ParameterError
from oracledp.exact.numbers import show
from oracledp.privacy.ledger.entries import Charge
from oracledp.privacy.ledger.entry import Entry

EACH = "each"  # in a limit: one allowance for every data set, actor or purpose
PERIODS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
QUARTER = "quarter"


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


def in_time(charges: Iterable[Charge]) -> list[Charge]:
    """Charges, in the order in which they were made, with times that never go back.

    A clock that was set back would otherwise open an earlier period's allowance once more.

    >>> clocks = ("2027-01-02T09:00:00+00:00", "2026-12-30T09:00:00+00:00")
    >>> made = [Charge(epsilon=Fraction(1), delta=Fraction(0), mechanism="x", time=time) for time in clocks]
    >>> [charge.time[:4] for charge in in_time(made)]
    ['2027', '2027']
    """
    latest: str | None = None
    found = []
    for charge in charges:
        latest = max(filter(None, (latest, charge.time)), default=None)  # all in UTC: in the order of their texts
        found.append(charge if charge.time == latest else replace(charge, time=latest))
    return found


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
