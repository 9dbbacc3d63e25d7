"""What a user asked of ``oracledp synth``, and what both ways of answering it share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO

import click

from oracledp.cli.common import PrivateRequest, progress
from oracledp.cli.outputs import Outputs, outputs, refuse_closed_output
from oracledp.cli.row_files import MOST_AT_ONCE, MOST_VALUES, RowParts, refuse_format, refuse_rows, write_rows
from oracledp.data.output.frames import FrameShape
from oracledp.data.table import Table
from oracledp.errors import ModelError
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

    def __post_init__(self) -> None:
        refuse_format(self.out)
        if self.internal_report is not None:
            internal_path(self.internal_report)
        refuse_closed_output()
        refuse_rows(self.rows, len(self.schema.columns), MOST_AT_ONCE if self.method == "oracle-query" else MOST_VALUES)

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
        """Every output, open before anything is read or charged."""
        named = {"out": self.out, "model": self.model_path, "report": self.report}
        with outputs(**named, internal_report=self.internal_report) as opened:
            yield opened

    def write(
        self, files: Outputs, table: Table, made: RowParts, model: Callable[[], str], page: Callable[[], str]
    ) -> None:
        """The rows and, where they were asked for, the model, the page for release and the one that is not."""
        try:
            made.begin()
        except ModelError as error:
            files.write("out", self._given_up(files, error, model), rescue=False)
        else:
            files.write("out", lambda file: write_rows(made, self.out, file, self.schema.file))
        files.write_text("model", model)
        files.write_text("report", page)
        if self.internal_report is not None:
            with progress("comparing real and synthetic rows", self.quiet):
                page_of_both = partial(comparison_page, table, made.first, schema=self.schema)
                files.write_text("internal-report", page_of_both, rescue=False)  # not private: nowhere else
            click.echo(f"{self.internal_report} is NOT PRIVATE: do not release it", err=True)

    def _given_up(self, files: Outputs, error: ModelError, model: Callable[[], str]) -> Callable[[BinaryIO], None]:
        """What was paid for is kept: without rows, the model beside where they would have been."""
        place = self.model_path
        if place is None:
            names = (f"{self.out}.model{number or ''}.json" for number in count())
            place = next(name for name in names if not Path(name).exists())
            files.open("model", place)

        def say(file: BinaryIO) -> None:
            raise ModelError(f"no rows: {error}; the model, which is paid for, is in {place}")

        return say
