"""``oracledp predict``: a saved rule applied to the rows of another file."""

from __future__ import annotations

import codecs
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import click
import numpy as np

from oracledp.cli.common import (
    csv_options,
    emit,
    json_option,
    memory_option,
    progress,
    quiet_option,
    spelled,
    strict_option,
)
from oracledp.cli.outputs import outputs, refuse_closed_output
from oracledp.cli.row_files import refuse_format
from oracledp.cli.saved_rules import Places, SavedRule, load_rule
from oracledp.data.schema import Schema
from oracledp.data.table.rows import open_rows
from oracledp.data.table.transcoding import is_utf8
from oracledp.scratch import private_folder

MOST_TOLD = 20  # different predictions
_CHUNK = 1 << 20  # characters


@click.command()
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Where the rows go: .csv or .parquet.")
@click.option("--schema", "schema_path", type=click.Path(), help="The schema of a rule that was saved without one.")
@click.option("--column", default="predicted", show_default=True, help="The name of the new column.")
@click.option("--alone", is_flag=True, help="Write the new column only, in the order of the rows.")
@csv_options
@memory_option
@strict_option
@quiet_option
@json_option
def predict(
    model: str,
    data: str,
    out: str,
    schema_path: str | None,
    column: str,
    alone: bool,
    memory: str | None,
    strict: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write the rows of DATA with what the rule in MODEL predicts for each.

    MODEL was written by 'learn --out' or by an estimator's 'save'. DATA is a CSV, Parquet or Arrow file, or a folder of
    Parquet files; it needs the columns that the rule reads, not the one that it predicts. No budget is needed: the rule
    is released already. The rows of DATA are written as they are, and nothing protects them.
    """
    refuse_format(out)
    refuse_closed_output()
    rule = load_rule(model, None if schema_path is None else Schema.load(schema_path))
    with outputs(out=out) as files, progress("applying the rule", quiet), private_folder() as folder:
        made = folder / f"rows{Path(out).suffix}"
        reads = spelled(rule.reads)
        with open_rows(data, reads, memory=memory) as rows:
            if not alone:
                rows.refuse_known(column)
            places = rule.predict(rows, strict)
            rows.write(made, column, rule.labels, places, alone=alone, spelled=reads.file)
        files.write("out", _copying(made, reads.file.encoding), rescue=False)
        emit(as_json, *_told(rule, places, column, out))
        files.settle()


def _copying(made: Path, encoding: str) -> Callable[[BinaryIO], None]:
    """Write a finished file; a CSV file in the encoding of the one that was read."""

    def write(file: BinaryIO) -> None:
        if made.suffix != ".csv" or is_utf8(encoding):
            with made.open("rb") as rows:
                shutil.copyfileobj(rows, file)
            return
        encoder = codecs.getincrementalencoder(encoding)(errors="replace")
        with made.open("r", encoding="utf-8", newline="") as text:
            while part := text.read(_CHUNK):
                file.write(encoder.encode(part))

    return write


def _told(rule: SavedRule, places: Places, column: str, out: str) -> tuple[dict[str, Any], str]:
    counts = np.bincount(places, minlength=len(rule.labels)).tolist()
    many = len(rule.labels) > MOST_TOLD
    predicted = {str(label): count for label, count in zip(rule.labels, counts, strict=True) if count or not many}
    result = {
        "rows": len(places), "column": column, "predicted": predicted, "rule": rule.words,
        "guarantee": rule.guarantee.to_json(), "out": out,
    }  # fmt: skip
    shares = ", ".join(f"{label} {count:,} times" for label, count in predicted.items())
    if len(predicted) > MOST_TOLD:
        shares = f"{len(predicted)} different values"
    return result, f"wrote {len(places):,} rows to {out}; {column}: {shares}"
