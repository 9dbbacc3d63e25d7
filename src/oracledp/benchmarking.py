"""Our own searches against CP-SAT on the same instances, in one process: seconds and ratios, never asserted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities, QueryClass
from oracledp.literals import Literals
from oracledp.oracles.base import Failed, Oracle, ask
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import resolve


@dataclass(frozen=True)
class Case:
    """One class over ``literals`` random columns with a planted rule, on ``rows`` rows."""

    queries: QueryClass
    rows: int


def cases(quick: bool) -> Iterator[Case]:
    """Small instances that CP-SAT can finish; larger ones without ``quick``."""
    rows, literals = (500, 12) if quick else (2000, 18)
    names = Literals.named(*(f"x{j}" for j in range(literals)))
    yield Case(Conjunctions(names), rows)
    yield Case(Conjunctions(names, max_width=3), rows)
    yield Case(Disjunctions(names), rows)
    yield Case(Parities(names[:10]), rows // 2)
    yield Case(Halfspaces(names[:8], weights=(-1, 0, 1)), rows // 2)
    yield Case(Halfspaces(names[:10], max_nonzero=3, thresholds=(1, 2)), rows // 2)
    yield Case(DecisionLists(names[:8], length=2), rows // 2)


def instance(case: Case, seed: int) -> WeightedProblem:
    """Labels of a random conjunction of two, one in five flipped: a loss problem in signed weights."""
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 2, (case.rows, case.queries.dimension)).astype(np.uint8)
    labels = (records[:, 0] & records[:, 1]).astype(bool) ^ (rng.random(case.rows) < 0.2)
    weights = np.where(labels, -1, 1).astype(np.int64) * 1024
    problem = WeightedProblem.build(case.queries, records, weights)
    costs = -rng.geometric(1 / 4096, case.queries.part_count).astype(np.int64)
    return problem.with_costs(costs)


def timed(oracle: Oracle, problem: WeightedProblem) -> tuple[float, int | None]:
    """CPU seconds of one call, and the value it found."""
    start = time.process_time()
    answer = ask(oracle, problem)
    seconds = time.process_time() - start
    return seconds, None if isinstance(answer, Failed) else answer.value


def oracle_rows(*, quick: bool) -> list[dict[str, Any]]:
    """One row per case: seconds of the total oracle, and how many times longer CP-SAT takes."""
    rows = []
    for case in cases(quick):
        problem = instance(case, seed=1)
        ours = resolve("auto", case.queries)
        timed(ours, instance(case, seed=2))  # the first call pays for imports and tables of the class
        seconds, value = timed(ours, problem)
        peer_seconds, peer_value = timed(resolve("cp-sat", case.queries), problem)
        rows.append(
            {
                "class": case.queries.kind,
                "queries": case.queries.size,
                "n": case.rows,
                "d": case.queries.dimension,
                "oracle": ours.name,
                "seconds": seconds,
                "cp_sat_seconds": peer_seconds,
                "ratio_to_cp_sat": peer_seconds / max(seconds, 1e-6),
                "same_value": value == peer_value,
            }
        )
    return rows
