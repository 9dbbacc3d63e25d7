"""What a user asked of ``oracledp synth``, and what both ways of answering it share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from oracledp.cli.common import ledger_of, progress, refuse_unwritable, source_of
from oracledp.errors import ParameterError
from oracledp.ledger import Ledger
from oracledp.randomness import Randomness
from oracledp.report import internal_comparison
from oracledp.report.internal import internal_path
from oracledp.schema import Schema
from oracledp.table import Table
from oracledp.whole_files import whole_file, write_whole


@dataclass(frozen=True)
class SynthRequest:
    """The options of the command, by name; checked as far as they can be before anything is read or charged."""

    data: str
    schema_path: str
    epsilon: str
    delta: str
    out: str
    rows: int | None
    workloads: tuple[str, ...]
    model_path: str | None
    report: str | None
    internal_report: str | None
    neighbours: str | None
    method: str
    player: str
    ledger_path: str | None
    seed: int | None
    insecure_seed: bool
    memory: str | None
    quiet: bool
    as_json: bool

    def __post_init__(self) -> None:
        if Path(self.out).suffix not in (".csv", ".parquet"):
            raise ParameterError(f"--out {self.out}: rows are written as .csv or .parquet")
        for path in (self.out, self.model_path, self.report, self.internal_report):
            refuse_unwritable(path)
        if self.internal_report is not None:
            internal_path(self.internal_report)

    @cached_property
    def schema(self) -> Schema:
        """The schema, read once."""
        return Schema.load(self.schema_path)

    @cached_property
    def source(self) -> Randomness:
        """Where the noise comes from."""
        return source_of(self.seed, self.insecure_seed)

    @cached_property
    def ledger(self) -> Ledger | None:
        """What is charged."""
        return ledger_of(self.ledger_path)

    def read(self) -> Table:
        """The private table."""
        with progress("reading the table", self.quiet):
            return Table.from_address(self.data, self.schema, memory=self.memory)

    def write(self, table: Table, frame: Any, save: Callable[[str], None], page: Callable[[], str]) -> None:
        """The rows and, where they were asked for, the model, the page for release and the one that is not."""
        with whole_file(self.out) as file:
            if Path(self.out).suffix == ".csv":
                frame.to_csv(file, index=False, mode="wb")
            else:
                frame.to_parquet(file, index=False)
        if self.model_path is not None:
            save(self.model_path)
        if self.report is not None:
            write_whole(self.report, page())
        if self.internal_report is not None:
            with progress("comparing real and synthetic rows", self.quiet):
                internal_comparison(table, frame, self.internal_report, schema=self.schema)
            click.echo(f"{self.internal_report} is NOT PRIVATE: do not release it", err=True)
