"""What a user asked of ``oracledp learn``: what would have no effect is refused before anything is read or charged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from oracledp.cli.common import progress
from oracledp.cli.outputs import refuse_closed_output
from oracledp.cli.request import PrivateRequest
from oracledp.data.literals import Literal
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.learning.models import rule_class
from oracledp.privacy.persons import row_delta, row_epsilon

PURE = ("exponential", "permute-and-flip", "rspm", "rspm:separator", "report-noisy-min")
ASKING = ("rspm", "rspm:separator", "rspm:gaussian", "vote", "prsma")  # these ask an oracle
ALONE = ("exponential", "permute-and-flip", "report-noisy-min")
VOTES = ("vote", "prsma")
WITHOUT_DELTA = ("conjunction", "disjunction", "parity", "decision-list", "tree")  # by default


@dataclass(frozen=True, kw_only=True)
class LearnRequest(PrivateRequest):
    """The options of the command, by name; all that can be refused before a row is read is refused here."""

    target: str
    model: str
    size: int | None
    epsilon: str
    mechanism: str | None
    oracle: str
    holdout: str | None
    robust: bool
    delta: str | None
    rows: int | None
    report: str | None
    out: str | None
    neighbours: str

    def __post_init__(self) -> None:
        _ = self.plain, self.schema, self.source, self.ledger, self.literal
        refuse_closed_output()

    @cached_property
    def plain(self) -> str:
        """The model that the options mean."""
        return settled_model(
            model=self.model, mechanism=self.mechanism, robust=self.robust, delta=self.delta, oracle=self.oracle
        )

    @cached_property
    def literal(self) -> Literal:
        """What is predicted."""
        return self.schema.literal(self.target)

    def read(self) -> tuple[Table, Table | None]:
        """The private table and, where one was named, the table that an accuracy is reported on."""
        held_out = None if self.holdout is None else Table.from_address(self.holdout, self.schema, memory=self.memory)
        table = self.table()
        if held_out is not None and not held_out.rows:
            raise ParameterError(f"--holdout {self.holdout} has no rows to report an accuracy on")
        return table, held_out

    def public_rows(self, table: Table) -> int | None:
        """How many rows there are, as far as that is public."""
        return table.rows if self.neighbours == "replace-one" else self.rows

    def mechanism_for(self, table: Table) -> str | None:
        """The mechanism that was named or, with ``--robust`` alone, the one that public numbers recommend."""
        if not self.robust or self.mechanism is not None:
            return self.mechanism
        from oracledp.planning import robust_mechanism  # and all that plans, for those who ask

        queries = rule_class(
            self.plain, self.schema.literals.without(self.literal.column), self.literal, size=self.size
        )
        with progress("choosing a mechanism", self.quiet):
            share = row_epsilon(self.epsilon, table.unit)
            return robust_mechanism(
                queries,
                epsilon=share,
                delta=None if self.delta is None else row_delta(self.delta, share, table.unit),
                rows=self.public_rows(table),
                oracle=self.oracle,
                neighbours=self.neighbours,
            )


def settled_model(*, model: str, mechanism: str | None, robust: bool, delta: str | None, oracle: str) -> str:
    """The model that these options mean."""
    if robust and mechanism not in (None, *VOTES):
        raise ParameterError(f"--robust means that no solver is trusted: leave --mechanism {mechanism} or --robust out")
    usual = mechanism is None and not robust
    if delta is not None and (mechanism in PURE or (usual and model in WITHOUT_DELTA)):
        named = f"--model {model}" if mechanism is None else f"--mechanism {mechanism}"
        raise ParameterError(f"--delta has no effect: {named} is private without one; leave it out")
    if oracle != "auto" and (usual or mechanism in ALONE):
        raise ParameterError(f"--oracle {oracle} has no effect: name a --mechanism that asks one ({', '.join(ASKING)})")
    return "conjunction" if model == "auto" and not usual else model


def note(asked: str, learned: str) -> str | None:
    """What to say where the model was chosen by another option."""
    if asked == learned:
        return None
    return f"learned a {learned}, since --mechanism and --robust choose one rule of a class: see --model"
