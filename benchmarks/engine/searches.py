"""Searches to a proof: conjunctions, parities, halfspaces, decision lists, each beside its peers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.engine import instances
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.labelled import Bits
from benchmarks.engine.measure import Row, Settings, measure, unprepared
from oracledp.classes import Halfspaces
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.decision_list_search import DecisionListSearchOracle
from oracledp.oracles.halfspace_search import HalfspaceSearchOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import resolve

EPSILONS = (1.0, 10.0, None)
TERNARY, SIGNS, POINTS = (-1, 0, 1), (-1, 1), (-3, -2, -1, 0, 1, 2, 3)
HARD = {("random", 50, None), ("random", 100, 10.0), ("random", 100, None)}  # negations: half a minute or more


def monotone(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Conjunctions of any width without negations, on all rows, with separator noise."""
    for literals in (12,) if settings.quick else (20, 30, 50, 100):
        for kind in ("label", "random", "product"):
            columns = table.columns[:, :literals]
            weights = instances.signs(kind, table.label)
            if kind == "product":
                columns, weights = instances.against_product(columns)
            made = instances.conjunctions(columns, weights)
            for epsilon in EPSILONS:
                yield _conjunction(made, kind, epsilon, settings, _monotone_peers(kind, literals, epsilon))


def _monotone_peers(kind: str, literals: int, epsilon: float | None) -> tuple[str, ...]:
    """CP-SAT on labels, and on random signs while it can finish; the others on the easiest instances."""
    if kind == "random":
        return ("CP-SAT",) if literals <= 30 and epsilon == 10 else ()
    if kind == "product":
        return ()
    if epsilon != 1 or literals > 30:
        return ("CP-SAT",)
    return ("CP-SAT", "RC2", "HiGHS", "enumeration") if literals <= 20 else ("CP-SAT", "RC2")


