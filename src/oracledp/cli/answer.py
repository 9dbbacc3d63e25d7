"""``oracledp answer``: the share of records that meet conditions, from a saved model, with an interval."""

from __future__ import annotations

import click

from oracledp.cli.common import emit, json_option
from oracledp.synthesis import Synthesizer


@click.command()
@click.argument("model", type=click.Path())
@click.argument("conditions", nargs=-1, required=True)
@click.option("--confidence", type=float, default=0.95, show_default=True)
@json_option
def answer(model: str, conditions: tuple[str, ...], confidence: float, as_json: bool) -> None:
    """The share of records that meet all CONDITIONS ('age >= 40' 'not smoker'), from a model saved by 'synth'."""
    found = Synthesizer.load(model).answer(list(conditions), confidence=confidence)
    text = f"{found.value:.4f}  ({100 * found.confidence:g} % interval {found.low:.4f} to {found.high:.4f})"
    emit(as_json, found.to_json(), text)
