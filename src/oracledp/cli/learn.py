"""``oracledp learn``: one private rule from a file."""

from __future__ import annotations

from typing import Any

import click

from oracledp.cli.common import (
    emit,
    json_option,
    ledger_of,
    ledger_option,
    memory_option,
    neighbours_option,
    progress,
    quiet_option,
    seed_options,
    source_of,
    strict_option,
)
from oracledp.cli.outputs import outputs, refuse_closed_output
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.learning import learn_table
from oracledp.learning.models import MECHANISMS, MODELS, accuracy, learn_rule
from oracledp.report.rule_page import rule_page


@click.command()
@click.argument("data", type=click.Path())
@click.option("--schema", "schema_path", required=True, type=click.Path(), help="YAML or JSON schema of the table.")
@click.option("--target", required=True, help="What to predict: COLUMN=VALUE, 'COLUMN >= NUMBER' or a boolean column.")
@click.option("--model", type=click.Choice(["auto", *MODELS]), default="auto", show_default=True)
@click.option("--size", type=int, help="Literals in the rule, rules in the list, or non-zero weights.")
@click.option("--epsilon", required=True, help="Privacy parameter, exact: 0.1 or 1/3.")
@click.option("--mechanism", type=click.Choice(list(MECHANISMS)), help="By default the best one for the model.")
@click.option("--oracle", default="auto", show_default=True, help="Solver for the rspm mechanisms.")
@click.option("--holdout", type=click.Path(), help="A file to report accuracy on; it is read without any privacy.")
@click.option("--robust", is_flag=True, help="PRSMA: private whatever the oracle does; needs --delta and many rows.")
@click.option("--delta", help="Privacy parameter of --robust, for instance 1e-6.")
@click.option(
    "--rows", type=int,
    help="About how many rows there are, if that may be known; else a fiftieth of epsilon tells, where it matters.",
)  # fmt: skip
@click.option("--report", type=click.Path(dir_okay=False), help="Write a page about the rule (HTML).")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the rule and its guarantee as JSON.")
@neighbours_option
@ledger_option
@seed_options
@memory_option
@strict_option
@quiet_option
@json_option
def learn(
    data: str,
    schema_path: str,
    target: str,
    model: str,
    size: int | None,
    epsilon: str,
    mechanism: str | None,
    oracle: str,
    holdout: str | None,
    robust: bool,
    delta: str | None,
    rows: int | None,
    report: str | None,
    out: str | None,
    neighbours: str,
    ledger_path: str | None,
    seed: int | None,
    insecure_seed: bool,
    memory: str | None,
    strict: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Learn a private rule that predicts TARGET from the other columns of DATA.

    DATA is a CSV, Parquet or Arrow file, a folder of Parquet files, or postgresql://USER@HOST/DATABASE?table=NAME.
    """
    source, ledger = source_of(seed, insecure_seed), ledger_of(ledger_path)
    schema = Schema.load(schema_path)
    literal = schema.literal(target)
    refuse_closed_output()
    with outputs(out=out, report=report) as files:
        with progress("reading the table", quiet):
            held_out = None if holdout is None else Table.from_address(holdout, schema, memory=memory)
            table = Table.from_address(data, schema, memory=memory, strict=strict)
        if held_out is not None and not held_out.rows:
            raise ParameterError(f"--holdout {holdout} has no rows to report an accuracy on")
        common: dict[str, Any] = {
            "epsilon": epsilon, "size": size, "neighbours": neighbours, "oracle": oracle,
            "rows": rows, "ledger": ledger, "source": source,
        }  # fmt: skip
        with progress("choosing a rule", quiet) as advance:
            if robust or mechanism is not None:
                chosen = "prsma" if robust else str(mechanism)
                plain = "conjunction" if model == "auto" else model
                release = learn_rule(
                    table, literal, model=plain, mechanism=chosen, delta=delta, progress=advance, **common
                )  # fmt: skip
            else:
                release = learn_table(table, literal, model=model, **common)
        public = table.rows if neighbours == "replace-one" else rows
        files.write_text("out", release.to_text)
        files.write_text("report", lambda: rule_page(release, rows=public))
        score = None if held_out is None else accuracy(release, held_out)
        result: dict[str, Any] = {**release.to_json(), "holdout_accuracy": score}
        lines = [str(release.query), str(release.guarantee)]
        lines += [] if score is None else [f"accuracy on the holdout file (not private): {score:.4f}"]
        emit(as_json, result, "\n".join(lines))
        files.settle()
