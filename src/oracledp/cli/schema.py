"""``oracledp schema``: check a schema alone or against a table, buy one from private data, or draft one from public."""

from __future__ import annotations

from typing import Any

import click

from oracledp.cli.common import (
    csv_options,
    emit,
    file_given,
    json_option,
    ledger_of,
    ledger_option,
    memory_option,
    neighbours_option,
    person_options,
    seed_options,
    source_of,
    spelled,
)
from oracledp.cli.first_lines import warn_of_a_record
from oracledp.cli.outputs import outputs, refuse_closed_output
from oracledp.data.schema import Column, FileFormat, Schema
from oracledp.data.schema.draft import draft_of
from oracledp.data.table import Table
from oracledp.data.table.flaws import Flaw, flaw_words, outcome_words
from oracledp.errors import ParameterError
from oracledp.exact.numbers import positive
from oracledp.mechanisms.mapped_counts import MappedCounts, mapped_counts
from oracledp.mechanisms.private_schema import infer_schema


@click.group()
def schema() -> None:
    """Check a schema, buy one from PRIVATE data, or draft one from PUBLIC data."""


@schema.command()
@click.argument("path", type=click.Path())
@click.option(
    "--schema", "schema_path", type=click.Path(), help="Hold the table PATH against this schema: NOT PRIVATE."
)
@click.option("--epsilon", help="With --schema: noisy figures that are private and cost this much, instead.")
@csv_options
@neighbours_option
@ledger_option
@memory_option
@json_option
def check(
    path: str,
    schema_path: str | None,
    epsilon: str | None,
    neighbours: str,
    ledger_path: str | None,
    memory: str | None,
    as_json: bool,
) -> None:
    """Read the schema PATH and list its columns and literals.

    With --schema, PATH is a table: tell the operator, exactly, how many of its values the schema does not know and what
    becomes of them. These figures are INTERNAL – NOT PRIVATE: never release them. With --epsilon they are noisy and
    private, and the budget is charged.
    """
    if schema_path is None:
        if any(option is not None for option in (memory, epsilon, ledger_path)) or file_given():
            raise ParameterError(
                "--memory, --epsilon, --ledger and what files look like are for a table, with --schema"
            )
        _describe(Schema.load(path), as_json)
    elif epsilon is None:
        if ledger_path is not None:
            raise ParameterError("--ledger needs --epsilon: exact figures are not private and cannot be paid for")
        _compare(Table.from_address(path, spelled(Schema.load(schema_path)), memory=memory), as_json)
    else:
        refuse_closed_output()
        positive(epsilon, "epsilon")
        known = spelled(Schema.load(schema_path))
        ledger = ledger_of(ledger_path, path, known)
        with outputs() as files:
            table = Table.from_address(path, known, memory=memory)
            files.printed(_look(mapped_counts(table, epsilon=epsilon, neighbours=neighbours, ledger=ledger), as_json))
            files.settle()


def _describe(read: Schema, as_json: bool) -> None:
    literals = [str(literal) for literal in read.literals]
    rows = [f"{column.name}: {', '.join(str(literal) for literal in column.literals)}" for column in read.columns]
    data = {"columns": list(read.names), "sizes": list(read.sizes), "literals": literals}
    emit(as_json, data, "\n".join([*rows, f"{len(read.names)} columns, {len(literals)} literals"]))


def _compare(table: Table, as_json: bool) -> None:
    from oracledp.report.quality import BANNER  # with the synthesizers that it compares: only where it is needed

    assert table.mapped is not None
    pairs = list(zip(table.schema.columns, table.mapped.tolist(), strict=True))
    columns = {column.name: _reasons(column, flaws) for column, flaws in pairs}
    lines = [_line(column, flaws, table.rows) for column, flaws in pairs]
    data = {"marking": BANNER, "private": False, "rows": table.rows, "columns": columns}
    emit(as_json, data, "\n".join([f"{BANNER}: exact figures about the rows, for whoever may see these", *lines]))


