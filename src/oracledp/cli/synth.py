"""``oracledp synth``: a private synthetic table, with the model it was drawn from."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click

from oracledp.cli.common import (
    csv_options,
    emit,
    file_given,
    json_option,
    ledger_option,
    memory_option,
    person_options,
    progress,
    promised,
    quiet_option,
    seed_options,
    strict_option,
    with_schemas,
)
from oracledp.cli.first_lines import warn_of_a_record
from oracledp.cli.oracle_query import method_option, play, player_option
from oracledp.cli.outputs import Outputs
from oracledp.cli.row_files import AT_ONCE, RowParts, refuse_rows
from oracledp.cli.synth_linked import LINK_NAMES, LinkOptions, linked_options, synthesize_linked
from oracledp.cli.synth_request import SynthRequest
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.data.table.texts import text_rows
from oracledp.data.table.unit import Unit
from oracledp.errors import ParameterError
from oracledp.exact.numbers import positive
from oracledp.mechanisms.private_schema import AN_ID, InferredSchema
from oracledp.privacy.guarantee import Neighbours
from oracledp.report.synthetic import synthetic_page
from oracledp.synthesis import Synthesizer
from oracledp.synthesis.raw import FOR_SCHEMA, MARGINALS, synthesize_raw


@click.command()
@click.argument("data", type=click.Path())
@click.option("--schema", "schema_path", type=click.Path(), help="YAML or JSON schema of the table.")
@click.option(
    "--infer-schema", type=click.Path(dir_okay=False),
    help="Without a schema: buy one from DATA for a part of the same budget, and write it here (.yaml).",
)  # fmt: skip
@click.option("--schema-share", help="With --infer-schema: the part of the budget that buys it.  [default: 0.1]")
@click.option("--epsilon", required=True, help="Privacy parameter, exact: 0.1 or 1/3.")
@click.option("--delta", required=True, help="Privacy parameter, for instance 1e-6.")
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Where the rows go: .csv or .parquet.")
@click.option("--rows", type=int, help="How many rows; by default a private count of the table's.")
@click.option(
    "--workload", "workloads", multiple=True, default=("marginals:3",), show_default=True,
    help="What should be accurate: marginals:K, conjunctions:W, disjunctions:W, parities:K, halfspaces:K, ranges, or "
    "conditions such as 'age >= 40 and smoker'. May be given several times, with a weight: 'halfspaces * 2'.",
)  # fmt: skip
@click.option(
    "--model", "model_path", type=click.Path(dir_okay=False), help="Write the model (JSON) for 'sample' and 'answer'."
)
@click.option("--report", type=click.Path(dir_okay=False), help="Write a page about the release (HTML).")
@click.option(
    "--internal-report", type=click.Path(dir_okay=False),
    help="Write a page that compares real and synthetic rows: NOT PRIVATE, never release it (HTML).",
)  # fmt: skip
@click.option(
    "--neighbours", type=click.Choice([relation.value for relation in Neighbours]),
    help="Which tables cannot be told apart: one record more or less, or one replaced.  "
    f"[default: {Neighbours.DEFAULT.value}; oracle-query: replace-one]",
)  # fmt: skip
@linked_options
@method_option
@player_option
@person_options
@ledger_option
@seed_options
@csv_options
@memory_option
@strict_option
@quiet_option
@json_option
def synth(**options: Any) -> None:
    """Make a private synthetic version of DATA.

    DATA is a CSV, Parquet or Arrow file, a folder of Parquet files, or postgresql://USER@HOST/DATABASE?table=NAME.
    Without a schema, --infer-schema buys one, and one guarantee covers it and the rows.
    With --children, DATA has one row per person and a second table, linked by --person, several.
    """
    links = LinkOptions(*(options.pop(name) for name in LINK_NAMES))
    asked = SynthRequest(**options)
    if links.given:
        synthesize_linked(asked, links)
    elif asked.method == "oracle-query":
        play(asked)
    else:
        _measure(asked)


def _measure(asked: SynthRequest) -> None:
    """Measure and fit, write rows, model and pages, say what was done."""
    fit = _fit_raw if asked.infer_schema else _fit
    with asked.files() as files:
        synthesizer, read, told = fit(asked, files)
        synthesizer.shape_ = asked.shape
        model, rows = synthesizer.model_, synthesizer.sample_size(asked.rows)
        made = RowParts(rows, lambda: synthesizer.sample_parts(rows, seed=asked.seed, most=AT_ONCE))
        asked.write(files, read, made, model.to_text, lambda: synthetic_page(model, rows=rows, about=asked.about))
        measured = {
            "tables": len(model.tables),
            "parities": sum(len(found.values) for found in model.parities),
            "queries": sum(len(found.values) for found in model.queries),
        }
        result = {
            "rows": rows, "guarantee": model.guarantee.to_json(), "measured": measured, "report": asked.report,
            "out": asked.out, **({"schema": told.to_json()} if told else {}),
            **with_schemas(model.guarantee, asked.schema),
        }  # fmt: skip
        words = [f"wrote {rows} rows to {asked.out}; {_in_words(measured)}", *_bought(asked, told)]
        emit(asked.as_json, result, "\n".join([*words, *promised(model.guarantee, asked.schema)]))
        files.settle()


Fitted = tuple[Synthesizer, Callable[[], Table], InferredSchema | None]


def _fit(asked: SynthRequest, files: Outputs) -> Fitted:
    """By the schema that was given."""
    synthesizer = Synthesizer(
        asked.schema,
        epsilon=asked.epsilon,
        delta=asked.delta,
        neighbours=asked.neighbours or Neighbours.DEFAULT,
        workload=[_weighted(text) for text in asked.workloads],
        ledger=asked.ledger,
        rows=asked.rows,
    )
    source, table = asked.source, asked.table()
    with progress("measuring and fitting", asked.quiet) as advance:
        synthesizer.fit(table, source=source, progress=advance)
    return synthesizer, lambda: table, None


def _fit_raw(asked: SynthRequest, files: Outputs) -> Fitted:
    """By a schema that is bought together with the rows, and is written as soon as it is there."""
    if len(asked.workloads) != 1:
        raise ParameterError(f"--workload: before there is a schema it is one of {', '.join(MARGINALS)}")
    ledger, source = asked.ledger, asked.source
    with (
        files.keeping("infer-schema", "the schema"),
        progress("buying a schema, measuring and fitting", asked.quiet) as advance,
    ):
        found, synthesizer = synthesize_raw(
            asked.data, epsilon=asked.epsilon, delta=asked.delta, share=asked.schema_share or FOR_SCHEMA,
            neighbours=asked.neighbours or Neighbours.DEFAULT, workload=asked.workloads[0], file=file_given(),
            person=asked.person, rows_per_person=asked.rows_per_person, memory=asked.memory, ledger=ledger,
            source=source, progress=advance, check=lambda columns: refuse_rows(asked.rows, columns),
            on_schema=lambda found: files.write_text("infer-schema", found.to_yaml),
        )  # fmt: skip
    warn_of_a_record(asked.data, found)
    asked.settle(synthesizer.schema)
    return synthesizer, lambda: _again(asked, synthesizer.schema), found


def _again(asked: SynthRequest, schema: Schema) -> Table:
    """The private rows once more, as texts that the schema which was bought reads."""
    unit = Unit.of(asked.person, asked.rows_per_person, schema)
    with (
        progress("reading the table", asked.quiet),
        text_rows(asked.data, file=schema.file, unit=unit, memory=asked.memory) as rows,
    ):
        return Table.from_texts(rows, schema)


def _bought(asked: SynthRequest, found: InferredSchema | None) -> list[str]:
    if found is None:
        return []
    left_out = [f"left out: {name}: {why}" for name, why in found.left_out.items()]
    if any(why != AN_ID for why in found.left_out.values()):
        left_out.append("a larger --schema-share describes more columns; those that you know cost nothing in a schema")
    return [f"wrote {asked.infer_schema}: {len(found.schema.names)} columns, bought with the same budget", *left_out]


def _in_words(measured: dict[str, int]) -> str:
    queries = f", {measured['queries']} queries" if measured["queries"] else ""
    return f"measured {measured['tables']} tables and {measured['parities']} parities{queries}"


def _weighted(text: str) -> tuple[str, Fraction]:
    """A workload and its weight, which may follow an asterisk."""
    found = re.fullmatch(r"(.+?)\s*\*\s*([0-9][0-9./]*)", text, re.DOTALL)
    return (text, Fraction(1)) if found is None else (found[1], positive(found[2], "the weight of a workload"))
