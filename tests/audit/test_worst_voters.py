"""The worst voters that a search finds come close to the promise of a vote, and never past it; past broken ones."""

from __future__ import annotations

from typing import Any

import pytest

from breaks.mechanisms import MECHANISMS
from oracledp.audit.worst_voters import settings, worst_found
from oracledp.privacy.guarantee import Neighbours

NAMES = tuple(settings())


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("name", NAMES)
def test_no_voters_are_found_that_break_the_promise(name: str, relation: Neighbours) -> None:
    found = worst_found(name, relation, **settings()[name])
    assert found.holds, found
    assert found.delta_high > 0.8 * float(found.claimed.delta)  # so the search knows how to look


@pytest.mark.parametrize(
    "broken", ["a vote with half the silence", "every part sees all rows", "a list longer than it may be"]
)
def test_the_search_finds_voters_against_a_vote_that_is_broken(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MECHANISMS[broken][1](monkeypatch)
    options: dict[str, Any] = settings()[NAMES[1]]
    assert worst_found(NAMES[1], Neighbours.ADD_REMOVE, **options).broken
