"""``oracledp quality``: real rows beside synthetic ones, in exact figures that are NOT PRIVATE."""

from __future__ import annotations

from pathlib import Path

import click

from oracledp.cli.common import csv_options, emit, json_option, memory_option, progress, quiet_option, spelled
from oracledp.cli.outputs import outputs, refuse_closed_output
from oracledp.data.output.frames import FrameShape
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.game.oracle_query import OracleQuery
from oracledp.report.comparison import compare
from oracledp.report.internal import internal_page, internal_path
from oracledp.report.quality import quality as figures
from oracledp.synthesis import Synthesizer
from oracledp.whole_files import read_saved

_MOST_DRAWN = 1_000_000
_SEEDS = 1 << 32  # that scikit-learn takes


@click.command()
@click.argument("real", type=click.Path())
@click.argument("synthetic", type=click.Path())
@click.option("--schema", "schema_path", type=click.Path(), help="Their schema; not needed where SYNTHETIC is a model.")
@click.option("--target", metavar="COLUMN", help="What models are trained to predict; by default chosen by rule.")
@click.option(
    "--page", type=click.Path(dir_okay=False), help="Write a page with pictures, too; its name must say 'internal'."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the rows and models that are drawn.")
@csv_options
@memory_option
@quiet_option
@json_option
def quality(
    real: str,
    synthetic: str,
    schema_path: str | None,
    target: str | None,
    page: str | None,
    seed: int,
    memory: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compare the rows of REAL with SYNTHETIC ones, for the eyes of those who may see REAL.

    SYNTHETIC is a file of rows, or a model saved by 'synth --model', of which as many rows are drawn. It costs no
    budget, and what it prints is exact and NOT PRIVATE: means, medians, correlations, models trained on either table.
    """
    if page is not None:
        internal_path(page)
    refuse_closed_output()
    _refuse_inputs(real, synthetic, seed)
    model = _model(synthetic) if Path(synthetic).suffix == ".json" else None
    if schema_path is not None:
        schema = spelled(Schema.load(schema_path))
    elif model is not None:
        schema = spelled(model.schema)
    else:
        raise ParameterError(f"{synthetic}: name the schema of both files with --schema")
    if target is not None:
        schema.position(target)
    with outputs(page=page) as files, progress("comparing real and synthetic rows", quiet):
        table = Table.from_address(real, schema, memory=memory)
        made = _drawn(model, table, seed) if model else Table.from_address(synthetic, schema, memory=memory)
        for path, rows in ((real, table.rows), (synthetic, made.rows)):
            if not rows:
                raise ParameterError(f"{path}: there are no rows to compare")
        found = figures(table, made, target=target, seed=seed)
        if page is not None:
            files.write_text("page", lambda: internal_page(compare(table, made, seed=seed)))
        files.settle()
    emit(as_json, found.to_json(), str(found))


def _refuse_inputs(real: str, synthetic: str, seed: int) -> None:
    """Refuse seeds that models cannot be trained by, and one file as both tables."""
    if not 0 <= seed < _SEEDS:
        raise ParameterError(f"--seed must be from 0 to {_SEEDS - 1:,}, got {seed}")
    if Path(real).exists() and Path(synthetic).exists() and Path(real).samefile(synthetic):
        raise ParameterError(f"{synthetic}: REAL and SYNTHETIC are the same file")


def _model(path: str) -> Synthesizer | OracleQuery:
    """A saved model of one table, whichever method made it."""
    saved = read_saved(path, "a synthetic model")
    if "oracledp-linked-model" in saved:
        raise ParameterError(f"{path}: this model is of linked tables: compare single ones")
    return OracleQuery.load(path) if "oracledp-game-model" in saved else Synthesizer.load(path)


def _drawn(model: Synthesizer | OracleQuery, table: Table, seed: int) -> Table:
    """As many rows of a model as there are real ones, up to a million."""
    model.shape_ = FrameShape.plain(model.schema)
    rows = min(table.rows, _MOST_DRAWN) or None
    return Table.from_columns(model.sample(rows, seed=seed).columns, table.schema)
