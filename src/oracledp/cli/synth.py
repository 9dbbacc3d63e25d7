"""``oracledp synth`` and ``oracledp answer``: a private synthetic table, and answers from its model."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from oracledp.cli.common import (
    emit,
    json_option,
    ledger_of,
    ledger_option,
    memory_option,
    progress,
    quiet_option,
    refuse_unwritable,
    seed_options,
    source_of,
)
from oracledp.cli.oracle_query import GameRequest, method_option, player_option
from oracledp.errors import ParameterError
from oracledp.guarantee import positive
from oracledp.report import internal_comparison
from oracledp.report.internal import internal_path
from oracledp.report.synthetic import synthetic_page
from oracledp.schema import Schema
from oracledp.synthesis import Synthesizer
from oracledp.table import Table
from oracledp.whole_files import whole_file, write_whole


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
@click.option("--model", "model_path", type=click.Path(dir_okay=False), help="Write the model (JSON) for 'answer'.")
@click.option("--report", type=click.Path(dir_okay=False), help="Write a page about the release (HTML).")
@click.option(
    "--internal-report", type=click.Path(dir_okay=False),
    help="Write a page that compares real and synthetic rows: NOT PRIVATE, never release it (HTML).",
)  # fmt: skip
@click.option(
    "--neighbours", type=click.Choice(["add-remove", "replace-one"]), default="add-remove", show_default=True,
    help="Which pairs of tables the guarantee protects.",
)  # fmt: skip
@method_option
@player_option
@ledger_option
@seed_options
@memory_option
@quiet_option
@json_option
def synth(
    data: str,
    schema_path: str,
    epsilon: str,
    delta: str,
    out: str,
    rows: int | None,
    workloads: tuple[str, ...],
    model_path: str | None,
    report: str | None,
    internal_report: str | None,
    neighbours: str,
    method: str,
    player: str,
    ledger_path: str | None,
    seed: int | None,
    insecure_seed: bool,
    memory: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Make a private synthetic version of DATA.

    DATA is a CSV, Parquet or Arrow file, a folder of Parquet files, or postgresql://USER@HOST/DATABASE?table=NAME.
    """
    source, ledger = source_of(seed, insecure_seed), ledger_of(ledger_path)
    if Path(out).suffix not in (".csv", ".parquet"):
        raise ParameterError(f"--out {out}: rows are written as .csv or .parquet")
    for path in (out, model_path, report, internal_report):
        refuse_unwritable(path)
    if internal_report is not None:
        internal_path(internal_report)
    schema = Schema.load(schema_path)
    if method == "oracle-query":
        asked = GameRequest(
            schema, epsilon, delta, workloads, player, rows, out, model_path, seed, quiet, as_json
        )  # fmt: skip
        asked.play(lambda: Table.from_address(data, schema, memory=memory), _write_rows, ledger, source)
        return
    weighted = [_weighted(text) for text in workloads]
    synthesizer = Synthesizer(
        schema, epsilon=epsilon, delta=delta, neighbours=neighbours, workload=weighted, ledger=ledger, rows=rows
    )
    with progress("reading the table", quiet):
        table = Table.from_address(data, schema, memory=memory)
    with progress("measuring and fitting", quiet) as advance:
        synthesizer.fit(table, source=source, progress=advance)
    frame = synthesizer.sample(rows, seed=seed)
    _write_rows(frame, out)
    if model_path is not None:
        synthesizer.save(model_path)
    if report is not None:
        write_whole(report, synthetic_page(synthesizer.model_))
    if internal_report is not None:
        with progress("comparing real and synthetic rows", quiet):
            internal_comparison(table, frame, internal_report, schema=schema)
        click.echo(f"{internal_report} is NOT PRIVATE: do not release it", err=True)
    model = synthesizer.model_
    guarantee = model.guarantee
    measured = {
        "tables": len(model.tables),
        "parities": sum(len(found.values) for found in model.parities),
        "queries": sum(len(found.values) for found in model.queries),
    }
    result: dict[str, Any] = {
        "rows": len(frame), "guarantee": guarantee.to_json(), "measured": measured, "report": report, "out": out,
    }  # fmt: skip
    emit(as_json, result, f"wrote {len(frame)} rows to {out}; {_in_words(measured)}\n{guarantee}")


def _in_words(measured: dict[str, int]) -> str:
    queries = f", {measured['queries']} queries" if measured["queries"] else ""
    return f"measured {measured['tables']} tables and {measured['parities']} parities{queries}"


def _weighted(text: str) -> tuple[str, Fraction]:
    """A workload and its weight, which may follow an asterisk."""
    found = re.fullmatch(r"(.+?)\s*\*\s*([0-9][0-9./]*)", text, re.DOTALL)
    return (text, Fraction(1)) if found is None else (found[1], positive(found[2], "the weight of a workload"))


def _write_rows(frame: Any, out: str) -> None:
    with whole_file(out) as file:
        if Path(out).suffix == ".csv":
            frame.to_csv(file, index=False, mode="wb")
        else:
            frame.to_parquet(file, index=False)


@click.command()
@click.argument("model", type=click.Path())
@click.argument("conditions", nargs=-1, required=True)
@click.option("--confidence", type=float, default=0.95, show_default=True)
@json_option
def answer(model: str, conditions: tuple[str, ...], confidence: float, as_json: bool) -> None:
    """The share of records that meet all CONDITIONS ('age >= 40' 'not smoker'), from a model saved by 'synth'."""
    found = Synthesizer.load(model).answer(list(conditions), confidence=confidence)
    text = f"{found.value:.4f}  ({100 * found.confidence:g} % interval {found.low:.4f} to {found.high:.4f})"
    emit(as_json, found.to_json(), text)
