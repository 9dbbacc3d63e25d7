"""What a user asked of ``oracledp synth``, and what both ways of answering it share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import BinaryIO

import click

from oracledp.cli.common import PrivateRequest, ledger_of, progress
from oracledp.cli.outputs import Outputs, outputs, refuse_closed_output
from oracledp.cli.row_files import MOST_AT_ONCE, MOST_VALUES, RowParts, refuse_format, refuse_rows, write_rows
from oracledp.data.output.frames import FrameShape
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.data.table.addresses import is_address
from oracledp.errors import ModelError, ParameterError
from oracledp.privacy.ledger import Ledger
from oracledp.report.about import About
from oracledp.report.internal import comparison_page, internal_path


@dataclass(frozen=True, kw_only=True)
class SynthRequest(PrivateRequest):
    """The options of the command, by name; checked as far as they can be before anything is read or charged."""

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
    infer_schema: str | None
    schema_share: str | None

    def __post_init__(self) -> None:
        refuse_format(self.out)
        if self.internal_report is not None:
            internal_path(self.internal_report)
        refuse_closed_output()
        self._refuse_half_a_purchase()
        if self.infer_schema is None:
            most = MOST_AT_ONCE if self.method == "oracle-query" else MOST_VALUES
            refuse_rows(self.rows, len(self.schema.columns), most)

    def _refuse_half_a_purchase(self) -> None:
        """A schema is given, or bought; and what needs to know it beforehand needs one that is given."""
        if self.infer_schema is None:
            if self.schema_path is None:
                raise ParameterError(
                    "name a schema with --schema, or where to write one that is bought: --infer-schema"
                )
            if self.schema_share is not None:
                raise ParameterError("--schema-share: only with --infer-schema")
            return
        for option, contradicts in (
            ("--schema", self.schema_path is not None),
            ("--method oracle-query", self.method == "oracle-query"),
            ("--strict", self.strict),
        ):
            if contradicts:
                raise ParameterError(f"{option}: not with --infer-schema, which buys a schema together with the rows")
        if is_address(self.data):
            raise ParameterError("--infer-schema: DATA must be a file, not a database")

    @cached_property
    def ledger(self) -> Ledger | None:
        """What is charged; where the schema is bought too, nothing is known of it yet."""
        known = self.schema if self.infer_schema is None else None
        return ledger_of(self.ledger_path, self.data, known)

    def settle(self, schema: Schema) -> None:
        """Let all that follows know the schema that was bought."""
        self.__dict__["schema"] = schema  # where a cached property looks first

    @property
    def shape(self) -> FrameShape:
        """What the rows are built as."""
        return FrameShape.plain(self.schema)

    @property
    def about(self) -> About:
        """What the head of a page says."""
        return About.of(self.data, self.ledger, self.schema)

    @contextmanager
    def files(self) -> Iterator[Outputs]:
        """Every output, open before anything is read or charged; the ledger, which is told of them, before that."""
        _ = self.ledger
        named = {"out": self.out, "model": self.model_path, "report": self.report, "infer_schema": self.infer_schema}
        with outputs(**named, internal_report=self.internal_report) as opened:
            if self.infer_schema is not None and Path(self.infer_schema).exists():  # it may be written by hand
                raise ParameterError(f"--infer-schema {self.infer_schema}: there is such a file; --schema reads it")
            yield opened

    def write(
        self,
        files: Outputs,
        table: Callable[[], Table],
        made: RowParts,
        model: Callable[[], str],
        page: Callable[[], str],
    ) -> None:
        """The rows and, where they were asked for, the model, the page for release and the one that is not."""
        try:
            made.begin()
        except ModelError as error:
            files.write("out", self.given_up(files, error, model), rescue=False)
        else:
            files.write("out", lambda file: write_rows(made, self.out, file, self.schema.file))
        files.write_text("model", model)
        files.write_text("report", page)
        if self.internal_report is not None:
            with progress("comparing real and synthetic rows", self.quiet):
                files.write_text(  # not private: nowhere else; rows that cannot be read again take nothing with them
                    "internal-report", lambda: comparison_page(table(), made.first, schema=self.schema), rescue=False
                )
            click.echo(f"{self.internal_report} is NOT PRIVATE: do not release it", err=True)

    def given_up(self, files: Outputs, error: ModelError, model: Callable[[], str]) -> Callable[[BinaryIO], None]:
        """What was paid for is kept: without rows, the model beside where they would have been."""
        place = self.model_path
        if place is None:
            names = (f"{self.out}.model{number or ''}.json" for number in count())
            place = next(name for name in names if not Path(name).exists())
            files.open("model", place)

        def say(file: BinaryIO) -> None:
            raise ModelError(f"no rows: {error}; the model, which is paid for, is in {place}")

        return say
