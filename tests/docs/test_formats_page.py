"""docs/formats.md tells the versions that the library writes."""

from __future__ import annotations

import re
from pathlib import Path

from oracledp.game.played import FORMAT as GAME
from oracledp.learners.saving import VERSION as ESTIMATOR
from oracledp.mechanisms.release import VERSION as RULE
from oracledp.privacy.cards import VERSION as CARD
from oracledp.privacy.ledger.entries import VERSION as LEDGER
from oracledp.synthesis.linked_model import FORMAT as LINKED
from oracledp.synthesis.model import FORMAT as SYNTHETIC

PAGE = Path(__file__).parents[2] / "docs/formats.md"


def test_every_version_is_the_one_that_is_written() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \|.*\| (\d+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(number) for name, number in rows} == {
        "rule": RULE,
        "estimator": ESTIMATOR,
        "synthetic model": SYNTHETIC,
        "model of two linked tables": LINKED,
        "model of a game": GAME,
        "privacy card": CARD,
        "ledger": LEDGER,
    }
