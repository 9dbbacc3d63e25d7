"""``oracledp schema``: check a schema alone or against a table, or draft one from data declared public."""

from __future__ import annotations

from typing import Any

import click

from oracledp.cli.common import emit, json_option, memory_option
from oracledp.errors import ParameterError
from oracledp.report.internal import BANNER
from oracledp.schema import Column, Schema
from oracledp.table import Table
from oracledp.table.flaws import Flaw, flaw_words, outcome_words


@click.group()
def schema() -> None:
    """Check a schema, or draft one from PUBLIC data."""


@schema.command()
@click.argument("path", type=click.Path())
@click.option(
    "--schema", "schema_path", type=click.Path(), help="Hold the table PATH against this schema: NOT PRIVATE."
)
@memory_option
@json_option
def check(path: str, schema_path: str | None, memory: str | None, as_json: bool) -> None:
    """Read the schema PATH and list its columns and literals.

    With --schema, PATH is a table: tell the operator, exactly, how many of its values the schema does not know and what
    becomes of them. These figures are INTERNAL – NOT PRIVATE: never release them.
    """
    if schema_path is None:
        if memory is not None:
            raise ParameterError("--memory is for a table, with --schema")
        _describe(Schema.load(path), as_json)
    else:
        _compare(Table.from_address(path, Schema.load(schema_path), memory=memory), as_json)


def _describe(read: Schema, as_json: bool) -> None:
    literals = [str(literal) for literal in read.literals]
    rows = [f"{column.name}: {', '.join(str(literal) for literal in column.literals)}" for column in read.columns]
    data = {"columns": list(read.names), "sizes": list(read.sizes), "literals": literals}
    emit(as_json, data, "\n".join([*rows, f"{len(read.names)} columns, {len(literals)} literals"]))


def _compare(table: Table, as_json: bool) -> None:
    assert table.mapped is not None
    pairs = list(zip(table.schema.columns, table.mapped.tolist(), strict=True))
    columns = {column.name: _reasons(column, flaws) for column, flaws in pairs}
    lines = [_line(column, flaws, table.rows) for column, flaws in pairs]
    data = {"marking": BANNER, "private": False, "rows": table.rows, "columns": columns}
    emit(as_json, data, "\n".join([f"{BANNER}: exact figures about the rows, for whoever may see these", *lines]))


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
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Where to write the schema (.yaml, .json).")
@click.option("--public", is_flag=True, help="I declare that DATA is public: bounds and categories are read from it.")
def draft(data: str, out: str, public: bool) -> None:
    """Draft a schema from DATA, which must be public."""
    if not public:
        raise ParameterError("a draft reads bounds and categories from the data; add --public only if DATA is public")
    Schema.draft(data, public=True).save(out)
    click.echo(f"wrote {out}: read it, and widen bounds and categories to what is possible, not what was seen")
