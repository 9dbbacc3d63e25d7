"""Optimal halfspaces on Adult: seconds to a proof, seconds for a redraw, CP-SAT and RC2 beside them.

usage: python benchmarks/oracles/halfspaces.py [--peers] [--long]     (skips when ../shared/data is not there)

CPU seconds of one thread, exact integer weights, ties in the fixed order. Dense classes: the most balanced of all
binary columns. Sparse classes: the 43 features of the binarised table, thresholds free. Dual: the record that minimises
signed 3-way conjunctions over 154 one-hot columns.
"""

import argparse
import sys
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from adult import DATA, adult

from oracledp.classes import Conjunctions, Halfspaces
from oracledp.literals import Literals
from oracledp.oracles.base import Solution, ask
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.dual_search import solve_dual
from oracledp.oracles.halfspace_search import HalfspaceSearchOracle
from oracledp.oracles.problem import WeightedProblem

TERNARY, SIGNS, POINTS = (-1, 0, 1), (-1, 1), (-3, -2, -1, 0, 1, 2, 3)
DENSE = (
    (12, TERNARY),
    (15, TERNARY),
    (16, TERNARY),
    (18, TERNARY),
    (20, SIGNS),
    (22, SIGNS),
    (10, POINTS),
    (12, POINTS),
)
DENSE_LONG = ((20, TERNARY), (24, SIGNS), (14, POINTS))
SPARSE = ((3, TERNARY), (4, TERNARY), (5, TERNARY), (4, POINTS), (5, POINTS))
SPARSE_LONG = ((6, TERNARY), (7, TERNARY))
ATTRIBUTES = (4, 9, 16, 7, 15, 6, 5, 2, 42, 10, 10, 10, 10, 8)


def timed(call: Callable[[], object]) -> tuple[float, object]:
    start = time.process_time()
    answer = call()
    return time.process_time() - start, answer


def problem(records: np.ndarray, signs: np.ndarray, **options: object) -> WeightedProblem:
    queries = Halfspaces(Literals.named(*(f"x{j}" for j in range(records.shape[1]))), **options)
    return WeightedProblem.build(queries, records, signs.astype(np.int64))


def noisy(made: WeightedProblem, epsilon: float, rng: np.random.Generator) -> WeightedProblem:
    """One-sided noise at the scale of the k-hot embedding; timing only, so its law need not be exact."""
    queries, scale = made.query_class, 2 * made.query_class.hot / epsilon
    dummies = np.sort(-rng.exponential(scale, queries.dummies).astype(np.int64))
    sizes = np.append(np.cumsum(dummies)[::-1], 0) if queries.dummies else made.size_costs
    return made.with_costs(-rng.exponential(scale, queries.part_count).astype(np.int64), sizes)


def report(name: str, made: WeightedProblem, rng: np.random.Generator) -> None:
    first, _ = timed(lambda: ask(HalfspaceSearchOracle(), made))
    again = [timed(lambda e=e: ask(HalfspaceSearchOracle(), noisy(made, e, rng)))[0] for e in (1.0, 0.1)]
    print(f"{name:40s} {first:9.4f} {again[0]:9.4f} {again[1]:9.4f}", flush=True)


def searches(long: bool) -> None:
    rng = np.random.default_rng(0)
    matrix, label = adult()
    features = np.load(DATA / "binary-tables.npz")["adult__X"]
    income = np.load(DATA / "binary-tables.npz")["adult__y"]
    print(f"{'48,842 rows':40s} {'no noise':>9s} {'eps 1':>9s} {'eps 0.1':>9s}")
    for columns, weights in DENSE + (DENSE_LONG if long else ()):
        for kind, positive in (("label", label), ("random", rng.integers(0, 2, len(label)))):
            made = problem(matrix[:, :columns], np.where(positive, -1, 1), weights=weights)
            report(f"{len(weights)} weights, {columns} columns, {kind}", made, rng)
    for budget, weights in SPARSE + (SPARSE_LONG if long else ()):
        for kind, positive in (("label", income), ("random", rng.integers(0, 2, len(income)))):
            options = {"weights": weights, "max_nonzero": budget, "thresholds": (-1, 0, 1, 2, 3)}
            made = problem(features, np.where(positive, -1, 1), **options)
            report(f"at most {budget} of 43, {len(weights)} weights, {kind}", made, rng)


def dual_instance(count: int, rng: np.random.Generator) -> tuple[Conjunctions, list, np.ndarray, list]:
    starts = np.cumsum([0, *ATTRIBUTES]).tolist()
    groups = [tuple(range(a, b)) for a, b in pairwise(starts)]
    queries = Conjunctions(Literals.named(*(f"x{j}" for j in range(starts[-1]))), max_width=3)
    chosen = [
        tuple(sorted(int(rng.choice(groups[g])) for g in rng.choice(len(groups), 3, replace=False)))
        for _ in range(count)
    ]
    return queries, chosen, rng.choice([-1, 1], count), groups


def duals(peers: bool) -> None:
    print(f"{'dual, signed 3-way queries':40s} {'search':>9s} {'RC2':>9s}")
    for count in (100, 200, 300, 1000):
        queries, chosen, weights, groups = dual_instance(count, np.random.default_rng(count))
        own, best = timed(lambda q=queries, c=chosen, w=weights, g=groups: solve_dual(q, c, w, groups=g))
        beside = ""
        if peers and count <= 200:
            spent, value = timed(lambda c=chosen, w=weights, g=groups: rc2(c, w, g))
            beside = f"{spent:9.3f}"
            assert value == best.value
        print(f"{count:>40d} {own:9.4f} {beside}", flush=True)


def rc2(chosen: list, weights: np.ndarray, groups: list) -> int:
    """The same problem as weighted MaxSAT."""
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula, top = WCNF(), groups[-1][-1] + 1
    for group in groups:
        formula.append([column + 1 for column in group])
        for a in group:
            formula.extend([[-(a + 1), -(b + 1)] for b in group if b < a])
    for parts, weight in zip(chosen, weights.tolist(), strict=True):
        if weight > 0:
            formula.append([-(column + 1) for column in parts], weight=weight)
        else:
            top += 1
            formula.extend([[-top, column + 1] for column in parts])
            formula.append([top], weight=-weight)
    with RC2(formula) as solver:
        solver.compute()
        return int(solver.cost + weights[weights < 0].sum())


def beside_cp_sat() -> None:
    matrix, label = adult()
    print(f"{'1,000 rows, label':40s} {'search':>9s} {'CP-SAT':>9s} {'ratio':>9s}")
    for columns, budget in ((12, None), (15, None), (20, 3), (43, 2)):
        made = problem(matrix[:1000, :columns], np.where(label[:1000], -1, 1), max_nonzero=budget)
        own, answer = timed(lambda m=made: ask(HalfspaceSearchOracle(), m))
        spent, other = timed(lambda m=made: ask(CpSatOracle(work_limit=60), m))
        proved = isinstance(other, Solution)
        assert not proved or other.value == answer.value
        name = f"{columns} columns, " + ("dense" if budget is None else f"at most {budget}")
        print(f"{name:40s} {own:9.4f} {'' if proved else '>'}{spent:8.2f} {spent / own:9.0f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", action="store_true", help="also CP-SAT and RC2 (minutes)")
    parser.add_argument("--long", action="store_true", help="also the largest classes (minutes)")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("skipped: the tables of ../shared/data are not there")
    searches(arguments.long)
    duals(arguments.peers)
    if arguments.peers:
        beside_cp_sat()