def _look(found: MappedCounts, as_json: bool) -> str:
    """Noisy counts, and which columns the schema does not seem to fit."""
    suspects = found.suspects()
    lines = [f"{column}: about {max(0, count):,} rows mapped" for column, count in found.counts.items()]
    lines += [f"{column}: most values are unknown to the schema; is it the right one?" for column in suspects]
    lines += [f"of about {max(0, found.rows):,} rows; each figure within {found.margin():,} (99.9 %)"]
    return emit(as_json, {**found.to_json(), "suspects": list(suspects)}, "\n".join([*lines, str(found.guarantee)]))


def _reasons(column: Column, flaws: list[int]) -> dict[str, Any]:
    found = {
        flaw.name.lower(): {"rows": rows, "why": flaw_words(column, flaw), "becomes": outcome_words(column, flaw)}
        for flaw, rows in zip(Flaw, flaws, strict=True)
        if rows
    }
    return {"mapped": sum(flaws), "reasons": found}


def _line(column: Column, flaws: list[int], rows: int) -> str:
    reasons = [
        f"{count:,} {flaw_words(column, flaw)} -> {outcome_words(column, flaw)}"
        for flaw, count in zip(Flaw, flaws, strict=True)
        if count
    ]
    return f"{column.name}: {sum(flaws):,} of {rows:,} mapped" + (": " + "; ".join(reasons) if reasons else "")


@schema.command()
@click.argument("data", type=click.Path())
@click.option("--epsilon", required=True, help="Privacy parameter, exact: 0.1 or 1/3.")
@click.option("--delta", required=True, help="Privacy parameter, for instance 1e-7.")
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Where to write the schema (.yaml).")
@csv_options
@neighbours_option
@person_options
@ledger_option
@seed_options
@json_option
def infer(
    data: str,
    epsilon: str,
    delta: str,
    out: str,
    neighbours: str,
    person: str | None,
    rows_per_person: int | None,
    ledger_path: str | None,
    seed: int | None,
    insecure_seed: bool,
    as_json: bool,
) -> None:
    """Buy a schema of the PRIVATE table DATA: kinds, bounds, cuts, categories and missing values, with noise.

    The names of the columns count as public. The file says in comments what was paid for what; edit it as you like.
    """
    refuse_closed_output()
    ledger, source = ledger_of(ledger_path, data), source_of(seed, insecure_seed)
    with outputs(out=out) as files:
        found = infer_schema(
            data, epsilon=epsilon, delta=delta, neighbours=neighbours, file=file_given(), person=person,
            rows_per_person=rows_per_person, ledger=ledger, source=source,
        )  # fmt: skip
        files.write_text("out", found.to_yaml)
        lines = [f"left out: {name}: {why}" for name, why in found.left_out.items()]
        words = [f"wrote {out}: {len(found.schema.names)} columns; read it, and correct what you know better", *lines]
        emit(as_json, {"out": out, **found.to_json()}, "\n".join([*words, str(found.guarantee)]))
        warn_of_a_record(data, found)
        files.settle()


@schema.command()
@click.argument("data", type=click.Path())
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Where to write the schema (.yaml, .json).")
@click.option("--public", is_flag=True, help="I declare that DATA is public: bounds and categories are read from it.")
@csv_options
@json_option
def draft(data: str, out: str, public: bool, as_json: bool) -> None:
    """Draft a schema from DATA, which must be public."""
    if not public:
        raise ParameterError("a draft reads bounds and categories from the data; add --public only if DATA is public")
    found = draft_of(data, FileFormat(**file_given()))
    drafted = Schema(found.definition)
    drafted.save(out)
    words = [f"wrote {out}: read it, and widen bounds and categories to what is possible, not what was seen"]
    words += [f"left out: {name}: {why}" for name, why in found.left_out.items()]
    emit(as_json, {"out": out, "schema": drafted.to_json(), "left_out": found.left_out}, "\n".join(words))
