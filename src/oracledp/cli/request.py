"""What commands that read private rows have in common: a schema, a source of noise, a ledger and a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from oracledp.cli.common import ledger_of, progress, source_of, spelled
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness


@dataclass(frozen=True, kw_only=True)
class PrivateRequest:
    """The options that such a command takes, by name."""

    data: str
    schema_path: str
    person: str | None
    rows_per_person: int | None
    ledger_path: str | None
    seed: int | None
    insecure_seed: bool
    memory: str | None
    strict: bool
    quiet: bool
    as_json: bool

    @cached_property
    def schema(self) -> Schema:
        """The schema, read once."""
        return spelled(Schema.load(self.schema_path))

    @cached_property
    def source(self) -> Randomness:
        """Where the noise comes from."""
        return source_of(self.seed, self.insecure_seed)

    @cached_property
    def ledger(self) -> Ledger | None:
        """What is charged."""
        return ledger_of(self.ledger_path, self.data, self.schema)

    def table(self) -> Table:
        """The private table."""
        with progress("reading the table", self.quiet):
            return Table.from_address(
                self.data,
                self.schema,
                memory=self.memory,
                strict=self.strict,
                person=self.person,
                rows_per_person=self.rows_per_person,
            )
