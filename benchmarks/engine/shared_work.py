"""What a second thread saves: CPU seconds of the busier one, since no wall clock can be trusted beside other work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.engine import instances
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.measure import Row, Settings, unprepared
from oracledp.classes import DecisionTrees
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.decision_tree_search import DecisionTreeSearchOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.threads import set_threads
from oracledp.oracles.transforms import TransformOracle

TRIES = 5


def threads(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Trees, transforms, and batches of redraws over conjunctions: what is shared out."""
    depth, literals, columns, draws = (2, 12, 10, 50) if settings.quick else (5, 24, 50, 40)
    features = table.features[:, :12] if settings.quick else table.features
    trees = DecisionTrees(instances.named(features.shape[1]), depth=depth)
    valued = WeightedProblem.build(trees, features, instances.signs("label", table.feature_label))
    yield _row(f"trees depth={depth}", lambda: DecisionTreeSearchOracle().solve(valued))
    subsets = instances.conjunctions(table.columns[:, :literals], instances.signs("label", table.label))
    yield _row(f"transform literals={literals}", lambda: TransformOracle().solve(unprepared(subsets)))
    many = instances.conjunctions(table.columns[:, :columns], instances.signs("random", table.label))
    costs = instances.separator_costs(many, 10.0, draws)
    sizes = np.zeros((draws, len(many.size_costs)), dtype=np.int64)
    yield _row(f"redraws literals={columns}", lambda: BranchAndBoundOracle().redraw(many, costs, sizes))


def _row(case: str, call: Callable[[], Any]) -> Row:
    """``speedup``: seconds of one thread over those of the busier of two, all that only one can do included."""
    call()
    alone = min(_two_clocks(call, 1)[0] for _ in range(TRIES))
    own, others = min((_two_clocks(call, 2) for _ in range(TRIES)), key=max)  # how shares fall is chance
    facts = {"case": case, "again": alone, "busier": max(own, others), "more_work": (own + others) / alone - 1}
    return {**facts, "speedup": alone / max(own, others)}


def _two_clocks(call: Callable[[], Any], count: int) -> tuple[float, float]:
    """CPU seconds of the thread that calls, and of all others."""
    set_threads(count)
    try:
        whole, own = time.process_time(), time.thread_time()
        call()
        spent = time.thread_time() - own
        return spent, time.process_time() - whole - spent
    finally:
        set_threads(1)
