"""Optimal decision lists on the binarised Adult table: seconds to a proof, seconds for a redraw, CP-SAT beside it.

usage: python benchmarks/oracles/decision_lists.py [--cp-sat] [--long]    (skips when ../shared/data is not there)

CPU seconds of one thread, exact integer weights, ties in the fixed order. Conditions are 43 features and their
negations. ``label``: signed by income; ``random``: random signs. Noise: one-sided, k-hot, at the given epsilon.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from oracledp.classes import DecisionLists
from oracledp.literals import Literals
from oracledp.oracles.base import Solution, ask
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.decision_list_search import DecisionListSearchOracle
from oracledp.oracles.problem import WeightedProblem

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "binary-tables.npz"
SHORT = ((1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (1, 2), (2, 2))
LONG = ((6, 1), (7, 1), (3, 2))


def problem(features: np.ndarray, signs: np.ndarray, length: int, width: int) -> WeightedProblem:
    """Signed records over the features and their negations."""
    literals = Literals.named(*(f"x{j}" for j in range(features.shape[1]))).with_negations()
    lists = DecisionLists(literals, length=length, width=width)
    return WeightedProblem.build(lists, np.hstack([features, 1 - features]), signs.astype(np.int64))


def noisy(made: WeightedProblem, epsilon: float, rng: np.random.Generator) -> WeightedProblem:
    """One-sided noise at the scale of the k-hot embedding; timing only, so its law need not be exact."""
    lists = made.query_class
    return made.with_costs(-rng.exponential(2 * lists.hot / epsilon, lists.part_count).astype(np.int64))


def seconds(oracle: object, made: WeightedProblem) -> tuple[float, object]:
    start = time.process_time()
    answer = ask(oracle, made)
    return time.process_time() - start, answer


def peer(made: WeightedProblem, answer: object, own: float) -> str:
    """CP-SAT on the same instance."""
    spent, other = seconds(CpSatOracle(work_limit=60), made)
    if not isinstance(other, Solution):
        return f"{'>' + format(spent, '.0f'):>9s} {spent / own:8.0f}+"
    assert other.value == answer.value
    return f"{spent:9.2f} {spent / own:8.0f}"


def main(with_cp_sat: bool, long: bool) -> None:
    tables = np.load(DATA)
    features, label = tables["adult__X"], tables["adult__y"]
    rng = np.random.default_rng(0)
    signs = {"label": np.where(label, -1, 1), "random": rng.choice([-1, 1], len(label))}
    print(f"{'48,842 rows, 43 features':36s} {'first':>9s} {'redraw':>9s}")
    for length, width in SHORT + (LONG if long else ()):
        for kind, weights in signs.items():
            made = problem(features, weights, length, width)
            for epsilon in (None, 1.0, 0.1):
                drawn = made if epsilon is None else noisy(made, epsilon, rng)
                fresh = problem(features, weights, length, width).with_costs(drawn.part_costs)
                first, _ = seconds(DecisionListSearchOracle(), fresh)
                again = fresh if epsilon is None else noisy(fresh, epsilon, rng)
                second, _ = seconds(DecisionListSearchOracle(), again)
                name = f"length {length} width {width} {kind} eps={epsilon}"
                print(f"{name:36s} {first:9.4f} {second:9.4f}", flush=True)
    small = DecisionLists(Literals.named(*(f"x{j}" for j in range(13))), length=None)
    made = WeightedProblem.build(small, np.ascontiguousarray(features[:, :13]), signs["label"].astype(np.int64))
    print(f"{'any length, 13 features (subcubes)':36s} {seconds(DecisionListSearchOracle(), made)[0]:9.4f}")
    if with_cp_sat:
        beside_cp_sat(features, signs["label"])


def beside_cp_sat(features: np.ndarray, signs: np.ndarray) -> None:
    print(f"{'1,000 rows, without noise':36s} {'first':>9s} {'CP-SAT':>9s} {'ratio':>9s}")
    for columns, length in ((10, 1), (43, 1), (10, 2), (43, 2), (10, 3)):
        made = problem(features[:1000, :columns], signs[:1000], length, 1)
        own, answer = seconds(DecisionListSearchOracle(), made)
        print(f"{f'length {length}, {columns} features':36s} {own:9.4f} {peer(made, answer, own)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cp-sat", action="store_true", help="also solve short lists with CP-SAT (minutes)")
    parser.add_argument("--long", action="store_true", help="also lengths 6 and 7, and three rules of width 2")
    arguments = parser.parse_args()
    if not DATA.is_file():
        sys.exit("skipped: the tables of ../shared/data are not there")
    main(arguments.cp_sat, arguments.long)
