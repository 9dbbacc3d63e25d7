"""``oracledp schema``: check a schema, or draft one from data declared public."""

from __future__ import annotations

import click

from oracledp.cli.common import emit, json_option
from oracledp.errors import ParameterError
from oracledp.schema import Schema


@click.group()
def schema() -> None:
    """Check a schema, or draft one from PUBLIC data."""


@schema.command()
@click.argument("path", type=click.Path())
@json_option
def check(path: str, as_json: bool) -> None:
    """Read a schema and list its columns and literals."""
    read = Schema.load(path)
    literals = [str(literal) for literal in read.literals]
    rows = [f"{column.name}: {', '.join(str(literal) for literal in column.literals)}" for column in read.columns]
    data = {"columns": list(read.names), "sizes": list(read.sizes), "literals": literals}
    emit(as_json, data, "\n".join([*rows, f"{len(read.names)} columns, {len(literals)} literals"]))


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