def negations(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Conjunctions of any width with negations, on all rows; and one instance small enough for the peers."""
    for literals in (8,) if settings.quick else (20, 30, 50, 100):
        columns = instances.with_negations(table.columns[:, :literals])
        for kind in ("label", "random"):
            made = instances.conjunctions(columns, instances.signs(kind, table.label))
            for epsilon in EPSILONS:
                if (kind, literals, epsilon) not in HARD:
                    yield _conjunction(made, kind, epsilon, settings, ())
    few = table.head(1000)
    columns = instances.with_negations(few.columns[:, : 8 if settings.quick else 20])
    made = instances.conjunctions(columns, instances.signs("random", few.label))
    yield _conjunction(made, "random", 10.0, settings, ("CP-SAT", "RC2", "HiGHS"))


def hardest(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Random labels on 100 balanced literals (50 columns and their negations), without noise."""
    if settings.quick:
        return
    columns = instances.with_negations(table.columns[:, :50])
    made = instances.conjunctions(columns, instances.signs("random", table.label))
    yield _conjunction(made, "random", None, settings, ())


def _conjunction(
    made: WeightedProblem, kind: str, epsilon: float | None, settings: Settings, peers: tuple[str, ...]
) -> Row:
    noisy = unprepared(made.with_noise(instances.separator_costs(made, epsilon)[0]))
    rows, literals = made.weight_total // instances.SCALE, made.query_class.dimension
    facts = {
        "case": f"{kind} n={rows} literals={literals} eps={epsilon}",
        "kind": kind,
        "n": rows,
        "literals": literals,
    }
    return measure({**facts, "epsilon": epsilon}, noisy, BranchAndBoundOracle(), settings, peers)


def parities(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Parities of any width by Walsh–Hadamard, random labels at epsilon 10; and of width 3 over 100 literals."""
    few = table.head(1000)
    for literals in (8,) if settings.quick else (12, 15, 20, 24):
        columns = few.columns[:, :literals]
        yield _parity(columns, None, few, settings, _up_to(literals, all_four=12, enumeration=15, cp_sat=20))
    if not settings.quick:
        yield _parity(table.columns[:, :100], 3, table, settings, ())


def _up_to(size: int, *, all_four: int, enumeration: int, cp_sat: int) -> tuple[str, ...]:
    """The peers that can be expected to finish an instance of this size, and the first that cannot."""
    if size <= all_four:
        return ("CP-SAT", "RC2", "HiGHS", "enumeration")
    if size <= enumeration:
        return ("CP-SAT", "enumeration")
    return ("CP-SAT",) if size <= cp_sat else ()


def _parity(columns: Bits, width: int | None, table: BenchmarkTable, settings: Settings, peers: tuple[str, ...]) -> Row:
    made = instances.parities(columns, instances.signs("random", table.label), width)
    queries = made.query_class
    noisy = unprepared(made.with_noise(instances.separator_costs(made, 10.0)[0]))
    facts = {"case": f"n={table.rows} literals={queries.dimension} width={width}", "n": table.rows, "width": width}
    return measure({**facts, "literals": queries.dimension}, noisy, resolve("auto", queries), settings, peers)


def halfspaces(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Dense classes on the most balanced columns, sparse ones on the features, and small ones beside the peers."""
    dense = (
        ((8, TERNARY),) if settings.quick else ((15, TERNARY), (16, TERNARY), (18, TERNARY), (22, SIGNS), (12, POINTS))
    )
    sparse = (
        ((2, TERNARY),) if settings.quick else ((3, TERNARY), (4, TERNARY), (5, TERNARY), (4, POINTS), (6, TERNARY))
    )
    for kind in ("label", "random"):
        for count, weights in dense:
            signs = instances.signs(kind, table.label)
            yield _halfspace(table.columns[:, :count], signs, kind, settings, (), weights=weights)
        for budget, weights in sparse:
            signs, free = instances.signs(kind, table.feature_label), (-1, 0, 1, 2, 3)
            options = {"weights": weights, "max_nonzero": budget, "thresholds": free}
            yield _halfspace(table.features, signs, kind, settings, (), **options)
    few = table.head(1000)
    for count in (8,) if settings.quick else (12, 15):
        peers = _up_to(count, all_four=12, enumeration=12, cp_sat=15)
        yield _halfspace(few.columns[:, :count], instances.signs("label", few.label), "label", settings, peers)


def _halfspace(
    columns: Bits, signs: instances.Weights, kind: str, settings: Settings, peers: tuple[str, ...], **options: object
) -> Row:
    queries = Halfspaces(instances.named(columns.shape[1]), **options)  # type: ignore[arg-type]
    made = WeightedProblem.build(queries, columns, signs)
    budget = queries.budget if queries.sparse else None
    shape = f"weights {{{','.join(map(str, queries.weights))}}}"
    shape += "" if budget is None else f", at most {budget} non-zero"
    facts = {"n": len(columns), "literals": columns.shape[1], "points": len(queries.weights), "nonzero": budget}
    case = f"{kind} n={len(columns)} d={columns.shape[1]} {shape}"
    return measure({"case": case, "kind": kind, **facts}, made, HalfspaceSearchOracle(), settings, peers)


def decision_lists(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Lists over the features and their negations by length and width, and short ones beside the peers."""
    sizes = (
        ((1, 1), (2, 1)) if settings.quick else ((1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (1, 2), (2, 2), (6, 1), (3, 2))
    )
    for length, width in sizes:
        for kind in ("label", "random"):
            signs = instances.signs(kind, table.feature_label)
            yield _list(table.features, signs, kind, length, width, settings, ())
    few = table.head(1000)
    signs = instances.signs("label", few.feature_label)
    for columns, length in ((6, 1), (6, 2)) if settings.quick else ((10, 1), (43, 1), (10, 2), (43, 2), (10, 3)):
        peers = _up_to(columns * length, all_four=20, enumeration=43, cp_sat=86)
        yield _list(few.features[:, :columns], signs, "label", length, 1, settings, peers)


def _list(
    columns: Bits,
    signs: instances.Weights,
    kind: str,
    length: int,
    width: int,
    settings: Settings,
    peers: tuple[str, ...],
) -> Row:
    made = instances.decision_lists(np.ascontiguousarray(columns), signs, length, width)
    facts = {"n": len(columns), "literals": columns.shape[1], "length": length, "width": width}
    case = f"{kind} n={len(columns)} d={columns.shape[1]} length={length} width={width}"
    return measure({"case": case, "kind": kind, **facts}, made, DecisionListSearchOracle(), settings, peers)
