"""``oracledp learn``: one private rule from a file."""

from __future__ import annotations

import json
from typing import Any

import click

from oracledp.classes.pictures import Sentence, in_words
from oracledp.cli.common import (
    csv_options,
    emit,
    json_option,
    ledger_option,
    memory_option,
    neighbours_option,
    person_options,
    progress,
    quiet_option,
    seed_options,
    strict_option,
)
from oracledp.cli.learn_options import LearnRequest, note
from oracledp.cli.outputs import outputs
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.learning import learn_table
from oracledp.learning.models import accuracy
from oracledp.mechanisms.release import Release
from oracledp.privacy.ledger import Ledger


@click.command()
@click.argument("data", type=click.Path())
@click.option("--schema", "schema_path", required=True, type=click.Path(), help="YAML or JSON schema of the table.")
@click.option("--target", required=True, help="What to predict: COLUMN=VALUE, 'COLUMN >= NUMBER' or a boolean column.")
@click.option(
    "--model", default="auto", show_default=True,
    help="conjunction, disjunction, parity, decision-list, halfspace, tree, or one of an installed package.",
)  # fmt: skip
@click.option(
    "--size", "--depth", type=int,
    help="Literals in the rule, rules in the list, non-zero weights, or tests on a path of the tree.",
)  # fmt: skip
@click.option("--epsilon", required=True, help="Privacy parameter, exact: 0.1 or 1/3.")
@click.option(
    "--mechanism",
    help="exponential, permute-and-flip, rspm, rspm:separator, rspm:gaussian, report-noisy-min, vote, prsma, or one of "
    "an installed package; by default the best one for the model.",
)  # fmt: skip
@click.option("--oracle", default="auto", show_default=True, help="Solver for rspm, vote and prsma.")
@click.option("--holdout", type=click.Path(), help="A file to report accuracy on; it is read without any privacy.")
@click.option("--robust", is_flag=True, help="Take what 'plan robust' recommends: private whatever the solver does.")
@click.option(
    "--delta", help="Privacy parameter, for instance 1e-6: for cards, --robust, vote, prsma and rspm:gaussian."
)
@click.option(
    "--rows", type=int,
    help="About how many rows there are, if that is public. Otherwise a fiftieth of epsilon may go into counting them.",
)  # fmt: skip
@click.option("--report", type=click.Path(dir_okay=False), help="Write a page about the rule (HTML).")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the rule and its guarantee for 'predict' (JSON).")
@neighbours_option
@person_options
@ledger_option
@seed_options
@csv_options
@memory_option
@strict_option
@quiet_option
@json_option
def learn(**options: Any) -> None:
    """Learn a private rule that predicts TARGET from the other columns of DATA.

    DATA is a CSV, Parquet or Arrow file, a folder of Parquet files, or postgresql://USER@HOST/DATABASE?table=NAME.
    """
    asked = LearnRequest(**options)
    with outputs(out=asked.out, report=asked.report) as files:
        table, held_out = asked.read()
        release = _chosen(asked, table)
        files.write_text("out", lambda: _saved(release, asked.schema))
        files.write_text("report", lambda: _page(release, asked.public_rows(table), asked.data, asked.ledger))
        score = None if held_out is None else accuracy(release, held_out)
        lines = [_in_words(release), str(release.guarantee)]
        lines += [] if score is None else [f"accuracy on the holdout file (not private): {score:.4f}"]
        shown = emit(asked.as_json, {**release.to_json(), "holdout_accuracy": score}, "\n".join(lines))
        if score is None:  # else it says something that is not private, and so would its digest
            files.printed(shown)
        files.settle()
        said = note(asked.model, asked.plain)
        if said is not None and not asked.quiet:
            click.echo(said, err=True)


def _chosen(asked: LearnRequest, table: Table) -> Release:
    """The rule, charged and drawn."""
    mechanism = asked.mechanism_for(table)
    with progress("choosing a rule", asked.quiet) as advance:
        return learn_table(
            table,
            asked.literal,
            epsilon=asked.epsilon,
            model=asked.plain,
            size=asked.size,
            neighbours=asked.neighbours,
            mechanism=mechanism,
            delta=asked.delta,
            oracle=asked.oracle,
            rows=asked.rows,
            progress=advance,
            ledger=asked.ledger,
            source=asked.source,
        )


def _in_words(release: Release) -> str:
    """A card as a table of points, a list as its lines, any other rule as it is."""
    rules, target = release.query.owner.without_target()
    drawn = rules.picture(release.query.parts)
    if target is None or isinstance(drawn, Sentence):
        return str(release.query)
    return in_words(drawn, target, target.negated())


def _page(release: Release, rows: int | None, data: str, ledger: Ledger | None) -> str:
    from oracledp.report.about import About  # with the page and its charts, for those who ask for one
    from oracledp.report.rule_page import rule_page

    return rule_page(release, rows=rows, about=About.of(data, ledger))


def _saved(release: Release, schema: Schema) -> str:
    """The release with the schema that other rows are read by."""
    return json.dumps({**release.to_json(), "schema": schema.to_json()}, indent=2, ensure_ascii=False) + "\n"
