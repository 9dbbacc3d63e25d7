"""The game's error over *all* conjunctions by brute force.

``python -m benchmarks.oracle_query [--quick] [--plot FILE] > rows.jsonl``

Tables come from a generator (each bit copies an earlier one three times in four), so nothing but this file is needed.
"monotone" is the class of all 2^d conjunctions, "signed" that of all 3^d with negations. One line of JSON per run:
the greatest error over the whole class, the error promised by the corrected theorem, CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

import oracledp as odp
from oracledp.bounds import Game, Shape
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.settings import DRAWS

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)


def table_of(columns: int, rows: int, seed: int) -> odp.Table:
    rng = np.random.default_rng(seed)
    codes = (rng.random((rows, columns)) < rng.uniform(0.2, 0.8, columns)).astype(np.int64)
    for j in range(1, columns):
        copy = rng.random(rows) < 0.75
        codes[copy, j] = codes[copy, rng.integers(j)]
    schema = odp.Schema({"columns": {f"c{j}": {"kind": "boolean"} for j in range(columns)}})
    return odp.Table.from_codes(codes, schema)


def cells(codes: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distribution over all 2^d records, one axis per column."""
    columns = codes.shape[1]
    index = codes @ (1 << np.arange(columns)[::-1])
    return np.bincount(index, weights=weights, minlength=1 << columns).reshape((2,) * columns)


def worst(gap: NDArray[np.float64], *, signed: bool) -> float:
    """The greatest error over all conjunctions: per column absent, true and, if signed, false."""
    for axis in range(gap.ndim):
        whole, one = gap.sum(axis=axis), gap.take(1, axis=axis)
        gap = np.stack([whole, one, gap.take(0, axis=axis)] if signed else [whole, one], axis=axis)
    return float(np.abs(gap).max())


def measure(
    columns: int, rows: int, *, signed: bool, rounds: int | None, responds_to: str, seed: int
) -> dict[str, Any]:
    table = table_of(columns, rows, seed)
    literals = table.schema.literals
    queries = odp.Conjunctions(literals.with_negations() if signed else literals)
    start = time.process_time()
    game = OracleQuery(
        table.schema, epsilon=EPSILON, delta=DELTA, queries=queries, rounds=rounds, responds_to=responds_to
    ).fit(table)
    seconds = time.process_time() - start
    real = cells(table.codes.astype(np.int64), table.counts / table.rows)
    error = worst(real - cells(game.play_.records, game.play_.shares), signed=signed)
    played = len(game.play_.queries)
    theorem = Game(Shape.of(queries.closure()), columns, columns * log(2), EPSILON, DELTA, rows, draws=DRAWS)
    return {
        "class": "signed" if signed else "monotone", "d": columns, "n": rows, "T": played, "responds_to": responds_to,
        "seed": seed, "max_error": round(error, 5), "bound_at_T": round(theorem.bound(played).error, 4),
        "best_bound": round(theorem.best().error, 4), "data_regret": round(game.record().data_regret, 4),
        "cpu_seconds": round(seconds, 1),
    }  # fmt: skip


def plan(quick: bool) -> list[dict[str, Any]]:
    sizes = [1000, 10_000, 100_000] if quick else [1000, 10_000, 100_000, 1_000_000]
    lengths = [10, 30, 100] if quick else [10, 30, 100, 300, 1000]
    classes = [(12, False)] if quick else [(12, False), (6, True)]
    by_rows = [
        {"columns": d, "rows": rows, "signed": signed, "rounds": None, "responds_to": "average"}
        for d, signed in classes
        for rows in sizes
    ]
    by_rounds = [
        {"columns": 12, "rows": 1_000_000, "signed": False, "rounds": rounds, "responds_to": mode}
        for mode in ("average", "play")
        for rounds in lengths
    ]
    return by_rows + by_rounds


def draw(lines: list[dict[str, Any]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    free = [line for line in lines if line["responds_to"] == "average" and line["n"] * line["T"] and line["default"]]
    for kind, mark in (("monotone", "o-"), ("signed", "s-")):
        mine = [line for line in free if line["class"] == kind]
        if mine:
            label = f"all {'3' if kind == 'signed' else '2'}^{mine[0]['d']} conjunctions"
            left.loglog([line["n"] for line in mine], [line["max_error"] for line in mine], mark, label=label)
    rows = sorted({line["n"] for line in free})
    anchor = next(line["max_error"] for line in free if line["n"] == rows[0])
    left.loglog(rows, [anchor * (rows[0] / n) ** 0.5 for n in rows], "k:", label="slope of n^(-1/2)")
    left.set(xlabel="rows n", ylabel="greatest error", title="rounds by rule, ε = 1")
    for mode, mark in (("average", "o-"), ("play", "s-")):
        mine = [line for line in lines if line["responds_to"] == mode and not line["default"]]
        name = "against the average (default)" if mode == "average" else "the paper's game"
        right.loglog([line["T"] for line in mine], [line["max_error"] for line in mine], mark, label=name)
        if mode == "play":
            bounds = [min(1.0, line["bound_at_T"]) for line in mine]
            right.loglog([line["T"] for line in mine], bounds, "k--", label="its bound")
    right.set(xlabel="rounds T", ylabel="greatest error", title="all 2^12 conjunctions, n = 1,000,000, ε = 1")
    right.set_ylim(bottom=1e-3)
    left.legend(loc="upper right")
    right.legend(loc="lower left")
    for axis in (left, right):
        axis.grid(alpha=0.3, which="both")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plot")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    lines = []
    for settings in plan(options.quick):
        lines.append({**measure(**settings, seed=options.seed), "default": settings["rounds"] is None})
        print(json.dumps(lines[-1]), flush=True)
    if options.plot:
        draw(lines, options.plot)
        print(f"wrote {options.plot}", file=sys.stderr)


if __name__ == "__main__":
    main()
