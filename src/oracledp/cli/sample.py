"""``oracledp sample``: more rows from the saved model of a synthetic table, whichever method made it."""

from __future__ import annotations

import click

from oracledp.cli.common import csv_options, emit, json_option, spelled
from oracledp.cli.linked import sample_linked
from oracledp.cli.outputs import outputs, refuse_closed_output
from oracledp.cli.row_files import (
    AT_ONCE,
    MOST_AT_ONCE,
    MOST_VALUES,
    RowParts,
    refuse_format,
    refuse_rows,
    write_rows,
)
from oracledp.data.output.frames import FrameShape
from oracledp.errors import ParameterError
from oracledp.game.oracle_query import OracleQuery
from oracledp.synthesis import Synthesizer
from oracledp.whole_files import read_saved


@click.command()
@click.argument("model", type=click.Path())
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Where the rows go: .csv or .parquet.")
@click.option("--rows", type=int, help="How many rows; by default as many as the model believes there are.")
@click.option(
    "--where", multiple=True, help="What every row meets: 'age >= 40 and smoker'. May be given several times."
)
@click.option("--children-out", type=click.Path(dir_okay=False), help="Where children of two linked tables go.")
@click.option("--seed", type=int, help="Repeatable rows; harmless, since the model is released already.")
@csv_options
@json_option
def sample(
    model: str,
    out: str,
    rows: int | None,
    where: tuple[str, ...],
    children_out: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Draw rows from a MODEL saved by 'synth --model'. It costs no budget: nothing but the model is read."""
    refuse_format(out)
    refuse_closed_output()
    saved = read_saved(model, "a synthetic model")
    if "oracledp-linked-model" in saved:
        sample_linked(saved, out, children_out, rows=rows, where=where, seed=seed, as_json=as_json)
        return
    if children_out is not None:
        raise ParameterError("--children-out: this model is of one table")
    loaded = OracleQuery.load(model) if "oracledp-game-model" in saved else Synthesizer.load(model)
    measured = isinstance(loaded, Synthesizer)
    refuse_rows(rows, len(loaded.schema.columns), MOST_VALUES if measured else MOST_AT_ONCE)
    file = spelled(loaded.schema).file
    loaded.shape_ = FrameShape.plain(loaded.schema)
    with outputs(out=out) as files:
        made = _rows(loaded, rows, seed, list(where) if where else None)
        files.write("out", lambda opened: write_rows(made, out, opened, file), rescue=False)
        promise = loaded.guarantee_
        result = {"rows": made.rows, "where": list(where), "guarantee": promise.to_json(), "out": out}
        files.settle()
        emit(as_json, result, f"wrote {made.rows} rows to {out}\n{promise}")


def _rows(loaded: Synthesizer | OracleQuery, rows: int | None, seed: int | None, where: list[str] | None) -> RowParts:
    """Part by part from a measured model; a game's in one piece."""
    if isinstance(loaded, Synthesizer):
        count = loaded.sample_size(rows, where=where)
        return RowParts(count, lambda: loaded.sample_parts(count, seed=seed, where=where, most=AT_ONCE))
    frame = loaded.sample(rows, seed=seed, where=where)
    return RowParts(len(frame), lambda: iter([frame]))
