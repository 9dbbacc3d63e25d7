"""Wide tables: ``python -m benchmarks.synthesis.wide FOLDER [numbers] [mixed]``.

``numbers``: 24 columns of numbers that hang together by four factors, and a label; 24,000 rows to fit, 6,000 kept back.
``mixed``: 100 columns, a third each of booleans, categories of five and numbers, by ten factors; 50,000 rows. Each is
written to FOLDER with a schema by hand, synthesized by one command at ε = 1 in a process of its own, and judged:
three-way marginals at quarters and, of numbers, tenths (64 triples drawn from a seed), beside independent columns and a
bootstrap; correlations; for ``numbers`` the AUC of gradient boosting trained on synthetic rows.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from benchmarks.synthesis.raw import auc, run
from benchmarks.synthesis.results import record

from oracledp.data.schema import Schema

TRIPLES = 64


def main() -> None:
    folder, names = Path(sys.argv[1]), sys.argv[2:] or ["numbers", "mixed"]
    folder.mkdir(exist_ok=True)
    record("wide", (measured(folder, name) for name in names), ("table",))


def measured(folder: Path, name: str) -> dict[str, Any]:
    whole, definitions = {"numbers": numbers, "mixed": mixed}[name]()
    kept = whole.sample(frac=0.2, random_state=0) if name == "numbers" else whole.iloc[:0]
    real = whole.drop(kept.index)
    real.to_csv(folder / f"{name}.csv", index=False)
    Schema(definitions).save(folder / f"{name}.yaml")
    words = ["synth", str(folder / f"{name}.csv"), "--schema", str(folder / f"{name}.yaml"), "--quiet"]
    out = folder / f"{name}.made.csv"
    run(folder, name, [[*words, "--epsilon", "1", "--delta", "1e-6", "--out", str(out)]])
    made = pandas.read_csv(out)
    found: dict[str, Any] = {"table": name, "rows": len(real), "columns": len(real.columns)}
    found |= pandas.read_json(folder / f"{name}.log", typ="series").to_dict()
    rng = np.random.default_rng(0)
    apart = pandas.DataFrame({column: rng.permutation(real[column]) for column in real})
    others = {"": made, "_apart": apart, "_bootstrap": real.sample(frac=1, replace=True, random_state=0)}
    for parts in (4, 10) if name == "numbers" else (4,):
        found |= {f"tv3_{parts}{suffix}": variation(real, frame, parts) for suffix, frame in others.items()}
    found |= {key: distance(real, made, rank) for key, rank in (("pearson", False), ("spearman", True))}
    if name == "numbers":
        found |= {"auc": auc(made, kept, "label"), "auc_real": auc(real, kept, "label")}
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in found.items()}


def numbers() -> tuple[pandas.DataFrame, dict[str, Any]]:
    rng, rows = np.random.default_rng(11), 30_000
    factors = rng.standard_normal((rows, 4))
    mixed_up = factors @ rng.normal(0, 1, (4, 24)) + rng.normal(0, rng.uniform(0.5, 2, 24), (rows, 24))
    skewed = np.where(np.arange(24) % 3 == 0, np.exp(mixed_up / 2), mixed_up)
    frame = pandas.DataFrame(skewed, columns=[f"x{i}" for i in range(24)]).round(2)
    frame["label"] = (factors @ [1.5, -1, 0.7, 0] + rng.logistic(0, 1, rows) > 0).astype(int)
    bounds = {f"x{i}": (0, 1000) if i % 3 == 0 else (-100, 100) for i in range(24)}
    columns = {name: {"kind": "numeric", "lo": a, "hi": b, "resolution": 0.01} for name, (a, b) in bounds.items()}
    return frame, {"columns": columns | {"label": {"kind": "integer", "lo": 0, "hi": 1}}}


def mixed() -> tuple[pandas.DataFrame, dict[str, Any]]:
    rng, rows, width = np.random.default_rng(12), 50_000, 100
    factors = rng.standard_normal((rows, 10))
    scores = factors @ rng.normal(0, 0.6, (10, width)) + rng.standard_normal((rows, width))
    frame: dict[str, Any] = {}
    columns: dict[str, Any] = {}
    for place, score in enumerate(scores.T):
        name = f"c{place}"
        if place % 3 == 0:
            frame[name] = (score > rng.uniform(-1, 1)).astype(int)
            columns[name] = {"kind": "integer", "lo": 0, "hi": 1}
        elif place % 3 == 1:
            frame[name] = np.array(list("abcde"))[np.searchsorted(np.quantile(score, [0.1, 0.3, 0.6, 0.9]), score)]
            columns[name] = {"kind": "categorical", "values": list("abcde")}
        else:
            frame[name] = (50 + 10 * score).round(1)
            columns[name] = {"kind": "numeric", "lo": -100, "hi": 200, "resolution": 0.1}
    return pandas.DataFrame(frame), {"columns": columns}


def variation(real: pandas.DataFrame, made: pandas.DataFrame, parts: int) -> float:
    """The mean total variation of some three-way marginals, numbers cut into so many parts of equal mass."""
    codes = [_codes(real, frame, parts) for frame in (real, made)]
    triples = list(combinations(range(real.shape[1]), 3))
    chosen = np.random.default_rng(1).choice(len(triples), TRIPLES, replace=False)
    return float(np.mean([_apart(codes, list(triples[place])) for place in chosen]))


def _codes(real: pandas.DataFrame, frame: pandas.DataFrame, parts: int) -> np.ndarray:
    found = []
    for name in real:
        if pandas.api.types.is_numeric_dtype(real[name]) and real[name].nunique() > parts:
            cuts = np.unique(real[name].quantile(np.arange(1, parts) / parts))
            found.append(np.searchsorted(cuts, frame[name], side="right"))
        else:
            found.append(np.searchsorted(np.unique(real[name]), frame[name]))
    return np.stack(found, axis=1)


def _apart(codes: list[np.ndarray], columns: list[int]) -> float:
    sizes = [max(int(rows[:, column].max()) for rows in codes) + 1 for column in columns]
    counts = []
    for rows in codes:
        index = np.ravel_multi_index(tuple(rows[:, columns].T), sizes)
        counts.append(np.bincount(index, minlength=int(np.prod(sizes))) / len(rows))
    return float(np.abs(counts[0] - counts[1]).sum() / 2)


def distance(real: pandas.DataFrame, made: pandas.DataFrame, rank: bool) -> float:
    """The mean error of the correlations of columns of numbers."""
    names = list(real.select_dtypes("number"))
    upper = np.triu_indices(len(names), 1)
    one, two = (np.corrcoef((frame[names].rank() if rank else frame[names]).T)[upper] for frame in (real, made))
    return float(np.abs(one - two).mean())


if __name__ == "__main__":
    main()
