"""The search for the worst voters: what every part says, by its rows and its place, is changed while it tells more.

The theorem covers any function from a part's rows, and its place, to a list (proofs/vote.md). On a small table such a
function is a short table itself: a list for every place and content. Single entries are changed at random and kept
unless the exact law of ``vote``, walked through the front door, tells its neighbours apart less than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from oracledp.audit.doors import Door, audit_door
from oracledp.audit.exact_law import Finding
from oracledp.audit.vote_doors import NAMES, Part, voting
from oracledp.mechanisms.votes.approval import GRADES
from oracledp.mechanisms.votes.ballots import Graded
from oracledp.privacy.guarantee import Neighbours

Place = tuple[int, tuple[tuple[int, ...], ...]]  # a part's number and its rows in order
SHARES = (0, 1, 5, GRADES, 3 * GRADES)  # of a vote, in eighths: more than one and none are tried too
SEARCHES, STEPS = 2, 80


@dataclass
class Tabled:
    """A voter by a table, which says nothing until an entry is changed."""

    longest: int
    chance: Random
    said: dict[Place, Graded] = field(default_factory=dict)

    def __call__(self, records: Part, place: int) -> Graded:
        """The list that the table has for these rows at this place."""
        key = place, tuple(sorted(map(tuple, records.tolist())))
        return self.said.setdefault(key, [])

    def any_list(self) -> Graded:
        """Answers out of four, some of them again, each with some share of a vote; mostly whole ones."""
        length = self.chance.randint(0, self.longest)
        shares = self.chance.choices(SHARES, weights=(1, 1, 1, 6, 1), k=length)
        return list(zip(self.chance.choices(NAMES[:4], k=length), shares, strict=True))


def worst_found(name: str, relation: Neighbours, **options: Any) -> Finding:
    """The finding with the greatest δ at the claimed ε that the searches came to."""
    found = [_climbed(name, relation, Random(seed), **options) for seed in range(SEARCHES)]
    return max(found, key=lambda finding: finding.delta_high)


def _climbed(name: str, relation: Neighbours, chance: Random, **options: Any) -> Finding:
    voter = Tabled(2 * options.get("ballot", 1), chance)
    door = Door(name, voting(voter, **options), rows=1, base=(options["parts"] - 1, 0, 0, 0), kinds=(2, 3))
    best = audit_door(door, relation)
    for _ in range(STEPS):
        key = chance.choice(list(voter.said))
        kept, voter.said[key] = voter.said[key], voter.any_list()
        found = audit_door(door, relation)
        if found.delta_high < best.delta_high:
            voter.said[key] = kept
        else:
            best = found
    return best


def settings() -> dict[str, dict[str, Any]]:
    """Votes small enough to be walked some hundred times."""
    two: dict[str, Any] = {"parts": 2, "delta": Fraction(1, 20)}
    return {
        "vote:approval / worst voters": {"epsilon": 1, "ballot": 1, "form": "approval", **two},
        "vote:approval / worst voters, lists of two": {"epsilon": 2, "ballot": 2, "form": "approval", **two},
        "vote:hard / worst voters": {"epsilon": 1, "form": "hard", **two},
    }


def findings() -> Sequence[Finding]:
    """The worst voters found against each vote, under both relations."""
    return [worst_found(name, relation, **options) for name, options in settings().items() for relation in Neighbours]
