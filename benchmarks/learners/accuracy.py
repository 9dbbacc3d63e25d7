"""Test accuracy of the estimators on the ten tables against the figures to beat.

python -m benchmarks.learners.accuracy [--model auto] [--neighbours add-remove] [--repeats 4] [--tables vote,adult]
    [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from benchmarks.learners.tables import EPSILONS, NAMES, load, peer

from oracledp.learners import PrivateRuleClassifier
from oracledp.privacy.guarantee import Neighbours


def cell(name: str, epsilon: str, model: str, neighbours: str, repeats: int) -> tuple[float, float, float]:
    """Mean accuracy in per cent over splits and repeats, its standard error over them, and CPU seconds per fit."""
    X, y, splits = load(name)
    scores, start = [], time.process_time()
    for train, test in splits:
        for _ in range(repeats):
            learner = PrivateRuleClassifier(epsilon=epsilon, model=model, neighbours=neighbours, classes=[0, 1])
            fitted = learner.fit(X[train], y[train])
            scores.append(100 * np.mean(fitted.predict(X[test]) == y[test]))
    spent = (time.process_time() - start) / len(scores)
    return float(np.mean(scores)), float(np.std(scores) / len(scores) ** 0.5), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="auto")
    parser.add_argument("--neighbours", default=Neighbours.DEFAULT.value)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--tables", default=",".join(NAMES))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for name in options.tables.split(","):
        for epsilon in EPSILONS:
            accuracy, error, seconds = cell(name, epsilon, options.model, options.neighbours, options.repeats)
            rows.append(
                {"table": name, "epsilon": epsilon, "accuracy": accuracy, "error": error, "cpu_seconds": seconds}
                | {"peer": peer(name, epsilon)}
            )
            print(f"{name:11} {epsilon:>4} {accuracy:6.1f} ± {error:3.1f}  peer {peer(name, epsilon):5.1f}", flush=True)
    gaps = [round(row["accuracy"], 1) - row["peer"] for row in rows]
    print(f"within one point: {sum(g > -1.05 for g in gaps)}, ahead: {sum(g > 0.04 for g in gaps)}, of {len(gaps)}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
