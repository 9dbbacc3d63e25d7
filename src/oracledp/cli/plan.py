"""``oracledp plan``: the error to expect, the rows and epsilon needed, the cost — before any budget is spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from oracledp.classes import Conjunctions, Disjunctions, Halfspaces, Parities, QueryClass
from oracledp.cli.common import emit, json_option, neighbours_option
from oracledp.data.literals import Literal, Literals
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.exact.numbers import whole, whole_or_none
from oracledp.learning.learner import AUTOMATIC
from oracledp.learning.models import rule_class
from oracledp.planning import Plan
from oracledp.planning import plan as make_plan

Command = Callable[..., Any]

MOST_LITERALS, MOST_COLUMNS = 1000, 200  # that are only counted: more take minutes to plan for


@click.group()
def plan() -> None:
    """See what error to expect before you spend any budget. Nothing private is read."""


def _privacy(command: Command) -> Command:
    """Options of every task."""
    for option in (
        json_option,
        neighbours_option,
        click.option("--plot", "plot_path", type=click.Path(dir_okay=False), help="Write error against rows (.png)."),
        click.option("--beta", default="0.05", show_default=True, help="Probability with which the error may fail."),
        click.option("--target-error", help="Also print the rows and the epsilon that this error needs."),
        click.option("--delta", help="Privacy parameter; some mechanisms need it."),
        click.option("--rows", required=True, type=int, help="Public number of rows, or a public guess."),
        click.option("--epsilon", required=True, help="Privacy parameter, exact: 0.1 or 1/3."),
    ):
        command = option(command)
    return command


def _rules(command: Command) -> Command:
    """Options that name a class of rules, by a schema or by the number of literals."""
    for option in (
        click.option("--target", help="With --schema: what to predict."),
        click.option("--schema", "schema_path", type=click.Path(), help="YAML or JSON schema of the table."),
        click.option("--literals", type=int, help="Number of boolean inputs, instead of a schema."),
        click.option(
            "--size", "--depth", type=int,
            help="Literals in the rule, rules in the list, non-zero weights, or tests on a path of the tree.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def _model(default: str) -> Callable[[Command], Command]:
    return click.option("--model", default=default, show_default=True, help="The kind of rule, as learn takes it.")


def _rule_class(
    model: str, size: int | None, literals: int | None, schema: Schema | None, target: str | None
) -> QueryClass | None:
    """The class of rules, or None when neither a schema nor a number of literals is given."""
    if schema is not None:
        if target is None:
            raise ParameterError("--schema needs --target, the literal to predict")
        literal = schema.literal(target)
        return rule_class(model, schema.literals.without(literal.column), literal, size=size)
    if literals is None:
        return None
    count = whole(literals, "--literals", most=MOST_LITERALS)
    names = Literals.named(*(f"x{i}" for i in range(1, count + 1)))
    return rule_class(model, names, Literal.boolean("y"), size=size)


def _show(made: Plan, as_json: bool, plot_path: str | None) -> None:
    if plot_path is not None:
        made.plot(plot_path)
    emit(as_json, made.to_json(), str(made))


def _asked(
    task: str,
    model: str,
    size: int | None,
    literals: int | None,
    schema_path: str | None,
    target: str | None,
    public: str | None,
) -> tuple[QueryClass, Table | None]:
    """The class of rules, and the public table if one is named."""
    schema = None if schema_path is None else Schema.load(schema_path)
    queries = _rule_class(model, size, literals, schema, target)
    if queries is None:
        raise ParameterError(f"plan {task} needs --schema with --target, or --literals")
    if public is not None and schema is None:
        raise ParameterError("--public needs --schema")
    return queries, None if public is None or schema is None else Table.from_address(public, schema)


def _on_public(command: Command) -> Command:
    return click.option("--public", type=click.Path(), help="A table that is NOT private, of the same kind.")(command)


def _timing(command: Command) -> Command:
    return click.option("--time", "timed", is_flag=True, help="Time an oracle call on random data.")(command)


@plan.command()
@_timing
@_on_public
@_model(AUTOMATIC)
@_rules
@_privacy
def learn(model: str, timed: bool, plot_path: str | None, as_json: bool, **options: Any) -> None:
    """What learn would give: its default beside other models or, with --model, every mechanism for that model."""
    if model != AUTOMATIC:
        _selection("learn", model, timed, plot_path, as_json, **options)
        return
    if timed or plot_path is not None:
        raise ParameterError(f"{'--time' if timed else '--plot'} needs --model, for instance --model conjunction")
    asked = {name: options.pop(name) for name in ("literals", "schema_path", "target", "public")}
    if asked["public"] is not None and asked["schema_path"] is None:
        raise ParameterError("--public needs --schema")
    schema, target = _columns(asked["literals"], asked["schema_path"], asked["target"])
    table = None if asked["public"] is None else Table.from_address(asked["public"], schema)
    _show(make_plan("learn", schema=schema, target=target, public=table, **options), as_json, None)


@plan.command()
@_timing
@_on_public
@_model("conjunction")
@_rules
@_privacy
def rspm(model: str, timed: bool, plot_path: str | None, as_json: bool, **options: Any) -> None:
    """Report Separator-Perturbed Min with each noise."""
    _selection("rspm", model, timed, plot_path, as_json, **options)


def _selection(
    task: str,
    model: str,
    timed: bool,
    plot_path: str | None,
    as_json: bool,
    *,
    size: int | None,
    literals: int | None,
    schema_path: str | None,
    target: str | None,
    public: str | None,
    **options: Any,
) -> None:
    """``learn`` and ``rspm`` differ in the mechanisms that they compare."""
    queries, table = _asked(task, model, size, literals, schema_path, target, public)
    _show(make_plan(task, queries=queries, public=table, timed=timed, **options), as_json, plot_path)


def _columns(literals: int | None, schema_path: str | None, target: str | None) -> tuple[Schema, str]:
    """A schema with its target: the file's, or one of so many boolean columns."""
    if schema_path is not None:
        if target is None:
            raise ParameterError("--schema needs --target, the literal to predict")
        return Schema.load(schema_path), target
    if literals is None:
        raise ParameterError("plan learn needs --schema with --target, or --literals")
    count = whole(literals, "--literals", most=MOST_LITERALS)
    return Schema(dict.fromkeys((*(f"x{i}" for i in range(1, count + 1)), "y"), "boolean")), "y"


