"""``oracledp verify``: whether files and their privacy card belong together, and whether they were paid for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from oracledp.cli.common import emit, json_option
from oracledp.errors import ModelError, OracleDPError, ParameterError
from oracledp.privacy.cards import Card, charged, digest_of
from oracledp.privacy.ledger import Ledger
from oracledp.whole_files import read_saved

_LARGEST_CARD = 1 << 20  # bytes


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--card", help="The privacy card of FILE; by default the one beside it that names it.")
@click.option("--key", help="The public key that must have signed the card (64 hexadecimal digits).")
@click.option("--ledger", "place", metavar="PLACE", help="The ledger that must hold the charge and know the files.")
@json_option
def verify(file: str, card: str | None, key: str | None, place: str | None, as_json: bool) -> None:
    """Check a released FILE, or all files of a privacy card: their digests, the signature, the charge.

    A file without a card is looked up in the ledger by its digest.
    """
    path, ledger = Path(file), None if place is None else Ledger.at(place)
    if not path.is_file():
        raise ParameterError(f"there is no file {file}")
    beside = path if _is_card(path) else _card_of(path) if card is None else Path(card)
    if beside is None:
        _look_up(path, key, ledger, as_json)
        return
    found = Card.load(beside)
    if beside != path and path.name not in dict(found.files):
        raise ModelError(f"{beside} is the card of other files, not of {file}")
    found.check(beside.parent, key=key, ledger=ledger, only=None if beside == path else path)
    checked = ["files"] + ["signature"] * (found.public_key is not None)
    if ledger is not None:
        checked += ["charge"] + ["delivery"] * ((found.charge.release or "") in ledger.delivered)
    missed = [what for what, named in (("whose key it is (--key)", key), ("the ledger (--ledger)", place)) if not named]
    missed += ["the other files of its card"] * (beside != path and len(found.files) > 1)
    lines = [str(found), f"checked: {', '.join(checked)}"]
    lines += [f"not checked: {', '.join(missed)}"] if missed else []
    emit(as_json, {"card": found.to_json(), "checked": checked, "not_checked": missed}, "\n".join(lines))


def _look_up(path: Path, key: str | None, ledger: Ledger | None, as_json: bool) -> None:
    """Find a file without a card among those that a ledger knows."""
    if ledger is None or key is not None:
        raise ParameterError(f"no privacy card beside {path} names it: give one with --card, or only --ledger")
    digest = digest_of(path)
    found = [one for one in ledger.delivered.values() if digest in dict(one.files).values()]
    if not found:
        raise ModelError(f"{path} is not a file that the ledger knows: it was edited, or never released from there")
    card = Card(charged(ledger, found[0].release), ledger.terms.neighbours, ledger.terms.unit, found[0].files)
    said = {"charge": card.charge.to_json(), "checked": ["charge", "delivery"], "not_checked": ["a card"]}
    emit(as_json, said, f"{card}\nchecked: charge, delivery\nnot checked: a card (none names this file)")


def _is_card(path: Path) -> bool:
    """Whether a file says that it is a card, right or wrong."""
    return "oracledp-card" in _said(path)


def _said(path: Path) -> dict[str, Any]:
    """What a file that may be a card says."""
    try:
        return read_saved(path, "a card") if path.stat().st_size <= _LARGEST_CARD else {}
    except (OracleDPError, OSError):
        return {}


def _card_of(path: Path) -> Path | None:
    """The card beside a file that names it."""
    for beside in sorted(path.parent.glob("*.json")):
        files = _said(beside).get("files") if _is_card(beside) else None
        if isinstance(files, list) and any(isinstance(one, dict) and one.get("name") == path.name for one in files):
            return beside
    return None
