"""The oracle protocol: integers in, a query with a certificate out, or a failure. An oracle is never trusted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Protocol

from oracledp.classes.base import Query
from oracledp.oracles.problem import WeightedProblem


class Trust(Enum):
    """What an oracle's claim of optimality rests on."""

    PROVED = "proved"  # our own terminating search, or a certificate that our checker verified
    CLAIMED = "claimed"  # a solver said so
    GUESSED = "guessed"  # a heuristic: nobody says so


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
    that among equal minimisers the first in the class's own order is returned (trap P3).
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


def ask(oracle: Oracle, problem: WeightedProblem) -> Answer:
    """The only door to an oracle: its answer is checked for membership and re-evaluated in integers."""
    answer = oracle.solve(problem)
    if isinstance(answer, Failed):
        return answer
    parts = answer.query.parts
    if answer.query.owner != problem.query_class or not problem.query_class.contains(parts):
        return Failed("the oracle returned something that is not a query of the class")
    value = problem.value(parts)
    if value != answer.value and oracle.trust is Trust.PROVED:
        return Failed("the oracle's value is not the value of its query")
    return replace(answer, value=value)
