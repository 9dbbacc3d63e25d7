"""``oracledp synth``: a private synthetic table, with the model it was drawn from."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import click

from oracledp.cli.common import (
    csv_options,
    emit,
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
from oracledp.cli.linked import LINK_NAMES, LinkOptions, linked_options, synthesize_linked
from oracledp.cli.oracle_query import method_option, play, player_option
from oracledp.cli.row_files import AT_ONCE, RowParts
from oracledp.cli.synth_request import SynthRequest
from oracledp.exact.numbers import positive
from oracledp.privacy.guarantee import Neighbours
from oracledp.report.synthetic import synthetic_page
from oracledp.synthesis import Synthesizer


@click.command()
@click.argument("data", type=click.Path())
@click.option("--schema", "schema_path", required=True, type=click.Path(), help="YAML or JSON schema of the table.")
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
    synthesizer = Synthesizer(
        asked.schema,
        epsilon=asked.epsilon,
        delta=asked.delta,
        neighbours=asked.neighbours or Neighbours.DEFAULT,
        workload=[_weighted(text) for text in asked.workloads],
        ledger=asked.ledger,
        rows=asked.rows,
    )
    with asked.files() as files:
        source, table = asked.source, asked.table()
        with progress("measuring and fitting", asked.quiet) as advance:
            synthesizer.fit(table, source=source, progress=advance)
        synthesizer.shape_ = asked.shape
        model, rows = synthesizer.model_, synthesizer.sample_size(asked.rows)
        made = RowParts(rows, lambda: synthesizer.sample_parts(rows, seed=asked.seed, most=AT_ONCE))
        asked.write(files, table, made, model.to_text, lambda: synthetic_page(model, rows=rows, about=asked.about))
        measured = {
            "tables": len(model.tables),
            "parities": sum(len(found.values) for found in model.parities),
            "queries": sum(len(found.values) for found in model.queries),
        }
        result = {
            "rows": rows, "guarantee": model.guarantee.to_json(), "measured": measured, "report": asked.report,
            "out": asked.out, **with_schemas(model.guarantee, asked.schema),
        }  # fmt: skip
        words = [f"wrote {rows} rows to {asked.out}; {_in_words(measured)}", *promised(model.guarantee, asked.schema)]
        emit(asked.as_json, result, "\n".join(words))
        files.settle()


def _in_words(measured: dict[str, int]) -> str:
    queries = f", {measured['queries']} queries" if measured["queries"] else ""
    return f"measured {measured['tables']} tables and {measured['parities']} parities{queries}"


def _weighted(text: str) -> tuple[str, Fraction]:
    """A workload and its weight, which may follow an asterisk."""
    found = re.fullmatch(r"(.+?)\s*\*\s*([0-9][0-9./]*)", text, re.DOTALL)
    return (text, Fraction(1)) if found is None else (found[1], positive(found[2], "the weight of a workload"))
