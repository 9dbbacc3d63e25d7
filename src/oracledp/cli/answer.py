"""``oracledp answer``: the share of records that meet conditions, from a saved model, with an interval."""

from __future__ import annotations

import click

from oracledp.cli.common import emit, json_option
from oracledp.synthesis import Synthesizer


@click.command()
@click.argument("model", type=click.Path())
@click.argument("conditions", nargs=-1, required=True)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="How sure the interval is to be.")
@json_option
def answer(model: str, conditions: tuple[str, ...], confidence: float, as_json: bool) -> None:
    """Estimate the share of records that meet all CONDITIONS, such as 'age >= 40' 'not smoker'.

    MODEL was saved by 'synth --model'. It costs no budget: nothing but the model is read.
    """
    found = Synthesizer.load(model).answer(list(conditions), confidence=confidence)
    emit(as_json, found.to_json(), str(found))
