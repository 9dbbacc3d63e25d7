"""``oracledp answer``: shares of records that meet conditions, also by groups, from a saved model, with intervals."""

from __future__ import annotations

from typing import Any

import click

from oracledp.cli.common import emit, json_option
from oracledp.errors import ParameterError
from oracledp.synthesis import Synthesizer


@click.command()
@click.argument("model", type=click.Path())
@click.argument("conditions", nargs=-1)
@click.option("--by", multiple=True, metavar="COLUMN", help="A line for each group of COLUMN. May be given repeatedly.")
@click.option("--together", is_flag=True, help="With --by: all intervals hold at once, with the same confidence.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="How sure the interval is to be.")
@json_option
def answer(
    model: str, conditions: tuple[str, ...], by: tuple[str, ...], together: bool, confidence: float, as_json: bool
) -> None:
    """Estimate the share of records that meet all CONDITIONS, such as 'age >= 40' 'not smoker'.

    With --by, the share of every group among all records. MODEL was saved by 'synth --model'. It costs no budget:
    nothing but the model is read.
    """
    if not conditions and not by:
        raise ParameterError("give conditions such as 'age >= 40', or --by COLUMN")
    if together and not by:
        raise ParameterError("--together is for the intervals of --by")
    loaded = Synthesizer.load(model)
    found: Any = (
        loaded.answer_by(*by, where=list(conditions), confidence=confidence, together=together)
        if by
        else loaded.answer(list(conditions), confidence=confidence)
    )
    emit(as_json, found.to_json(), str(found))
