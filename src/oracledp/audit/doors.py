"""Public entry points as the audit runs them: small data and a source in, everything that leaves out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import exp
from operator import add
from typing import Any

from oracledp.audit.convolution import compare_released, convolved
from oracledp.audit.enumeration import Enumeration, RunLaw, law_of_runs
from oracledp.audit.exact_law import SLACK, DataSet, Finding, compare, neighbour_pairs
from oracledp.audit.law import delta_between
from oracledp.errors import OracleDPError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.lattice import SHIPPED, Lattice, on_lattice
from oracledp.randomness.source import DrawSource

TAILS = 1e-4  # at most so much probability is cut off in a walk
COARSE = Lattice(fixed_ties=0, free_ties=1)
SLOW: dict[str, Any] = {"lattice": COARSE, "base": (1, 0, 0, 0), "rows": 1, "least": 1e-6, "tails": 1e-3}


@dataclass(frozen=True)
class Seen:
    """What one run lets everybody see, and the guarantee that it prints."""

    text: str
    guarantee: Guarantee


Entry = Callable[[DataSet, Neighbours, DrawSource], Seen]


@dataclass(frozen=True)
class Door:
    """One public entry point with fixed public arguments, over all histograms of a small universe.

    ``base`` is added to every histogram: with lopsided tables the worst neighbours come close to the claim. With
    ``kinds`` only records of these kinds come and go, where a walk takes long.
    """

    name: str
    enter: Entry
    universe: int = 4
    rows: int = 2
    base: DataSet = ()
    kinds: tuple[int, ...] = ()
    relations: tuple[Neighbours, ...] = tuple(Neighbours)
    lattice: Lattice = SHIPPED
    least: float = 1e-9
    stop_at_release: bool = False
    span: tuple[int, int] | None = None  # Laplace noise beyond its ends decides nothing more
    tails: float = TAILS
    repeats: int = 1  # of coupled runs

    def pairs(self, relation: Neighbours) -> list[tuple[DataSet, DataSet]]:
        """All neighbouring tables; an empty one is any other where the number of rows is private."""
        base = self.base or (0,) * self.universe
        found = neighbour_pairs(self.universe, self.rows, relation)
        raised = [tuple(tuple(map(add, data, base)) for data in pair) for pair in found]
        kept = [pair for pair in raised if self._moves(*pair)]
        return [(one, other) for one, other in kept]

    def _moves(self, one: DataSet, other: DataSet) -> bool:
        moved = [kind for kind, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        return not self.kinds or set(moved) <= set(self.kinds)


@dataclass(frozen=True)
class FrontDoorFinding(Finding):
    """Claimed against exact, by running what ships; ``lost`` is the most that was cut off in any walk."""

    lost: float
    runs: int
    tails: float = TAILS

    @property
    def holds(self) -> bool:
        """No pair of neighbours exceeds the claim, but for what was cut off, which is little."""
        return not self.broken and self.lost <= self.tails and self.delta_high <= self._allowed

    @property
    def _allowed(self) -> float:
        return float(self.claimed.delta) + (1 + exp(float(self.claimed.epsilon))) * self.lost + SLACK

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table; the exact epsilon is the greatest that is certain."""
        exact = self.epsilon_low if self.epsilon_low < float("inf") else None
        return {**super().to_json(), "exact_epsilon": exact, "cut_off": self.lost, "runs": self.runs}


def law_through(door: Door, data: DataSet, relation: Neighbours) -> tuple[RunLaw, Guarantee | None]:
    """The exact law of everything that leaves, and the guarantee printed. An error is an output like any other."""
    printed: list[Guarantee] = []

    def run(source: DrawSource) -> Hashable:
        try:
            seen = door.enter(data, relation, source)
        except OracleDPError as error:
            return f"{type(error).__name__}: {error}"
        printed[:] = [seen.guarantee]
        return seen.text

    with on_lattice(door.lattice):
        law = law_of_runs(run, least=door.least, stop_at_release=door.stop_at_release, span=door.span)
    return law, printed[0] if printed else None


def audit_door(door: Door, relation: Neighbours, pairs: list[tuple[DataSet, DataSet]] | None = None) -> Finding:
    """All pairs of neighbours of one relation (or these), against what the runs themselves claim."""
    chosen = door.pairs(relation) if pairs is None else pairs
    laws, claimed = walked(door, relation, chosen)
    return judge(door, laws, chosen, claimed)


def walked(
    door: Door, relation: Neighbours, pairs: list[tuple[DataSet, DataSet]]
) -> tuple[dict[DataSet, RunLaw], Guarantee]:
    """The law on every table of some pairs, and what the runs claim."""
    laws: dict[DataSet, RunLaw] = {}
    claims: list[Guarantee] = []
    for data in dict.fromkeys(data for pair in pairs for data in pair):
        laws[data], claim = law_through(door, data, relation)
        claims += [] if claim is None else [claim]
    return laws, claims[0] if claims else probe(door, pairs[0][0], relation)


def probe(door: Door, data: DataSet, relation: Neighbours) -> Guarantee:
    """The guarantee that a run prints, where all walks stop before they print it."""
    with on_lattice(door.lattice):
        return door.enter(data, relation, Enumeration(0)).guarantee


def judge(
    door: Door, laws: Mapping[DataSet, RunLaw], pairs: list[tuple[DataSet, DataSet]], claimed: Guarantee
) -> FrontDoorFinding:
    """Laws of neighbours against a claim."""
    outputs = tuple(dict.fromkeys(output for law in laws.values() for output in law.masses))
    if door.stop_at_release and not any(isinstance(output, str) for output in outputs):
        dense = convolved(laws)
        found = compare_released(door.name, claimed, [(dense[a], dense[b]) for a, b in pairs])
    else:
        enclosed = {data: law.law(outputs) for data, law in laws.items()}
        found = compare(door.name, claimed, ((enclosed[a], enclosed[b]) for a, b in pairs))
        found = replace(found, delta_high=_delta(laws, outputs, pairs, claimed))
    lost = max(law.lost_share for law in laws.values())
    return FrontDoorFinding(**vars(found), lost=lost, runs=sum(law.runs for law in laws.values()), tails=door.tails)


def _delta(
    laws: Mapping[DataSet, RunLaw],
    outputs: tuple[Hashable, ...],
    pairs: list[tuple[DataSet, DataSet]],
    claimed: Guarantee,
) -> float:
    """The greatest delta at the claimed epsilon, from above: what was cut off counts once, not for every output."""
    seen = {data: law.law(outputs, spread=False) for data, law in laws.items()}
    both = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    return max(delta_between(seen[a], seen[b], claimed.epsilon)[1] + laws[a].lost_share for a, b in both)


@contextmanager
def patched(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Another value for an attribute, for a while: how the audit takes a road that small data would not take."""
    kept = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)
