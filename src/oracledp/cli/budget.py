"""``oracledp budget``: create and read a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from oracledp.cli.common import emit, json_option, neighbours_option
from oracledp.privacy.guarantee import show
from oracledp.privacy.ledger import Ledger


@click.group()
def budget() -> None:
    """Create a privacy budget on disk, or see what is left of one."""


@budget.command()
@click.argument("path", type=click.Path(dir_okay=False))
@click.option("--epsilon", required=True, help="The whole epsilon.")
@click.option("--delta", default="0", show_default=True, help="The whole delta.")
@neighbours_option
@json_option
def create(path: str, epsilon: str, delta: str, neighbours: str, as_json: bool) -> None:
    """Open a new budget; an existing file is never overwritten."""
    ledger = Ledger.create(path, epsilon=epsilon, delta=delta, neighbours=neighbours)
    whole = {"epsilon": str(ledger.budget[0]), "delta": str(ledger.budget[1])}
    text = f"{path}: epsilon {show(ledger.budget[0])}, delta {show(ledger.budget[1])}, {neighbours}"
    emit(as_json, {"path": path, "budget": whole, "neighbours": ledger.neighbours.value}, text)


def _remark(charge: dict[str, Any]) -> str:
    """What a reader of the ledger must not overlook."""
    return "" if charge["private"] else " (seeded: that release is NOT PRIVATE)"


@budget.command(name="show")
@click.argument("path", type=click.Path(dir_okay=False))
@json_option
def show_ledger(path: str, as_json: bool) -> None:
    """What was spent and what is left."""
    ledger = Ledger(Path(path))
    pairs = {"budget": ledger.budget, "spent": ledger.spent, "remaining": ledger.remaining}
    charges = [charge.to_json() for charge in ledger.charges]
    data = {name: {"epsilon": str(e), "delta": str(d)} for name, (e, d) in pairs.items()}
    lines = [f"{c['mechanism']}: epsilon {c['epsilon']}, delta {c['delta']}{_remark(c)}" for c in charges]
    lines += [f"{name}: epsilon {show(e)}, delta {show(d)}" for name, (e, d) in pairs.items()]
    emit(as_json, {**data, "neighbours": ledger.neighbours.value, "charges": charges}, "\n".join(lines))
