"""What stands at the head of a page: data set, date, version, budget left, and a summary to read in ten seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from oracledp.data.schema import Schema
from oracledp.data.schema.purchase import Purchase
from oracledp.exact.numbers import show
from oracledp.privacy.guarantee import Guarantee, in_all
from oracledp.privacy.ledger import Ledger
from oracledp.report.words import odds, protection


@dataclass(frozen=True)
class About:
    """Public facts beside a release: the data set by its name, the day, the ledger charged, what schemas cost.

    >>> About("visits.csv", day="2026-11-16").line.split(" · ")[:2]
    ['visits.csv', '2026-11-16']
    """

    dataset: str | None = None
    day: str = ""
    ledger: Ledger | None = None
    bought: tuple[Purchase | None, ...] = ()

    @classmethod
    def of(cls, data: str, ledger: Ledger | None, *schemas: Schema) -> About:
        """The name under which the ledger knows the data, else that of the file; an address may hold a password."""
        named = ledger.dataset if ledger is not None and ledger.dataset else None
        bought = tuple(schema.bought for schema in schemas)
        return cls(named or (None if "://" in data else Path(data).name), ledger=ledger, bought=bought)

    @property
    def line(self) -> str:
        """The line below the title."""
        day = self.day or datetime.now(UTC).date().isoformat()
        return " · ".join([*([self.dataset] if self.dataset else []), day, f"oracledp {_version()}"])

    @property
    def budget_left(self) -> str | None:
        """What the ledger has left, if one was charged."""
        if self.ledger is None:
            return None
        (epsilon, delta), (left, left_delta) = self.ledger.budget, self.ledger.remaining
        return f"ε {show(left)} of {show(epsilon)}" + (f", δ {float(left_delta):.3g} of {show(delta)}" if delta else "")


def summary(facts: Sequence[tuple[str, str]], guarantee: Guarantee, about: About) -> str:
    """A short list: what it is, how far it protects, what it stands on, what is left to spend."""
    rows = [*facts, ("Privacy", _privacy(guarantee)), ("Depends on", _footing(guarantee))]
    total = in_all(guarantee, *about.bought)
    rows += [("Privacy in all", total)] if total else []
    rows += [("Budget left", about.budget_left)] if about.budget_left else []
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in rows)
    return f'<p class="note">{escape(about.line)}</p><dl class="summary" aria-label="Summary">{items}</dl>'


def _privacy(guarantee: Guarantee) -> str:
    if not guarantee.private:
        return "None: the noise came from a seed"
    pair = f"ε = {show(guarantee.epsilon)}" + (f", δ = {show(guarantee.delta)}" if guarantee.delta else "")
    one = "record" if guarantee.unit.person is None else "person"
    guess = f"a guess about one {one} is right at most {odds(guarantee)} of the time, not 50 %"
    return f"{pair}: {protection(guarantee.epsilon)}; {guess}"


def _footing(guarantee: Guarantee) -> str:
    return "; ".join(guarantee.assumes) if guarantee.assumes else "No solver: only this code and its proof"


def _version() -> str:
    try:
        return version("oracledp")
    except PackageNotFoundError:
        return "(not installed)"
