"""A calibrated selection over a query class, carried out on the records of a table: what ``rspm`` and its kin share.

What is promised is the selector's: proofs/perturbed-minimisation.md, proofs/exponential-mechanism.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import ParameterError
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.release import Release
from oracledp.oracles.base import Certificate
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.schema import Schema
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger

GOALS = ("min", "max")


@dataclass(frozen=True)
class Chosen:
    """The parts of a privately chosen query, and why the choice should be believed."""

    parts: Parts
    certificate: Certificate


class Selector(Protocol):
    """A private choice among the queries of a class by their objective values."""

    @property
    def name(self) -> str:
        """How releases and the ledger name it."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What one choice promises."""
        ...

    @property
    def queries(self) -> QueryClass:
        """What is chosen among."""
        ...

    @property
    def resolution(self) -> int:
        """The objective is in units of 2^-resolution."""
        ...

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse a class or a number of rows that the choice could not deal with."""
        ...

    def choose(self, objective: Objective, source: Randomness) -> Chosen:
        """One private choice; an oracle's failure is an OracleFailure."""
        ...


@dataclass(frozen=True)
class TableSelection:
    """A selection of the query that holds on the fewest (``"min"``) or the most (``"max"``) rows of a table."""

    selector: Selector
    goal: str = "min"

    @property
    def name(self) -> str:
        """The selector's."""
        return self.selector.name

    @property
    def guarantee(self) -> Guarantee:
        """The selector's."""
        return self.selector.guarantee

    def check(self, facts: Facts) -> None:
        """A goal we know, literals that the table has, a size that the selector bears."""
        refuse_unknown_goal(self.goal)
        if facts.schema is not None:
            refuse_unknown_literals(self.selector.queries, facts.schema)
        self.selector.check(facts.rows_bound)

    def run(self, table: Table, source: Randomness) -> Chosen:
        """One choice on the whole table."""
        selector = self.selector
        objective = objective_of(table, selector.queries, goal=self.goal, resolution=selector.resolution)
        return selector.choose(objective, source)


def select(table: Table, selector: Selector, *, goal: str, ledger: Ledger | None, source: Randomness | None) -> Release:
    """One private choice through the door."""
    facts = Facts.of(table, selector.guarantee.neighbours)
    released = release(TableSelection(selector, goal), table, facts, ledger=ledger, source=source)
    chosen = released.result
    return Release(selector.queries.query(*chosen.parts), released.guarantee, chosen.certificate, selector.name)


def objective_of(table: Table, queries: QueryClass, *, goal: str = "min", resolution: int) -> Objective:
    """The count of records a query holds on, or minus it."""
    refuse_unknown_goal(goal)
    weights = table.counts if goal == "min" else -table.counts
    return Objective.of(queries, table.packed(queries.literals), weights, resolution=resolution)


def refuse_unknown_goal(goal: str) -> None:
    """A goal is 'min' or 'max'."""
    if goal not in GOALS:
        raise ParameterError(f"goal must be 'min' or 'max', got {goal!r}")


def refuse_unknown_literals(queries: QueryClass, schema: Schema) -> None:
    """Refuse a class over literals that the schema does not have, by reading them off no record at all."""
    schema.packed(queries.literals, np.zeros((0, len(schema.columns)), dtype=schema.code_dtype))
