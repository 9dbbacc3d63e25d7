"""Error and CPU time of synthesizers.

``python -m benchmarks.synthesis.run [--methods oracledp,aim] [--tables adult] [--epsilons 1] [--runs 3]``

Prints one line of JSON per run and keeps it in ``results/accuracy.jsonl``. Tables come from the folder in
ORACLEDP_DATA; those not at hand are skipped. AIM and MST run in the environment whose python is named by ORACLEDP_PEERS
(peers.py says what it needs), at most fifteen minutes each; without it they are skipped. Their tables are kept in
``--keep``, if given, so that another metric does not mean another run.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from benchmarks.synthesis.metrics import Codes, errors, rows_of
from benchmarks.synthesis.results import record
from benchmarks.synthesis.tables import NAMES, load

from oracledp.data.table import Table
from oracledp.synthesis import Synthesizer

PATIENCE = 900


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--methods", default="oracledp,aim,mst")
    parser.add_argument("--tables", default=",".join(NAMES))
    parser.add_argument("--epsilons", default="0.1,1,3")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    keep = options.keep or Path(tempfile.mkdtemp())
    record("accuracy", lines(options, keep), ("table", "method", "epsilon"))


def lines(options: argparse.Namespace, keep: Path) -> Iterator[dict[str, Any]]:
    for name in options.tables.split(","):
        try:
            table = load(name)[0]
        except FileNotFoundError as missing:
            print(f"skipped {name}: no file {missing.filename}", file=sys.stderr)
            continue
        for method in options.methods.split(","):
            for epsilon in options.epsilons.split(","):
                for run in range(options.runs):
                    made = (
                        own(table, epsilon) if method == "oracledp" else peer(method, name, table, epsilon, run, keep)
                    )
                    if made is None:
                        continue
                    codes, cost = made
                    yield (
                        {"table": name, "method": method, "epsilon": epsilon, "run": run} | errors(table, codes) | cost
                    )


def own(table: Table, epsilon: str) -> tuple[Codes, dict[str, float]]:
    start = time.process_time()
    made = Synthesizer(table.schema, epsilon=epsilon, delta="1e-6").fit(table).sample().to_numpy(np.int64)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return made, {"cpu_seconds": round(time.process_time() - start, 1), "megabytes": round(megabytes)}


def peer(
    method: str, name: str, table: Table, epsilon: str, run: int, keep: Path
) -> tuple[Codes, dict[str, float]] | None:
    out = keep / f"{name}-{method}-{epsilon}-{run}.npz"
    if not out.exists():
        python = os.environ.get("ORACLEDP_PEERS")
        if python is None:
            print(f"skipped {method}: ORACLEDP_PEERS names no python that has it", file=sys.stderr)
            return None
        keep.mkdir(parents=True, exist_ok=True)
        source = keep / f"{name}.npz"
        np.savez_compressed(source, codes=rows_of(table), sizes=np.array(table.schema.sizes))
        command = [python, str(Path(__file__).with_name("peers.py")), str(source), method, epsilon, str(out)]
        try:
            subprocess.run(command, check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except subprocess.SubprocessError as failure:
            print(f"{method} on {name} at {epsilon}: {failure}", file=sys.stderr)
            return None
    made = np.load(out)
    cost = {"cpu_seconds": round(float(made["cpu_seconds"]), 1), "megabytes": round(float(made["megabytes"]))}
    return made["codes"], cost


if __name__ == "__main__":
    main()
