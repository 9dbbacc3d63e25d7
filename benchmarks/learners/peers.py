"""Peers run live on the same splits, where they are installed: diffprivlib (pure epsilon) and DP-EBM (delta = 1e-5).

Run it with a Python that has diffprivlib and interpret-core; oracledp itself is not needed.
python -m benchmarks.learners.peers [--tables vote,adult] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from benchmarks.learners.tables import EPSILONS, NAMES, load


def peers(epsilon: float, columns: int) -> dict[str, object]:
    """Each peer with public bounds; settings as their documentation gives them."""
    found: dict[str, object] = {}
    try:
        from diffprivlib.models import GaussianNB, LogisticRegression, RandomForestClassifier

        norm = columns**0.5
        box = (np.zeros(columns), np.ones(columns))
        found["diffprivlib logistic C=1"] = LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=500)
        found["diffprivlib logistic C=.01"] = LogisticRegression(epsilon=epsilon, data_norm=norm, C=0.01, max_iter=500)
        found["diffprivlib naive Bayes"] = GaussianNB(epsilon=epsilon, bounds=box)
        found["diffprivlib forest"] = RandomForestClassifier(epsilon=epsilon, bounds=box, classes=[0, 1], n_jobs=1)
    except ImportError:
        print("diffprivlib is not installed")
    try:
        from interpret.privacy import DPExplainableBoostingClassifier

        schema = {f"f{i}": ["0", "1"] for i in range(columns)}
        found["DP-EBM"] = DPExplainableBoostingClassifier(
            epsilon=epsilon, delta=1e-5, feature_names=list(schema), feature_types=["nominal"] * columns
        )
    except ImportError:
        print("interpret is not installed")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", default=",".join(NAMES))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in options.tables.split(","):
        X, y, splits = load(name)
        for epsilon in EPSILONS:
            for title in peers(float(epsilon), X.shape[1]):
                scores, start = [], time.process_time()
                for train, test in splits[: options.splits]:
                    model = peers(float(epsilon), X.shape[1])[title]
                    try:
                        model.fit(X[train], y[train])
                        scores.append(100 * np.mean(model.predict(X[test]) == y[test]))
                    except Exception as error:
                        print(f"{title}: {type(error).__name__}")
                        break
                if scores:
                    seconds = (time.process_time() - start) / len(scores)
                    rows.append(
                        {"table": name, "epsilon": epsilon, "peer": title, "accuracy": float(np.mean(scores))}
                        | {"cpu_seconds": seconds}
                    )
                    print(f"{name:11} {epsilon:>4} {title:28} {np.mean(scores):6.1f} {seconds:8.3f} s", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
