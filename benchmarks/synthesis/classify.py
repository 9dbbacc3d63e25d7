"""What a classifier loses when it is trained on synthetic rows.

``python -m benchmarks.synthesis.classify [--tables adult] [--epsilons 1]``

A stratified fifth of the real rows is held out. Logistic regression (scikit-learn, C = 1) is trained on the rest and on
a synthetic version of the rest; both are tested on the real fifth. Features come from the public schema alone: one
indicator per category, and each ordered column as its place in [0, 1] with indicators of ten equal pieces of its range.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from benchmarks.synthesis.metrics import Codes, rows_of
from benchmarks.synthesis.results import record
from benchmarks.synthesis.tables import load
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.synthesis import Synthesizer

TARGETS = {"adult": -1, "bank": -1, "compas": -1}
PIECES = 10


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default=",".join(TARGETS))
    parser.add_argument("--epsilons", default="0.1,1,3")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    record("classifiers", lines(options), ("table", "epsilon"))


def lines(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in options.tables.split(","):
        try:
            table = load(name)[0]
        except FileNotFoundError as missing:
            print(f"skipped {name}: no file {missing.filename}", file=sys.stderr)
            continue
        rows, target = rows_of(table), TARGETS[name] % len(table.schema.columns)
        for run in range(options.runs):
            train, test = train_test_split(rows, test_size=0.2, random_state=run, stratify=rows[:, target])
            real = accuracy(table.schema, train, test, target)
            plain = float(np.mean(test[:, target] == np.bincount(train[:, target]).argmax()))
            known = Table.from_codes(train, table.schema)
            for epsilon in options.epsilons.split(","):
                made = Synthesizer(table.schema, epsilon=epsilon, delta="1e-6").fit(known).sample().to_numpy(np.int64)
                found = accuracy(table.schema, made, test, target)
                yield {
                    "table": name,
                    "epsilon": epsilon,
                    "run": run,
                    "real": round(real, 5),
                    "synthetic": round(found, 5),
                    "majority": round(plain, 5),
                }


def accuracy(schema: Schema, train: Codes, test: Codes, target: int) -> float:
    """Test accuracy of a logistic regression."""
    if len(np.unique(train[:, target])) < 2:
        return float(np.mean(test[:, target] == train[0, target]))
    model = LogisticRegression(max_iter=300)
    model.fit(encoded(schema, train, target), train[:, target])
    return float(model.score(encoded(schema, test, target), test[:, target]))


def encoded(schema: Schema, rows: Codes, target: int) -> np.ndarray:
    blocks = []
    for place, column in enumerate(schema.columns):
        if place == target:
            continue
        codes = rows[:, place]
        if column.ordered and column.size > PIECES:
            blocks.append(codes[:, None] / (column.size - 1))
            codes = codes * PIECES // column.size
            blocks.append(np.eye(PIECES)[codes])
        else:
            blocks.append(np.eye(column.size)[codes])
    return np.concatenate(blocks, axis=1).astype(np.float32)


if __name__ == "__main__":
    main()
