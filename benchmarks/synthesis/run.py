"""Error and CPU time of the synthesizer: ``run.py [--tables adult,bank] [--epsilons 0.1,1,3] [--runs 3]``.

Prints one line of JSON per run. Tables come from the folder in ORACLEDP_DATA; those not at hand are skipped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from metrics import errors
from tables import NAMES, load

from oracledp.synthesis import Synthesizer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default=",".join(NAMES))
    parser.add_argument("--epsilons", default="0.1,1,3")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    for name in options.tables.split(","):
        try:
            table, sizes = load(name)
        except FileNotFoundError as missing:
            print(f"skipped {name}: no file {missing.filename}", file=sys.stderr)
            continue
        real = np.repeat(table.codes.astype(np.int64), table.counts, axis=0)
        for epsilon in options.epsilons.split(","):
            for run in range(options.runs):
                start = time.process_time()
                fitted = Synthesizer(table.schema, epsilon=epsilon, delta="1e-6").fit(table)
                made = fitted.sample().to_numpy(np.int64)
                seconds = time.process_time() - start
                found = {key: round(value, 5) for key, value in errors(real, made, sizes).items()}
                line = {"table": name, "epsilon": epsilon, "run": run, **found, "cpu_seconds": round(seconds, 1)}
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
