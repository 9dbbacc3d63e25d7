"""One measured instance: our search twice (fresh, and prepared), and its peers on the same integers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from benchmarks.engine.timing import best_of, timed, within
from oracledp.oracles.base import Failed, Oracle
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.maxsat import MaxSatOracle
from oracledp.oracles.milp import MilpOracle
from oracledp.oracles.problem import WeightedProblem

Row = dict[str, Any]
LONG_SECONDS = 3.0  # a call this long is made once: its preparation does not count

PEERS: dict[str, Oracle] = {
    "CP-SAT": CpSatOracle(work_limit=60.0),
    "RC2": MaxSatOracle(),
    "HiGHS": MilpOracle(node_limit=10**9),
    "enumeration": ExhaustiveOracle(),
}


MODULES = {
    "CP-SAT": "ortools.sat.python.cp_model",
    "cp-sat": "ortools.sat.python.cp_model",
    "RC2": "pysat.examples.rc2",
    "maxsat": "pysat.examples.rc2",
    "HiGHS": "scipy.optimize",
}


@dataclass(frozen=True)
class Settings:
    """How long a peer may take, and whether small instances will do."""

    quick: bool = False
    limit: float = 60.0
    peers: bool = True
    specialists: tuple[str, ...] = ("STreeD", "ConTree", "GOSDT")  # for trees


def unprepared(problem: WeightedProblem) -> WeightedProblem:
    """The same problem with nothing kept from earlier calls."""
    return replace(problem, cache={})


def measure(
    facts: Row, problem: WeightedProblem, oracle: Oracle, settings: Settings, peers: tuple[str, ...] = ()
) -> Row:
    """The facts of an instance with CPU seconds: ``first`` prepares and searches, ``again`` searches only."""
    fresh = unprepared(problem)
    first, answer = timed(lambda: oracle.solve(fresh))
    if isinstance(answer, Failed):
        return {
            **facts,
            "oracle": oracle.name,
            "distinct": len(problem.records),
            "spent": first,
            "failed": answer.reason,
        }
    again = first if first > LONG_SECONDS else best_of(lambda: oracle.solve(fresh))[0]
    row = {**facts, "oracle": oracle.name, "distinct": len(problem.records), "first": first, "again": again}
    row["work"], row["value"] = answer.certificate.work, answer.value
    names = peers if settings.peers else ()
    return {**row, "peers": {name: compare(name, problem, answer.value, settings.limit) for name in names}}


def compare(name: str, problem: WeightedProblem, value: int, limit: float) -> Row:
    """CPU seconds of a peer, at most ``limit``, and whether it found the same value."""
    spent = within(limit, peer_seconds, name, unprepared(problem))
    if spent is None:
        return {"seconds": limit, "finished": False}
    seconds, found = spent
    return {"seconds": seconds, "finished": found is not None, "same": found == value}


def peer_seconds(name: str, problem: WeightedProblem) -> tuple[float, int | None]:
    """The CPU seconds of one peer, its model included, and the value it found."""
    warm(name)
    seconds, answer = timed(lambda: PEERS[name].solve(problem))
    return seconds, None if isinstance(answer, Failed) else answer.value


def warm(name: str) -> None:
    """Imports are not part of what is measured."""
    if name in MODULES:
        import_module(MODULES[name])
