"""The estimators on the development tables, beside the peers that peers.py measured on the same splits.

python -m benchmarks.learners.accuracy [--delta 1e-5] [--size 10] [--probabilities] [--neighbours add-remove]
    [--repeats 3] [--tables vote,adult] [--peers peers.json] [--json out.json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.learners.peers import measures
from benchmarks.learners.tables import EPSILONS, NAMES, SEVERAL, load

import oracledp as odp
from oracledp.learners import PrivateRuleClassifier
from oracledp.privacy.guarantee import Neighbours

Row = dict[str, Any]


def cell(name: str, epsilon: str, options: argparse.Namespace) -> Row:
    """Means over splits and repeats, the accuracy's standard error, and CPU seconds per fit."""
    table = load(name)
    schema = None if table.document is None else odp.Schema(table.document)
    found, seconds = [], 0.0
    for train, test in table.splits:
        rows, labels = table.part(train), table.labels[train]
        for _ in range(options.repeats):
            model = PrivateRuleClassifier(
                epsilon=epsilon, delta=options.delta, model=options.model, schema=schema,
                neighbours=options.neighbours, classes=table.classes, size=options.size,
                probabilities=options.probabilities,
            )  # fmt: skip
            start = time.process_time()
            model.fit(rows, labels)
            seconds += time.process_time() - start
            found.append(measures(_chances(model, table.part(test)), table.labels[test]))
    accuracy, area, loss = np.mean(found, axis=0).tolist()
    error = float(np.std([one[0] for one in found]) / len(found) ** 0.5)
    return {
        "table": name, "epsilon": epsilon, "accuracy": accuracy, "auc": area, "log_loss": loss, "error": error,
        "cpu_seconds": seconds / len(found),
    }  # fmt: skip


def _chances(model: Any, rows: Any) -> np.ndarray:
    """Probabilities, or something in their order where a model has none."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(rows)
    margins = model.decision_function(rows)
    both = np.stack([-margins, margins], axis=1) if margins.ndim == 1 else margins
    raised = np.exp(both - both.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def beside(rows: list[Row], peers: list[Row]) -> list[Row]:
    """Each cell with the best peer of the cell and with the best single setting of gradient descent."""
    settings = {row["peer"] for row in peers if row["peer"].startswith("gradients")}
    known = {(row["table"], row["epsilon"], row["peer"]): row for row in peers}
    present = {(row["table"], row["epsilon"]) for row in rows}
    single = max(
        settings,
        key=lambda title: sum(
            row["accuracy"] + row["auc"] for key, row in known.items() if key[2] == title and key[:2] in present
        ),
        default=None,
    )
    for row in rows:
        of_cell = [peer for key, peer in known.items() if key[:2] == (row["table"], row["epsilon"])]
        for measure in ("accuracy", "auc") if of_cell else ():
            row[f"peer_{measure}"] = max(peer[measure] for peer in of_cell)
            row[f"single_{measure}"] = known[row["table"], row["epsilon"], single][measure]
    return rows


def summary(rows: list[Row]) -> str:
    """How many cells are within a point and ahead, and the worst, of those with peers."""
    lines = []
    for against in ("peer", "single"):
        for measure in ("accuracy", "auc"):
            gaps = [row[measure] - row[f"{against}_{measure}"] for row in rows if f"{against}_{measure}" in row]
            if gaps:
                within, ahead = sum(gap > -1.05 for gap in gaps), sum(gap > 0.04 for gap in gaps)
                lines.append(
                    f"{measure} against the best {against}: within one point {within}, ahead {ahead} of {len(gaps)}, "
                    f"mean {np.mean(gaps):+.2f}, worst {min(gaps):+.1f}"
                )
    return "\n".join(lines)


def falls(rows: list[Row]) -> str:
    """Where a measure falls by more than half a point, and by more than twice its error, as ε rises."""
    found = [
        f"{more['table']} {less['epsilon']} to {more['epsilon']}: {measure} {more[measure] - less[measure]:+.1f}"
        for less, more in itertools.pairwise(rows)
        for measure in ("accuracy", "auc")
        if less["table"] == more["table"]
        and more[measure] - less[measure] < -max(0.5, 2 * np.hypot(less["error"], more["error"]))
    ]
    return "\n".join(["more ε was worse on:", *(found or ["no cell"])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="auto")
    parser.add_argument("--delta")
    parser.add_argument("--size", type=int)
    parser.add_argument("--probabilities", action="store_true", help="count them, where a model has none for nothing")
    parser.add_argument("--neighbours", default=Neighbours.DEFAULT.value)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tables", default=",".join((*NAMES, *SEVERAL)))
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    peers = json.loads(options.peers.read_text()) if options.peers else []
    rows: list[Row] = []
    for name in options.tables.split(","):
        for epsilon in EPSILONS:
            row = cell(name, epsilon, options)
            rows.append(row)
            print(
                f"{name:11} {epsilon:>4} {row['accuracy']:6.1f} ± {row['error']:3.1f} AUC {row['auc']:5.1f}", flush=True
            )
    print(summary(beside(rows, peers)))
    print(falls(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
