"""``synth --children``: private synthetic versions of two linked tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from oracledp.cli.common import progress, spelled
from oracledp.cli.linked import BothTables, say
from oracledp.cli.outputs import outputs
from oracledp.cli.row_files import refuse_format, refuse_rows
from oracledp.cli.synth_request import SynthRequest
from oracledp.data.schema import Schema
from oracledp.data.table.linked import LinkedTable
from oracledp.errors import ModelError, ParameterError
from oracledp.privacy.guarantee import Neighbours
from oracledp.report.about import About
from oracledp.report.linked_page import linked_page
from oracledp.synthesis.linked import LinkedSynthesizer

LINK_NAMES = ("children", "children_schema", "children_out")


@dataclass(frozen=True)
class LinkOptions:
    """The options that make two tables of one; all of them or none."""

    children: str | None
    schema_path: str | None
    out: str | None

    @property
    def given(self) -> bool:
        """Whether two tables are asked for."""
        return any(one is not None for one in (self.children, self.schema_path, self.out))


def linked_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--children``, ``--children-schema`` and ``--children-out``."""
    for name, what in (
        ("children-out", "Where the rows of the second table go: .csv or .parquet."),
        ("children-schema", "YAML or JSON schema of the second table."),
        ("children", "A second table with several rows per person, linked to DATA by --person."),
    ):
        command = click.option(f"--{name}", type=click.Path(), help=what)(command)
    return command


def synthesize_linked(asked: SynthRequest, links: LinkOptions) -> None:
    """Measure and fit both tables, write them and the model, say what was done."""
    children, schema_path, children_out = _whole(asked, links)
    own = spelled(Schema.load(schema_path))
    refuse_rows(asked.rows, (asked.rows_per_person or 1) * (len(own.columns) + 1) + len(asked.schema.columns) + 1)
    synthesizer = LinkedSynthesizer(
        asked.schema,
        own,
        epsilon=asked.epsilon,
        delta=asked.delta,
        rows_per_person=asked.rows_per_person or 0,
        ledger=asked.ledger,
        rows=asked.rows,
    )
    linked = synthesizer.linked(asked.person or "")
    pages = {"report": asked.report, "internal_report": asked.internal_report}
    with outputs(out=asked.out, children_out=children_out, model=asked.model_path, **pages) as files:
        source = asked.source
        with progress("reading the tables", asked.quiet):
            table = LinkedTable.from_addresses(asked.data, children, linked, memory=asked.memory, strict=asked.strict)
        with progress("measuring and fitting", asked.quiet) as advance:
            synthesizer.fit(table, source=source, progress=advance)
        made, model = BothTables.of(synthesizer, asked.rows, asked.seed), synthesizer.model_
        try:
            made.begin()
        except ModelError as error:
            files.write("out", asked.given_up(files, error, model.to_text), rescue=False)
        else:
            made.write(files, (asked.out, children_out), (asked.schema.file, own.file))
        files.write_text("model", model.to_text)
        about = About.of(asked.data, asked.ledger, asked.schema, own)
        files.write_text("report", lambda: linked_page(model, rows=made.rows, about=about))
        say(made, (asked.out, children_out), asked.as_json, report=asked.report)
        files.settle()


def _whole(asked: SynthRequest, links: LinkOptions) -> tuple[str, str, str]:
    """The three names, where nothing is missing and nothing contradicts them."""
    if links.children is None or links.schema_path is None or links.out is None:
        raise ParameterError("two linked tables need --children, --children-schema and --children-out together")
    if asked.person is None or asked.rows_per_person is None:
        raise ParameterError(
            "two linked tables need --person, the column of ids in both, and --rows-per-person, the most children kept"
        )
    for option, contradicts in (
        ("--method", asked.method == "oracle-query"),
        ("--infer-schema", asked.infer_schema is not None),
        ("--neighbours", asked.neighbours == Neighbours.REPLACE_ONE.value),
        ("--workload", asked.workloads != ("marginals:3",)),
        ("--internal-report", asked.internal_report is not None),
    ):
        if contradicts:
            raise ParameterError(f"{option}: not for two linked tables")
    refuse_format(links.out, "--children-out")
    return links.children, links.schema_path, links.out