@plan.command()
@click.option("--max-calls", type=int, default=100_000, show_default=True, help="Most oracle calls to spend.")
@click.option("--oracle", default="auto", show_default=True, help="Solver or heuristic, as learn takes it.")
@_on_public
@_model("conjunction")
@_rules
@_privacy
def robust(
    model: str,
    size: int | None,
    literals: int | None,
    schema_path: str | None,
    target: str | None,
    public: str | None,
    plot_path: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Which mechanism to take where nothing may hang on a solver: exponential, total search, vote or PRSMA."""
    queries, table = _asked("robust", model, size, literals, schema_path, target, public)
    _show(make_plan("robust", queries=queries, public=table, **options), as_json, plot_path)


@plan.command()
@click.option("--max-calls", type=int, default=1_000_000, show_default=True, help="Most oracle calls to spend.")
@_model("conjunction")
@_rules
@_privacy
def prsma(
    model: str,
    size: int | None,
    literals: int | None,
    schema_path: str | None,
    target: str | None,
    plot_path: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Design the Private Robust Subsampling Meta Algorithm."""
    schema = None if schema_path is None else Schema.load(schema_path)
    queries = _rule_class(model, size, literals, schema, target)
    _show(make_plan("prsma", queries=queries, **options), as_json, plot_path)


@plan.command()
@click.option("--schema", "schema_path", type=click.Path(), help="YAML or JSON schema of the table.")
@click.option("--columns", type=int, help="Number of boolean columns, instead of a schema.")
@click.option("--workload", default="marginals:3", show_default=True, help="marginals:K, conjunctions, parities …")
@_privacy
def synth(
    schema_path: str | None,
    columns: int | None,
    workload: str,
    plot_path: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Say how far a synthetic table will be from the real one."""
    if (schema_path is None) == (columns is None):
        raise ParameterError("plan synth needs either --schema or --columns")
    whole_or_none(columns, "--columns", most=MOST_COLUMNS)
    schema = Schema.load(schema_path) if schema_path is not None else None
    named = Literals.named(*(f"x{i}" for i in range(1, (columns or 0) + 1)))
    queries = workload_class(workload, named if schema is None else schema.literals)
    _show(make_plan("synth", queries=queries, schema=schema, **options), as_json, plot_path)


def workload_class(workload: str, literals: Literals) -> QueryClass:
    """The query class of a workload's name.

    >>> workload_class("marginals:2", Literals.named("a", "b", "c")).size
    22
    """
    name, _, width = workload.partition(":")
    if width and not (width.isdigit() and int(width) >= 1):
        raise ParameterError(f"--workload {workload}: the width after ':' must be a positive integer")
    most = int(width) if width else None
    if name == "marginals":
        return Conjunctions(literals.with_negations(), max_width=most or 3)
    if name == "halfspaces":
        return Halfspaces(literals, weights=(-1, 0, 1), max_nonzero=most or 3, thresholds=(0, 1, 2))
    for known in (Conjunctions, Disjunctions, Parities):
        if name == known.kind:
            return known(literals, max_width=most)
    raise ParameterError(
        f"--workload must be marginals:K, conjunctions, disjunctions, parities or halfspaces, got {name}"
    )
