"""``oracledp learn``: one private rule from a file. What would have no effect is refused before a row is read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import click

from oracledp.classes.pictures import Sentence, in_words
from oracledp.cli.common import (
    PrivateRequest,
    csv_options,
    emit,
    json_option,
    ledger_option,
    memory_option,
    neighbours_option,
    person_options,
    progress,
    promised,
    quiet_option,
    seed_options,
    strict_option,
    with_schemas,
)
from oracledp.cli.outputs import outputs, refuse_closed_output
from oracledp.data.literals import Literal
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.learning import learn_table
from oracledp.learning.models import accuracy, rule_class
from oracledp.mechanisms.release import Release
from oracledp.privacy.persons import row_delta, row_epsilon

PURE = ("exponential", "permute-and-flip", "rspm", "rspm:separator", "report-noisy-min")
ASKING = ("rspm", "rspm:separator", "rspm:gaussian", "vote", "prsma")  # these ask an oracle
ALONE = ("exponential", "permute-and-flip", "report-noisy-min")
VOTES = ("vote", "prsma")
WITHOUT_DELTA = ("conjunction", "disjunction", "parity", "decision-list", "tree")  # by default


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
        files.write_text("report", lambda: _page(release, asked, table))
        score = None if held_out is None else accuracy(release, held_out)
        lines = [_in_words(release), *promised(release.guarantee, asked.schema)]
        lines += [] if score is None else [f"accuracy on the holdout file (not private): {score:.4f}"]
        shown = emit(
            asked.as_json,
            {**release.to_json(), **with_schemas(release.guarantee, asked.schema), "holdout_accuracy": score},
            "\n".join(lines),
        )
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


def _page(release: Release, asked: LearnRequest, table: Table) -> str:
    from oracledp.report.about import About  # with the page and its charts, for those who ask for one
    from oracledp.report.rule_page import rule_page

    about = About.of(asked.data, asked.ledger, asked.schema)
    return rule_page(release, rows=asked.public_rows(table), about=about)


def _saved(release: Release, schema: Schema) -> str:
    """The release with the schema that other rows are read by."""
    return json.dumps({**release.to_json(), "schema": schema.to_json()}, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, kw_only=True)
class LearnRequest(PrivateRequest):
    """The options of the command, by name; all that can be refused before a row is read is refused here."""

    target: str
    model: str
    size: int | None
    epsilon: str
    mechanism: str | None
    oracle: str
    holdout: str | None
    robust: bool
    delta: str | None
    rows: int | None
    report: str | None
    out: str | None
    neighbours: str

    def __post_init__(self) -> None:
        _ = self.plain, self.schema, self.source, self.ledger, self.literal
        refuse_closed_output()

    @cached_property
    def plain(self) -> str:
        """The model that the options mean."""
        return settled_model(
            model=self.model, mechanism=self.mechanism, robust=self.robust, delta=self.delta, oracle=self.oracle
        )

    @cached_property
    def literal(self) -> Literal:
        """What is predicted."""
        return self.schema.literal(self.target)

    def read(self) -> tuple[Table, Table | None]:
        """The private table and, where one was named, the table that an accuracy is reported on."""
        held_out = None if self.holdout is None else Table.from_address(self.holdout, self.schema, memory=self.memory)
        table = self.table()
        if held_out is not None and not held_out.rows:
            raise ParameterError(f"--holdout {self.holdout} has no rows to report an accuracy on")
        return table, held_out

    def public_rows(self, table: Table) -> int | None:
        """How many rows there are, as far as that is public."""
        return table.rows if self.neighbours == "replace-one" else self.rows

    def mechanism_for(self, table: Table) -> str | None:
        """The mechanism that was named or, with ``--robust`` alone, the one that public numbers recommend."""
        if not self.robust or self.mechanism is not None:
            return self.mechanism
        from oracledp.planning import robust_mechanism  # and all that plans, for those who ask

        queries = rule_class(
            self.plain, self.schema.literals.without(self.literal.column), self.literal, size=self.size
        )
        with progress("choosing a mechanism", self.quiet):
            share = row_epsilon(self.epsilon, table.unit)
            return robust_mechanism(
                queries,
                epsilon=share,
                delta=None if self.delta is None else row_delta(self.delta, share, table.unit),
                rows=self.public_rows(table),
                oracle=self.oracle,
                neighbours=self.neighbours,
            )


def settled_model(*, model: str, mechanism: str | None, robust: bool, delta: str | None, oracle: str) -> str:
    """The model that these options mean."""
    if robust and mechanism not in (None, *VOTES):
        raise ParameterError(f"--robust means that no solver is trusted: leave --mechanism {mechanism} or --robust out")
    usual = mechanism is None and not robust
    if delta is not None and (mechanism in PURE or (usual and model in WITHOUT_DELTA)):
        named = f"--model {model}" if mechanism is None else f"--mechanism {mechanism}"
        raise ParameterError(f"--delta has no effect: {named} is private without one; leave it out")
    if oracle != "auto" and (usual or mechanism in ALONE):
        raise ParameterError(f"--oracle {oracle} has no effect: name a --mechanism that asks one ({', '.join(ASKING)})")
    return "conjunction" if model == "auto" and not usual else model


def note(asked: str, learned: str) -> str | None:
    """What to say where the model was chosen by another option."""
    if asked == learned:
        return None
    return f"learned a {learned}, since --mechanism and --robust choose one rule of a class: see --model"
