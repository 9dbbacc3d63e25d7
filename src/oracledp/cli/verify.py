"""``oracledp verify``: whether files and their privacy card belong together, and whether they were paid for."""

from __future__ import annotations

from pathlib import Path

import click

from oracledp.cli.common import emit, json_option
from oracledp.privacy.cards import Card
from oracledp.privacy.ledger import Ledger


@click.command()
@click.argument("card", type=click.Path(dir_okay=False))
@click.option("--key", help="The public key that must have signed the card (64 hexadecimal digits).")
@click.option("--ledger", "place", metavar="PLACE", help="The ledger that must hold the charge.")
@json_option
def verify(card: str, key: str | None, place: str | None, as_json: bool) -> None:
    """Check the files beside a privacy CARD, its signature, and its charge."""
    found = Card.load(card)
    found.check(Path(card).parent, key=key, ledger=None if place is None else Ledger.at(place))
    checked = ["files"] + ["signature"] * (found.public_key is not None) + ["charge"] * (place is not None)
    emit(as_json, {"card": found.to_json(), "checked": checked}, f"{found}\nchecked: {', '.join(checked)}")
