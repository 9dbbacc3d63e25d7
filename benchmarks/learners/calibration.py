"""How far probabilities can be trusted: predicted chances against what came true on test rows, as a picture.

python -m benchmarks.learners.calibration docs/learners-calibration.png [--tables telco,adult] [--repeats 3]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.learners.tables import load

import oracledp as odp
from oracledp.learners import PrivateRuleClassifier, TreeClassifier

EPSILONS = ("0.3", "1", "3")
EDGES = np.linspace(0, 1, 11)
KINDS: dict[str, Any] = {
    "logistic card, δ = 10⁻⁵": lambda **given: PrivateRuleClassifier(delta="1e-5", **given),
    "pure card, bands": lambda **given: PrivateRuleClassifier(probabilities=True, **given),
    "tree, leaves": lambda **given: TreeClassifier(leaf_share="0.1", depth=3, **given),
}


def predicted(kind: str, names: list[str], epsilon: str, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """Chances of the second class and labels, of all test rows; every table weighs the same."""
    chances, labels = [], []
    for name in names:
        table = load(name)
        schema = None if table.document is None else odp.Schema(table.document)
        for train, test in table.splits[:repeats]:
            model = KINDS[kind](epsilon=epsilon, schema=schema, classes=table.classes)
            model.fit(table.part(train), table.labels[train])
            chosen = np.random.default_rng(0).choice(test, 1000)
            chances.append(model.predict_proba(table.part(chosen))[:, 1])
            labels.append(table.labels[chosen])
    return np.concatenate(chances), np.concatenate(labels)


def reliability(chances: np.ndarray, labels: np.ndarray) -> tuple[list[tuple[float, float, int]], float]:
    """Mean chance, share that came true and number of rows of each tenth; and their distance, by rows."""
    place = np.clip(np.digitize(chances, EDGES) - 1, 0, len(EDGES) - 2)
    held = [(chances[place == tenth], labels[place == tenth]) for tenth in range(len(EDGES) - 1)]
    bins = [(float(said.mean()), float(came.mean()), len(said)) for said, came in held if len(said)]
    return bins, sum(abs(said - came) * rows for said, came, rows in bins) / len(chances)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--tables", default="german,compas,cleve,telco,heloc,anes,fair")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(KINDS), figsize=(4 * len(KINDS), 4), sharey=True, layout="constrained")
    for axis, kind in zip(axes, KINDS, strict=True):
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for epsilon, shade in zip(EPSILONS, ("#9ecae1", "#4292c6", "#08306b"), strict=True):
            bins, distance = reliability(*predicted(kind, options.tables.split(","), epsilon, options.repeats))
            said, came, rows = (np.array(values) for values in zip(*bins, strict=True))
            axis.plot(said, came, color=shade, linewidth=1)
            axis.scatter(said, came, s=4 + 400 * rows / rows.sum(), color=shade, label=f"ε = {epsilon}: {distance:.3f}")
            print(f"{kind}, ε = {epsilon}: expected calibration error {distance:.3f}", flush=True)
        axis.set(title=kind, xlabel="predicted chance", xlim=(0, 1), ylim=(0, 1))
        axis.legend(title="mean distance", loc="upper left", frameon=False)
    axes[0].set_ylabel("share of rows that came true")
    figure.savefig(options.picture, dpi=110)


if __name__ == "__main__":
    main()
