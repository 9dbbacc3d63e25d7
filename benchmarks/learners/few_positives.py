"""Tables thinned to 2 % positives: balanced accuracy with public class weights, beside peers with and without them.

python -m benchmarks.learners.few_positives [--splits 2] [--tables adult,bank]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from benchmarks.learners.encode import encoded
from benchmarks.learners.peers import SETTINGS, descent
from benchmarks.learners.tables import Development, load
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedShuffleSplit

import oracledp as odp
from oracledp.learners import PrivateRuleClassifier

RATE, WEIGHTS = 0.02, {0: 1, 1: 49}
EPSILONS = ("0.3", "1", "3")


def thinned(name: str) -> Development:
    """The table with so few of its positives that they are 2 % of the rows."""
    table = load(name)
    positive = np.flatnonzero(table.labels == 1)
    negative = np.flatnonzero(table.labels == 0)
    few = round(len(negative) * RATE / (1 - RATE))
    kept = np.concatenate([negative, np.random.default_rng(7).choice(positive, few, replace=False)])
    return Development(table.part(kept), table.document, table.labels[kept])


def _note(found: dict[str, list[float]], title: str, labels: np.ndarray, predicted: np.ndarray) -> None:
    found.setdefault(title, []).append(100 * balanced_accuracy_score(labels, predicted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--tables", default="adult,bank")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.tables.split(","):
        table = thinned(name)
        schema = None if table.document is None else odp.Schema(table.document)
        rows = encoded(table)
        splits = StratifiedShuffleSplit(options.splits, test_size=0.2, random_state=11)
        for epsilon in EPSILONS:
            found: dict[str, list[float]] = {}
            for train, test in splits.split(table.labels, table.labels):
                part = {key: rows[key][train] for key in ("literals", "labels")} | {"classes": np.array(2)}
                other, labels = {"literals": rows["literals"][test]}, table.labels[test]

                for title, given in (("delta", {"delta": "1e-5"}), ("pure", {"probabilities": True})):
                    model = PrivateRuleClassifier(
                        epsilon=epsilon, schema=schema, classes=[0, 1], class_weight=WEIGHTS, **given
                    )
                    model.fit(table.part(train), table.labels[train])
                    _note(found, f"ours, {title}, weights", labels, model.predict(table.part(test)))
                for title, setting in SETTINGS.items():
                    plain = descent(setting, float(epsilon))(part).predict(other)
                    _note(found, f"gradients {title}, threshold", labels, plain[:, 1] >= RATE)
                    weighted = descent(setting, float(epsilon), (1, 49))(part).predict(other)
                    _note(found, f"gradients {title}, weights", labels, weighted[:, 1] >= 0.5)
            for title, values in found.items():
                print(f"{name} {epsilon:>4} {title:36} {np.mean(values):5.1f}", flush=True)


if __name__ == "__main__":
    main()
