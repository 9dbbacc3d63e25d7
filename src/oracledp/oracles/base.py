"""The oracle protocol: integers in, a query with a certificate out, or a failure. An oracle is never trusted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from oracledp.classes.base import Query
from oracledp.oracles.problem import WeightedProblem


class Trust(Enum):
    """What an oracle's claim of optimality rests on."""

    PROVED = "proved"  # our own terminating search, or a certificate that our checker verified
    CLAIMED = "claimed"  # a solver said so
    GUESSED = "guessed"  # a heuristic: nobody says so

    def weaker(self, than: Trust) -> bool:
        """Whether this is less than the other."""
        order = list(Trust)
        return order.index(self) > order.index(than)


NO_ANSWER = "the oracle gave no answer"
RAISED = "the oracle ended with an error"
OUT_OF_MEMORY = "the oracle ran out of memory"
NO_QUERY = "the oracle returned something that is not a query of the class"
WRONG_VALUE = "the oracle's value is not the value of its query"
WEAKER = "the oracle's answer is weaker than its promise"


@dataclass(frozen=True)
class Certificate:
    """Why a solution should be believed optimal: by whom, on what ground, after how much work."""

    trust: Trust
    method: str
    work: int = 0

    def to_json(self) -> dict[str, Any]:
        """Trust and method. The work counter depends on the data, so it is not part of a release."""
        return {"trust": self.trust.value, "method": self.method}


@dataclass(frozen=True)
class Solution:
    """A query and the exact integer value of the problem at it."""

    query: Query
    value: int
    certificate: Certificate


@dataclass(frozen=True)
class Failed:
    """The oracle's ⊥. The reason is a fixed phrase and holds nothing of the data."""

    reason: str


Answer = Solution | Failed


class Oracle(Protocol):
    """Minimises weighted problems. Each call is a function of its own problem alone (trap P6).

    ``total`` promises an answer, with a proof, to every problem the oracle supports. ``fixed_ties`` promises
    that among equal minimisers the first in the class's own order is returned (trap P3). Promises count only where the
    library made them: an oracle from outside is believed no further than
    :class:`oracledp.oracles.outside.OutsideOracle` says.
    """

    @property
    def name(self) -> str:
        """How the oracle is called on the command line and in certificates."""
        ...

    @property
    def trust(self) -> Trust:
        """The best trust that its answers can have."""
        ...

    @property
    def total(self) -> bool:
        """Whether it provably always answers."""
        ...

    @property
    def fixed_ties(self) -> bool:
        """Whether ties are broken by the fixed order of the class."""
        ...

    def solve(self, problem: WeightedProblem) -> Answer:
        """A minimiser of the problem, or a failure."""
        ...
