"""``vote`` through the front door with voters that want to be heard: they say whatever a process can be made to say.

A function that is not ours runs in a process of its own, and all that comes back is a list (``votes/isolation.py``).
Here that list is made on the spot, so that every split can be walked: longer than it may be, with answers named twice,
with more than a vote or none. What is counted of it must keep the promise.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.doors import Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet
from oracledp.audit.function_doors import shown, table_of
from oracledp.mechanisms.votes import mechanism as votes
from oracledp.mechanisms.votes.approval import GRADES
from oracledp.mechanisms.votes.ballots import Graded
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource

Part = NDArray[np.uint8]
Voter = Callable[[Part, int], Graded]  # a part's rows and its place among the others
NAMES = tuple(f"answer {number}" for number in range(40))


def silent(records: Part, counts: Any) -> None:
    """Stands where the caller's function does; what is counted comes from the voter."""


def voting(voter: Voter, **options: Any) -> Entry:
    """A vote over free answers whose processes say what the voter says; it may look at the part's place."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        places = iter(range(10**6))

        def apart(ballot: Any, records: Part, counts: Any, seconds: float | None = None) -> Graded:
            return voter(np.repeat(records, counts, axis=0), next(places))

        with patched(votes, "apart", apart):
            release = votes.vote(table_of(data), answers=silent, neighbours=relation, source=source, **options)
        return Seen(shown(release), release.guarantee)

    return enter


def telltale(records: Part, place: int) -> Graded:
    """Nothing, but for one kind of record (a without y): then all that might be heard too often, or need not be."""
    if not any(tuple(record) == (1, 0) for record in records.tolist()):
        return []
    twice, extra, unheard = NAMES[:1] * 2, NAMES[1:6], NAMES[6:]
    return [(name, 2 * GRADES) for name in twice] + [(name, GRADES) for name in extra] + [(name, 0) for name in unheard]


def by_place(records: Part, place: int) -> Graded:
    """The first part tells of the record, the others only of their place: a function may know which part it has."""
    return telltale(records, place) if place == 0 else [(f"part {place}", GRADES)]


def vote_doors() -> list[Door]:
    """Both forms, with two parts: enough for one record to change one of them."""
    small: dict[str, Any] = {"rows": 1, "base": (1, 0, 0, 0), "kinds": (0, 2)}
    approval: dict[str, Any] = {"epsilon": Fraction(2), "delta": Fraction(1, 20), "parts": 2, "form": "approval"}
    hard: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 20), "parts": 2, "form": "hard"}
    return [
        Door("vote:approval / any lists", voting(telltale, ballot=2, **approval), **small),
        Door("vote:approval / by place", voting(by_place, ballot=2, **approval), **small),
        Door("vote:hard / any lists", voting(telltale, **hard), **small),
    ]
