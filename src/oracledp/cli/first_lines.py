"""The first line of a raw file: names, which count as public, or a record that is about to be published as names."""

from __future__ import annotations

from pathlib import Path

import click

from oracledp.cli.common import file_given
from oracledp.data.schema.text_kinds import kind_of
from oracledp.data.table.transcoding import header_line
from oracledp.mechanisms.private_schema import InferredSchema


def warn_of_a_record(data: str, bought: InferredSchema) -> None:
    """Say on standard error that what was written may hold a record, where names of a CSV file look like values.

    It is no refusal: years and numbered columns are names, too. It follows from the names alone, and shows none.
    """
    names = () if "names" in file_given() or not header_line(Path(data)) else (*bought.schema.names, *bought.left_out)
    if any(kind_of(name).kind not in ("text", "missing") for name in names):
        click.echo(
            f"the first line of {Path(data).name} counts as names of columns, and holds numbers or dates: if it is a"
            " record, do not share what was written, and give --names",
            err=True,
        )
