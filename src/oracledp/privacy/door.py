"""The one door between private data and whoever asks: check, pay, run, wrap, in this order.

What public facts decide is decided before the ledger is charged; what is drawn is drawn after. No other function
calls a mechanism's ``run`` on private data for a release. Charges add up by proofs/composition.md.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from oracledp.data.schema import Schema
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import per_unit, refuse_counted_persons
from oracledp.randomness.source import Randomness, SystemRandomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger

_LOG = logging.getLogger("oracledp")  # the one name of all our messages
Data = TypeVar("Data", contravariant=True)
Result = TypeVar("Result", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True)
class Facts:
    """What may be known of a table before a row is looked at: nothing here differs between neighbours.

    ``rows`` is None where the number of rows is private. ``assumes`` lists what reading the rows took for granted.
    ``unit`` says whose rows were bounded when they were read.
    """

    rows: int | None
    schema: Schema | None = None
    assumes: tuple[str, ...] = ()
    unit: Unit = ROWS

    @classmethod
    def of(cls, table: Table, neighbours: Neighbours) -> Facts:
        """The facts of a table under a neighbour relation."""
        refuse_counted_persons(neighbours, table.unit)
        rows = table.rows if neighbours is Neighbours.REPLACE_ONE else None
        return cls(rows, table.schema, table.assumes, table.unit)

    @property
    def rows_bound(self) -> int:
        """A public number that the rows never exceed."""
        return MOST_ROWS if self.rows is None else self.rows

    def refuse_empty(self) -> None:
        """Refuse a table that is known to have no rows; where their number is private, an empty one is any other."""
        if self.rows == 0:
            raise DataError("the table has no rows")


class Mechanism(Protocol[Data, Result]):
    """A calibrated mechanism: what it promises, what it refuses from public facts alone, and one run."""

    @property
    def name(self) -> str:
        """How releases and the ledger name it."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What one run promises."""
        ...

    def check(self, facts: Facts) -> None:
        """Refuse whatever could not be carried out: after this, no public fact stops a run."""
        ...

    def run(self, data: Data, source: Randomness) -> Result:
        """One run on private data."""
        ...


@dataclass(frozen=True)
class Released(Generic[T]):
    """A result that may be published, and what it promises."""

    result: T
    guarantee: Guarantee


def promised(mechanism: Mechanism[Data, T], facts: Facts, source: Randomness) -> Guarantee:
    """What a run from this source promises.

    A seeded source taints the guarantee: the release is then NOT PRIVATE and says so, in the ledger too. On rows that
    were bounded by person it speaks of persons (proofs/persons.md).
    """
    guarantee = per_unit(mechanism.guarantee, facts.unit).assuming(*facts.assumes)
    return guarantee if source.private else guarantee.tainted()


def release(
    mechanism: Mechanism[Data, T],
    data: Data,
    facts: Facts,
    *,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Released[T]:
    """Run a mechanism on private data: refused before it is charged, charged before it draws.

    What is promised, charged and printed is what :func:`promised` says.
    """
    chosen = SystemRandomness() if source is None else source
    facts.refuse_empty()
    mechanism.check(facts)
    guarantee = promised(mechanism, facts, chosen)
    if ledger is not None:
        ledger.charge(guarantee, mechanism.name)
    _LOG.info("%s: %s", mechanism.name, guarantee)  # public, and said before anything is drawn
    return Released(mechanism.run(data, chosen), guarantee)
