"""Peers run live on the encoded tables: noisy gradient descent in five settings, DP-EBM, diffprivlib, PrivaTree.

Add/remove-one and δ = 10^-5 for gradient descent and DP-EBM; diffprivlib and PrivaTree are pure. Run it with a Python
that has diffprivlib, interpret-core and, on its path, PrivaTree's sources; oracledp is not needed. What was measured
before is kept in the output file.
python -m benchmarks.learners.peers learner-tables peers.json [--tables vote,adult] [--only gradients] [--splits 2]
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score

EPSILONS = ("0.1", "0.3", "1", "3")
DELTA = 1e-5
SPLITS = 3
REPEATS = 2
SETTINGS = {  # literals as ±1 or 0/1, steps, rate: the settings of the yardstick
    "0/1, 30 steps": (False, 30, 0.3),
    "0/1, 10 steps": (False, 10, 1.0),
    "0/1, 100 steps": (False, 100, 1.0),
    "±1, 100 steps": (True, 100, 0.3),
    "±1, 30 steps": (True, 30, 0.5),
}
Part = dict[str, np.ndarray]
Predict = Callable[[Part], np.ndarray]  # the chances of the classes


@dataclass(frozen=True)
class Model:
    """What a peer has learned: how it predicts, and how many numbers it needs for that."""

    predict: Predict
    numbers: int


Fit = Callable[[Part], Model]


def descent(setting: tuple[bool, int, float], epsilon: float, weights: tuple[float, ...] | None = None) -> Fit:
    """Full-batch noisy gradient descent on logistic or softmax loss, per-record clipping to 1, zCDP over the steps.

    ``weights`` are public weights of the classes.
    """
    signed, steps, rate = setting

    def features(part: Part) -> np.ndarray:
        literals = part["literals"].astype(float)
        return np.hstack([2 * literals - 1 if signed else literals, np.ones((len(literals), 1))])

    def fit(part: Part) -> Model:
        x, y, rng = features(part), part["labels"], np.random.default_rng()
        classes = int(part["classes"])
        target = np.eye(classes)[y]
        heavy = np.ones(len(y)) if weights is None else np.array(weights)[y] / max(weights)
        log = np.log(1 / DELTA)
        sigma = np.sqrt(steps / 2) / (np.sqrt(log + epsilon) - np.sqrt(log))
        norms = np.linalg.norm(x, axis=1)
        w = np.zeros((x.shape[1], 1 if classes == 2 else classes))
        velocity, average = np.zeros_like(w), np.zeros_like(w)
        for step in range(steps):
            residual = (chances(x @ w) - target)[:, -w.shape[1] :] * heavy[:, None]
            lengths = np.linalg.norm(residual, axis=1) * norms
            clipped = residual / np.maximum(1, lengths)[:, None]
            velocity = 0.9 * velocity + (x.T @ clipped + rng.normal(0, sigma, w.shape)) / len(y)
            w = w - rate * velocity
            average += w / (steps - steps // 2) if step >= steps // 2 else 0
        return Model(lambda other: chances(features(other) @ average), average.size)

    return fit


def chances(scores: np.ndarray) -> np.ndarray:
    """Softmax, where one column is the log odds of the second class."""
    both = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    raised = np.exp(both - both.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def boosting(epsilon: float) -> Fit:
    """DP-EBM on the codes, two classes only."""
    from interpret.privacy import DPExplainableBoostingClassifier

    def fit(part: Part) -> Model:
        sizes = part["sizes"]
        names = [f"f{i}" for i in range(len(sizes))]
        model = DPExplainableBoostingClassifier(
            epsilon=epsilon,
            delta=DELTA,
            feature_names=names,
            feature_types=[[str(code) for code in range(size)] for size in sizes],
        )
        model.fit(part["codes"].astype(str), part["labels"])
        scores = sum(term.size for term in model.term_scores_)
        return Model(lambda other: model.predict_proba(other["codes"].astype(str)), scores)

    return fit


def diffprivlib(kind: str, epsilon: float, **options: Any) -> Fit:
    """diffprivlib on literals with public bounds."""
    import diffprivlib.models as models

    def fit(part: Part) -> Model:
        columns = part["literals"].shape[1]
        box = (np.zeros(columns), np.ones(columns))
        public: dict[str, Any] = {"LogisticRegression": {"data_norm": columns**0.5, "max_iter": 500}}.get(
            kind, {"bounds": box}
        )
        if kind == "RandomForestClassifier":
            public |= {"classes": list(range(int(part["classes"]))), "n_jobs": 1}
        model = getattr(models, kind)(epsilon=epsilon, **public, **options)
        model.fit(part["literals"].astype(float), part["labels"])
        return Model(lambda other: model.predict_proba(other["literals"].astype(float)), _numbers(model))

    return fit


def privatree(epsilon: float) -> Fit:
    """PrivaTree of depth 4 on the codes, with public ranges and categories."""
    from privatree.privatree import PrivaTreeClassifier

    def fit(part: Part) -> Model:
        sizes = part["sizes"]
        model = PrivaTreeClassifier(
            max_depth=4,
            epsilon=epsilon,
            feature_range=[(0, size - 1) for size in sizes],
            categorical_features=np.where(part["ordered"], 0, sizes),
        )
        model.fit(part["codes"], part["labels"])
        return Model(lambda other: model.predict_proba(other["codes"]), 2**4)

    return fit


def _numbers(model: Any) -> int:
    """Coefficients, means and variances, or the nodes of all trees."""
    if hasattr(model, "estimators_"):
        return sum(tree.tree_.node_count for tree in model.estimators_)
    held = ("coef_", "intercept_") if hasattr(model, "coef_") else ("theta_", "var_", "class_prior_")
    return sum(np.size(getattr(model, name)) for name in held)


def peers(epsilon: float) -> Iterator[tuple[str, Fit]]:
    """Every peer that can be imported."""
    for title, setting in SETTINGS.items():
        yield f"gradients {title}", descent(setting, epsilon)
    for title, make in {
        "DP-EBM": lambda: boosting(epsilon),
        "diffprivlib logistic C=1": lambda: diffprivlib("LogisticRegression", epsilon),
        "diffprivlib logistic C=.01": lambda: diffprivlib("LogisticRegression", epsilon, C=0.01),
        "diffprivlib naive Bayes": lambda: diffprivlib("GaussianNB", epsilon),
        "diffprivlib forest": lambda: diffprivlib("RandomForestClassifier", epsilon),
        "PrivaTree": lambda: privatree(epsilon),
    }.items():
        try:
            yield title, make()
        except ImportError:
            print(f"{title} is not installed")


def measures(found: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    """Accuracy and AUC in per cent (one class against the rest, averaged, for several), and log-loss."""
    held = np.clip(np.nan_to_num(found, nan=0.5), 1e-6, 1)
    held = held / held.sum(axis=1, keepdims=True)
    area = roc_auc_score(labels, held[:, 1]) if held.shape[1] == 2 else roc_auc_score(labels, held, multi_class="ovr")
    return (
        100 * float(np.mean(held.argmax(1) == labels)),
        100 * area,
        log_loss(labels, held, labels=range(held.shape[1])),
    )


def part(table: Any, chosen: np.ndarray) -> Part:
    """Some rows of an encoded table."""
    rows = {name: table[name][chosen] for name in ("literals", "codes", "labels")}
    return {
        **rows,
        "sizes": table["sizes"],
        "ordered": table["ordered"],
        "classes": np.array(table["labels"].max() + 1),
    }


def cell(table: Any, fit: Fit, splits: int) -> dict[str, float]:
    """Means over splits and repeats, CPU seconds per fit, and the numbers of a model."""
    found, seconds, numbers = [], 0.0, 0
    for place in range(splits):
        train, test = part(table, table[f"train{place}"]), part(table, table[f"test{place}"])
        for _ in range(REPEATS):
            start = time.process_time()
            model = fit(train)
            seconds += time.process_time() - start
            numbers += model.numbers
            found.append(measures(model.predict(test), test["labels"]))
    accuracy, area, loss = np.mean(found, axis=0).tolist()
    return {
        "accuracy": accuracy, "auc": area, "log_loss": loss, "cpu_seconds": seconds / len(found),
        "numbers": numbers / len(found), "splits": splits,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--tables")
    parser.add_argument("--only", default="")
    parser.add_argument("--splits", type=int, default=SPLITS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = json.loads(options.results.read_text()) if options.results.exists() else []
    known = {(row["table"], row["epsilon"], row["peer"]) for row in rows}
    names = options.tables.split(",") if options.tables else sorted(path.stem for path in options.folder.glob("*.npz"))
    for name in names:
        with np.load(options.folder / f"{name}.npz") as stored:
            table = dict(stored)
        for epsilon in EPSILONS:
            for title, fit in peers(float(epsilon)):
                if (name, epsilon, title) in known or options.only not in title:
                    continue
                try:
                    found = cell(table, fit, options.splits)
                except Exception as error:
                    print(f"{name} {epsilon} {title}: {type(error).__name__}: {error}"[:200])
                    continue
                rows.append({"table": name, "epsilon": epsilon, "peer": title, **found})
                print(f"{name:11} {epsilon:>4} {title:28} {found['accuracy']:6.1f} {found['auc']:6.1f}", flush=True)
        options.results.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
