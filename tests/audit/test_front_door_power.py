"""The front door sees what is wrong: shipped code is broken in one place at a time, and every time the audit says so.

Each mutant changes an attribute of a shipped module, as an edit of its source would.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from breaks.learners import LEARNERS
from breaks.linked import LINKED
from breaks.mechanisms import MECHANISMS
from breaks.persons import PERSONS
from breaks.products import PRODUCTS
from breaks.small_cards import SMALL_CARDS
from oracledp.audit.front_door import Look, looks
from oracledp.audit.surrogate_loss import Uncovered
from oracledp.privacy.guarantee import Neighbours

LOOKS = {look.name: look for look in looks()}
SMALL: dict[str, dict[str, Any]] = {
    "fit card": {"kinds": (2, 3)},
    "fit auto": {"kinds": (2, 3)},
    "fit card, class weights": {"kinds": (1, 3)},
    "fit card of one line": {"kinds": (3, 4)},
    "fit card of one line, more rows": {"kinds": (3, 4)},
    "fit card of one line, class weights": {"kinds": (1, 3)},
    "rspm / free ties": {"kinds": (0, 1)},
    "rspm:separator": {"rows": 1, "base": (1, 0, 0, 0), "kinds": (0, 1)},
    "report-noisy-min": {"rows": 1, "base": (1, 0, 0, 0), "kinds": (0, 1)},
    "synthesizer / rounds": {"kinds": (1,)},
    "linked": {"kinds": (1,)},
    "linked / large budget": {"kinds": (1,)},
}
MUTANTS = {**MECHANISMS, **LEARNERS, **PERSONS, **LINKED, **PRODUCTS, **SMALL_CARDS}


def small(look: Look) -> Look:
    """The look at the pairs of neighbours that matter."""
    return replace(look, door=replace(look.door, **SMALL.get(look.door.name, {})))


@pytest.mark.parametrize("name", MUTANTS)
def test_the_front_door_sees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, broken = MUTANTS[name]
    broken(monkeypatch)
    try:
        finding = small(LOOKS[where]).finding()
    except Uncovered:
        return
    assert finding.broken, finding


@pytest.mark.parametrize(
    "where", sorted({where for where, _ in MUTANTS.values()} & {f"{n} / {r.value}" for n in SMALL for r in Neighbours})
)
def test_the_same_look_finds_nothing_wrong_with_what_is_right(where: str) -> None:
    finding = small(LOOKS[where]).finding()
    assert not finding.broken, finding
