"""What is done many times or drawn once: redraws of the noise, exact samples, records against queries."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.engine import instances
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.dual_peers import DUAL_PEERS, dual_peer_seconds
from benchmarks.engine.measure import Row, Settings
from benchmarks.engine.timing import best_of, timed, within
from oracledp.classes import Halfspaces
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential, samples
from oracledp.oracles.base import Failed
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.dual_search import solve_dual
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.transforms import TransformOracle
from oracledp.randomness.source import SystemRandomness

SAMPLE_EPSILON = Fraction(1, 10)


def redraws(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Draws of the noise per second after preparation, in batches, on one core."""
    sizes = ((12, 200),) if settings.quick else ((16, 20_000), (20, 4000), (24, 200))
    for literals, draws in sizes:
        made = instances.conjunctions(table.columns[:, :literals], instances.signs("label", table.label))
        odd = instances.parities(table.columns[:, :literals], instances.signs("label", table.label))
        yield _redraw_rate("conjunctions", made, TransformOracle(), draws, 1.0)
        yield _redraw_rate("parities", odd, TransformOracle(), draws, 1.0)
        yield _redraw_rate("conjunctions", made, BranchAndBoundOracle(), max(100, draws // 20), 1.0)
    rows, literals = (1000, 16) if settings.quick else (10_000, 30)
    few = table.head(rows)
    made = instances.conjunctions(few.columns[:, :literals], instances.signs("label", few.label))
    for epsilon in (1.0, 10.0):
        yield _redraw_rate("conjunctions", made, BranchAndBoundOracle(), 500, epsilon)
    half = 8 if settings.quick else 50
    columns = instances.with_negations(table.columns[:, :half])
    made = instances.conjunctions(columns, instances.signs("label", table.label), 3)
    for epsilon in (1.0, 0.1):
        yield _hot_rate(made, epsilon)


def _redraw_rate(
    name: str, made: WeightedProblem, oracle: TransformOracle | BranchAndBoundOracle, draws: int, epsilon: float
) -> Row:
    costs = instances.separator_costs(made, epsilon, draws)
    sizes = np.zeros((draws, len(made.size_costs)), dtype=np.int64)
    prepare, _ = timed(lambda: oracle.redraw(made, costs[:1], sizes[:1]))
    seconds, _ = best_of(lambda: oracle.redraw(made, costs, sizes), most=3)
    rows, literals = made.weight_total // instances.SCALE, made.query_class.dimension
    facts = {"queries": name, "oracle": oracle.name, "n": rows, "literals": literals, "epsilon": epsilon}
    case = f"{name} {oracle.name} n={rows} literals={literals} eps={epsilon}"
    return {"case": case, **facts, "prepare": prepare, "again": seconds / draws}


def _hot_rate(made: WeightedProblem, epsilon: float) -> Row:
    """Redraws of k-hot noise over conjunctions of bounded width."""
    oracle, draws = BranchAndBoundOracle(), 20
    parts, sizes = instances.hot_costs(made, epsilon, draws)
    prepare, _ = timed(lambda: oracle.redraw(made, parts[:1], sizes[:1]))
    seconds, _ = best_of(lambda: oracle.redraw(made, parts, sizes), most=3)
    rows, literals = made.weight_total // instances.SCALE, made.query_class.dimension
    facts = {"queries": "width 3, k-hot", "oracle": oracle.name, "n": rows, "literals": literals, "epsilon": epsilon}
    case = f"width 3 k-hot n={rows} literals={literals} eps={epsilon}"
    return {"case": case, **facts, "prepare": prepare, "again": seconds / draws}


def exponential_samples(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """One exact draw of the exponential mechanism at epsilon 0.1 over classes nobody would list."""
    label = instances.signs("label", table.label) // instances.SCALE
    for half, width in ((10, 3),) if settings.quick else ((43, 4), (60, 6)):
        columns = instances.with_negations(table.columns[:, :half])
        yield _sample(f"conjunctions of width {width}", instances.conjunctions(columns, label, width))
    signs = instances.signs("label", table.feature_label) // instances.SCALE
    for length in (2,) if settings.quick else (2, 3, 4):
        columns = table.features[:, :10] if settings.quick else table.features
        yield _sample(f"lists of length {length}", instances.decision_lists(columns, signs, length))
    for budget in (2,) if settings.quick else (3, 4):
        queries = Halfspaces(instances.named(43), max_nonzero=budget, thresholds=(-1, 0, 1, 2, 3))
        made = WeightedProblem.build(queries, table.features, signs)
        yield _sample(f"halfspaces of {budget} non-zero weights", made)
    for columns_read, width in ((43, 2),) if settings.quick else ((100, 3), (100, 4)):
        odd = instances.parities(table.columns[:, :columns_read], label, width)
        yield _sample(f"parities of width {width}", odd)


def _sample(name: str, made: WeightedProblem) -> Row:
    queries = made.query_class
    facts = {"case": name, "queries": queries.size, "literals": queries.dimension, "n": made.weight_total}
    if not samples(queries):
        return {**facts, "failed": "no sampler for this class"}
    source = SystemRandomness()
    seconds, _ = best_of(lambda: sample_exponential([made], SAMPLE_EPSILON / 2, source), most=3)
    return {**facts, "again": seconds}


def duals(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """The record of least weighted sum of signed 3-way queries, 154 one-hot columns."""
    for count in (50,) if settings.quick else (100, 300, 1000):
        yield _dual(count, settings)


def _dual(count: int, settings: Settings) -> Row:
    queries, chosen, weights, groups = instances.dual_queries(count, seed=count)
    seconds, best = best_of(lambda: solve_dual(queries, chosen, weights, groups=groups))
    value = None if isinstance(best, Failed) else best.value
    row: Row = {"case": f"{count} queries", "queries": count, "again": seconds, "finished": value is not None}
    outcomes = {}
    names = DUAL_PEERS if count < 1000 else ("RC2",)  # the others do not finish
    for name in names if settings.peers else ():
        outcomes[name] = _outcome(within(settings.limit, dual_peer_seconds, name, count), value, settings.limit)
    return {**row, "peers": outcomes}


def _outcome(spent: tuple[float, int | None] | None, value: int | None, limit: float) -> Row:
    if spent is None or spent[1] is None:
        return {"seconds": limit if spent is None else spent[0], "finished": False}
    return {"seconds": spent[0], "finished": True, "same": value is None or spent[1] == value}
