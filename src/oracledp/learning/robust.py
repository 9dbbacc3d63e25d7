"""Rules by mechanisms that are private whatever the solver does: PRSMA and the vote of parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oracledp.data.literals import Literal
from oracledp.data.table import Table
from oracledp.errors import OracleFailure, ParameterError
from oracledp.exact.numbers import Exact
from oracledp.learning.models import rule_class
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import prsma
from oracledp.mechanisms.votes.mechanism import vote
from oracledp.oracles.base import Oracle
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness

ROBUST = ("prsma", "vote")


@dataclass(frozen=True, kw_only=True)
class RobustLearning:
    """What both mechanisms are asked for."""

    mechanism: str
    model: str
    size: int | None
    epsilon: Exact
    delta: Exact | None
    neighbours: Neighbours
    oracle: str | Oracle
    rows: int | None
    progress: Callable[[int, int], None] | None
    ledger: Ledger | None
    source: Randomness | None

    def learn(self, table: Table, target: Literal) -> Release:
        """One rule, or an error that says that nothing was released."""
        if self.delta is None:
            raise ParameterError(f"the mechanism {self.mechanism!r} needs delta, for instance 1e-6")
        queries = rule_class(self.model, table.schema.literals.without(target.column), target, size=self.size)
        common = {
            "epsilon": self.epsilon, "delta": self.delta, "neighbours": self.neighbours, "oracle": self.oracle,
            "progress": self.progress, "ledger": self.ledger, "source": self.source,
        }  # fmt: skip
        if self.mechanism == "vote":
            found = vote(table, queries, rows=self.rows, **common)  # type: ignore[arg-type]
        else:
            private = self.neighbours is Neighbours.ADD_REMOVE
            found = prsma(table, queries, rows_bound=self.rows if private else None, **common)  # type: ignore[arg-type]
        if not isinstance(found, Release):
            raise OracleFailure("the parts disagree, or too many runs failed: nothing is released, the budget is spent")
        return found
