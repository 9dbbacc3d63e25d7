"""Do rounds of selection pay? The largest error over a whole class, with and without them.

``python -m benchmarks.rounds [--tables adult,bank] [--workloads conjunctions:4,halfspaces:3] [--epsilon 1] [--runs 2]``

One line of JSON per fit. The error is found by exhaustive search over the class and its negations, over literals
chosen from the real one-ways: a certified maximum, not a sample. Tables come from the folder in ORACLEDP_DATA; those
not at hand are skipped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

from benchmarks.synthesis.tables import load
from oracledp.classes.base import QueryClass
from oracledp.data.table import Table
from oracledp.mechanisms.objective import Minimum, Objective, minimise
from oracledp.oracles.registry import resolve
from oracledp.synthesis import Synthesizer
from oracledp.synthesis.drawing import draw_records
from oracledp.synthesis.searched import NamedClass, concrete


def largest_error(table: Table, codes: np.ndarray, queries: QueryClass) -> tuple[float, str]:
    """The largest |q(real) - q(synthetic)| over the class, and the query that reaches it."""
    closed, made = queries.closure(), Table.from_codes(codes, table.schema)
    records = np.concatenate([part.matrix(closed.literals) for part in (table, made)])
    weights = np.concatenate([-table.counts * made.rows, made.counts * table.rows])
    objective = Objective.scaled(closed, records, weights, resolution=0)
    found = minimise(resolve("auto", queries, len(records)), objective.pieces)
    assert isinstance(found, Minimum)
    return -found.value / (made.rows * table.rows), str(closed.query(*found.parts))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default="adult,bank,compas,generated")
    parser.add_argument("--workloads", default="conjunctions:4,disjunctions:4,halfspaces:3,parities:3")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    for name in options.tables.split(","):
        try:
            table, sizes = load(name)
        except FileNotFoundError as missing:
            print(f"skipped {name}: no file {missing.filename}", file=sys.stderr)
            continue
        pairs = zip(table.schema.columns, sizes, strict=True)
        masses = [table.histogram([column.name]).astype(np.float64) / table.rows for column, _ in pairs]
        workloads = options.workloads.split(",")
        classes = {
            w: concrete(NamedClass(w.split(":")[0], int(w.split(":")[1])), table.schema, masses) for w in workloads
        }
        for run in range(options.runs):
            for workload in ("marginals:3", *workloads):
                start = time.process_time()
                fitted = Synthesizer(table.schema, epsilon=options.epsilon, delta="1e-6", workload=workload).fit(table)
                codes = draw_records(fitted.model_, None, None, np.random.default_rng(0)).codes
                seconds = time.process_time() - start
                line = {"table": name, "epsilon": options.epsilon, "run": run, "workload": workload}
                line |= {"rounds": len(fitted.model_.queries), "cpu_seconds": round(seconds, 1)}
                for asked in classes if workload == "marginals:3" else [workload]:
                    line[f"error over {asked}"] = round(largest_error(table, codes, classes[asked])[0], 5)
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
