"""How error, time and memory move with budget, rows and rounds.

``python -m benchmarks.synthesis.curves [--what epsilon,rows,rounds] [--runs 3]``

``epsilon``: the generated table and adult-bin24 from 0.05 to 10. ``rows``: the generated law with 1,000 to 256,000 rows
at epsilon 1. ``rounds``: adult-bin24 at epsilon 1 with conjunctions of at most six literals in the workload, found in
more and more rounds of the game instead of as many as the rule says; no rounds is the default workload. Each run is a
process of its own; its memory is the peak of the whole process while it fits and samples.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from benchmarks.synthesis.metrics import errors
from benchmarks.synthesis.results import record
from benchmarks.synthesis.tables import generated, load

from oracledp.synthesis import Synthesizer, program

EPSILONS = ("0.05", "0.1", "0.3", "1", "3", "10")
ROUNDS = (0, 2, 4, 8, 16, 32)
ROWS = (1_000, 4_000, 16_000, 64_000, 256_000)
KEPT = ("max2", "max3", "tv2", "tv3", "conj_max", "conj_mean")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--what", default="epsilon,rows,rounds")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--one", nargs=4, metavar=("TABLE", "ROWS", "EPSILON", "ROUNDS"), help="a single run, in this process"
    )
    options = parser.parse_args()
    if options.one:
        name, rows, epsilon, rounds = options.one
        print(json.dumps(one(name, int(rows), epsilon, int(rounds))))
        return
    plans: list[tuple[str, str, int, str, int]] = []
    if "epsilon" in options.what:
        plans += [("epsilon", name, 0, epsilon, 0) for name in ("generated", "adult-bin24") for epsilon in EPSILONS]
    if "rows" in options.what:
        plans += [("rows", "generated", rows, "1", 0) for rows in ROWS]
    if "rounds" in options.what:
        plans += [("rounds", "adult-bin24", 0, "1", rounds) for rounds in ROUNDS]
    record("curves", lines(plans, options.runs), ("curve", "table", "size", "epsilon", "rounds"))


def lines(plans: list[tuple[str, str, int, str, int]], runs: int) -> Iterator[dict[str, Any]]:
    for curve, table, rows, epsilon, rounds in plans:
        for run in range(runs):
            case = ["--one", table, str(rows), epsilon, str(rounds)]
            command = [sys.executable, "-m", "benchmarks.synthesis.curves", *case]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"skipped {table}: {done.stderr.splitlines()[-1]}", file=sys.stderr)
                break
            plan = {"curve": curve, "table": table, "size": rows, "epsilon": epsilon, "rounds": rounds}
            yield plan | {"run": run} | json.loads(done.stdout)


def one(name: str, rows: int, epsilon: str, rounds: int) -> dict[str, float]:
    """One table, one fit: errors, CPU seconds and the peak of memory."""
    table = generated(rows) if rows else load(name)[0]
    forget_peak()
    start = time.process_time()
    workload = {"marginals:3": 1, "conjunctions:6": 1} if rounds else "marginals:3"
    program.rounds = lambda *_: rounds
    made = (
        Synthesizer(table.schema, epsilon=epsilon, delta="1e-6", workload=workload)
        .fit(table)
        .sample()
        .to_numpy(np.int64)
    )
    seconds = time.process_time() - start
    megabytes = peak()
    found = errors(table, made, kinds=())
    return {key: found[key] for key in KEPT} | {"cpu_seconds": round(seconds, 2), "megabytes": round(megabytes)}


def forget_peak() -> None:
    """Let the peak of memory start anew, where the system offers that."""
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")


def peak() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
