"""Certified conjunctions on the Adult table: seconds to a proof, redraws per second, exact samples.

usage: python benchmarks/oracles/adult.py [--cp-sat]      (skips with a message when ../shared/data is not there)

CPU seconds of one thread, exact integer weights, ties in the fixed order. ``label``: signed by income; ``random``:
random signs. Separator noise at scale 2d/epsilon, as in the paper with its factor two corrected.
"""

import argparse
import csv
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from oracledp.classes import Conjunctions
from oracledp.literals import Literals
from oracledp.noise import discrete_laplace
from oracledp.oracles.base import ask
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.tree_sampler import sample_exponential
from oracledp.randomness import SystemRandomness

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NUMBERS = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
SOURCE = SystemRandomness()
SCALE = 1 << 10


def adult() -> tuple[np.ndarray, np.ndarray]:
    """All binary columns (deciles of numbers, values of categories), most balanced first, and the income label."""
    rows = []
    for name in ("adult-raw-train.csv", "adult-raw-test.csv"):
        with (DATA / name).open() as file:
            reader = csv.reader(file)
            header = [field.strip() for field in next(reader)]
            rows += [[field.strip().rstrip(".") for field in row] for row in reader if len(row) == 15]
    label = np.array([row[14] == ">50K" for row in rows])
    columns = []
    for c, name in enumerate(header[:14]):
        values = np.array([row[c] for row in rows])
        if name in NUMBERS:
            numbers = values.astype(float)
            columns += [numbers >= t for t in np.unique(np.quantile(numbers, np.arange(1, 10) / 10))]
        else:
            columns += [values == v for v in np.unique(values)]
    matrix = np.array([column for column in columns if 0 < column.mean() < 1]).T.astype(np.uint8)
    return matrix[:, np.argsort(np.abs(matrix.mean(axis=0) - 0.5), kind="stable")], label


def problem(records: np.ndarray, signs: np.ndarray, epsilon: int | None, width: int | None = None) -> WeightedProblem:
    """Signed weights with separator noise on the literals."""
    literals = records.shape[1]
    queries = Conjunctions(Literals.named(*(f"x{j}" for j in range(literals))), max_width=width)
    made = WeightedProblem.build(queries, records, signs.astype(np.int64) * SCALE)
    return made if epsilon is None else redrawn(made, epsilon)


def redrawn(made: WeightedProblem, epsilon: int) -> WeightedProblem:
    """The same data with fresh noise."""
    literals = made.query_class.dimension
    return made.with_costs(-discrete_laplace(2 * literals * SCALE // epsilon, literals, SOURCE))


def seconds(oracle: object, made: WeightedProblem) -> tuple[float, object]:
    start = time.process_time()
    answer = ask(oracle, made)
    return time.process_time() - start, answer


def searches(matrix: np.ndarray, label: np.ndarray, with_cp_sat: bool) -> None:
    rng = np.random.default_rng(0)
    signs = {"label": np.where(label, -1, 1), "random": rng.choice([-1, 1], len(label))}
    print(f"{'instance':34s} {'first':>9s} {'redraw':>9s} {'CP-SAT':>9s} {'ratio':>8s}")
    for kind, literals, monotone in (
        ("label", 50, True), ("label", 100, True), ("random", 50, True), ("label", 50, False), ("random", 50, False),
    ):  # fmt: skip
        records = matrix[:, :literals] if monotone else np.hstack([matrix[:, :literals], 1 - matrix[:, :literals]])
        for epsilon in (1, 10, None):
            made = problem(records, signs[kind], epsilon)
            first, answer = seconds(BranchAndBoundOracle(), made)
            again = made if epsilon is None else redrawn(made, epsilon)
            second, _ = seconds(BranchAndBoundOracle(), again)
            peer = ""
            if with_cp_sat and kind == "label" and monotone and literals == 50:
                slow, other = seconds(CpSatOracle(), made)
                same = getattr(other, "value", None) == getattr(answer, "value", None)
                peer = f"{slow:9.2f} {slow / first:8.0f}{'' if same else ' (no proof)'}"
            name = f"{'monotone' if monotone else 'negations'} {kind} d={literals} eps={epsilon}"
            print(f"{name:34s} {first:9.4f} {second:9.4f} {peer}", flush=True)


def redraws(matrix: np.ndarray, label: np.ndarray) -> None:
    signs = np.where(label, -1, 1)
    for name, rows, literals, width in (
        ("d=30, 10,000 rows", 10_000, 30, None),
        ("width 3, 100 literals", 48_842, 100, 3),
    ):
        made = problem(matrix[:rows, :literals], signs[:rows], 1, width)
        oracle = BranchAndBoundOracle()
        ask(oracle, made)
        batch = [redrawn(made, 1) for _ in range(200 if width is None else 10)]
        start = time.process_time()
        for one in batch:
            ask(oracle, one)
        each = (time.process_time() - start) / len(batch)
        print(f"redraw, {name:24s} {each:9.5f} s each, {1 / each:8.0f} per second", flush=True)


def samples(matrix: np.ndarray, label: np.ndarray) -> None:
    signs = np.where(label, -1, 1).astype(np.int64)
    for literals, width in ((43, 4), (60, 6)):
        records = np.hstack([matrix[:, :literals], 1 - matrix[:, :literals]])
        queries = Conjunctions(Literals.named(*(f"x{j}" for j in range(2 * literals))), max_width=width)
        made = WeightedProblem.build(queries, records, signs)
        start = time.process_time()
        sample_exponential([made], Fraction(1, 20), SOURCE)
        print(
            f"exponential mechanism, eps 0.1, {queries.size:.2g} queries: {time.process_time() - start:.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cp-sat", action="store_true", help="also solve with CP-SAT (minutes)")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("skipped: the Adult table of ../shared/data is not there")
    table, income = adult()
    searches(table, income, arguments.cp_sat)
    redraws(table, income)
    samples(table, income)
