"""The largest error over *all* conjunctions of binary columns, by brute force.

``python -m benchmarks.synthesis.conjunctions [--columns 8,10,12]``

All 2^d monotone conjunctions and all 3^d conjunctions of literals are answered at once by transforms of the 2^d table.
The data are drawn from a fixed random tree of binary columns; the error should fall as the number of rows grows. With
``--searched`` all conjunctions are in the workload too, so that rounds of the game look for the worst of them.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from benchmarks.synthesis.results import record
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.synthesis import Synthesizer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", default="8,10,12")
    parser.add_argument("--rows", default="500,2000,8000,32000,128000")
    parser.add_argument("--epsilons", default="1")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--searched", action="store_true")
    record("conjunctions", lines(parser.parse_args()), ("columns", "rows", "epsilon", "searched"))


def lines(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for d in map(int, options.columns.split(",")):
        schema = Schema({"columns": {f"c{i}": {"kind": "boolean"} for i in range(d)}})
        workload = {"marginals:3": 1, f"conjunctions:{d}": 1} if options.searched else "marginals:3"
        for rows in map(int, options.rows.split(",")):
            for epsilon in options.epsilons.split(","):
                for run in range(options.runs):
                    codes = random_tree(d, rows, np.random.default_rng([d, rows, run]))
                    table = Table.from_codes(codes, schema)
                    start = time.process_time()
                    made = Synthesizer(schema, epsilon=epsilon, delta="1e-6", workload=workload).fit(table).sample()
                    seconds = time.process_time() - start
                    gap = histogram(codes) - histogram(made.to_numpy(np.int64))
                    yield {
                        "columns": d,
                        "rows": rows,
                        "epsilon": epsilon,
                        "searched": options.searched,
                        "run": run,
                        "all_2d": round(float(np.abs(monotone(gap)).max()), 6),
                        "all_3d": round(float(np.abs(every(gap)).max()), 6),
                        "cpu_seconds": round(seconds, 1),
                    }


def random_tree(d: int, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Each column copies an earlier one with some noise; the law is the same for every number of rows."""
    law = np.random.default_rng(d)
    codes = np.empty((rows, d), dtype=np.int64)
    for column in range(d):
        parent = codes[:, law.integers(column)] if column else np.zeros(rows, dtype=np.int64)
        codes[:, column] = rng.random(rows) < law.uniform(0.1, 0.9, 2)[parent]
    return codes


def histogram(codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shares of the 2^d records, as an array of d axes of size two."""
    d = codes.shape[1]
    index = codes @ (1 << np.arange(d)[::-1])
    return (np.bincount(index, minlength=1 << d) / len(codes)).reshape((2,) * d)


def monotone(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of records with all of a set of columns true, for every set."""
    for axis in range(table.ndim):
        free = table.sum(axis=axis)
        table = np.stack([free, np.take(table, 1, axis=axis)], axis=axis)
    return table


def every(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of records that meet each conjunction of literals: every column false, true or free."""
    for axis in range(table.ndim):
        table = np.concatenate([table, table.sum(axis=axis, keepdims=True)], axis=axis)
    return table


if __name__ == "__main__":
    main()
