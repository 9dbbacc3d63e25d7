"""Raw tables in, raw tables out, the whole budget counted: ``python -m benchmarks.synthesis.raw FOLDER [TABLE …]``.

Four fifths of every table are written to ``FOLDER/TABLE.train.csv``, and oracledp makes ``TABLE.oracledp.csv`` of
them by one command, ``synth --infer-schema``, a tenth of whose budget buys the schema; and ``TABLE.oracledp-two.csv``
by two: ``schema infer`` for a tenth of ε = 1 and of δ = 1e-6, ``synth`` for the rest. Files
``TABLE.PEER.csv`` that ``raw_peers.py`` made of the same rows (and its last line as ``TABLE.PEER.log``) are judged
beside it. One line for each goes to ``results/raw.jsonl``: errors of values (in the larger of interquartile range and
half a standard deviation), Wasserstein distance in standard deviations, correlations, one- and two-way marginals
(numbers cut at the real deciles), and the AUC of a gradient-boosting classifier on the fifth of the rows that nobody
saw.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from benchmarks.synthesis.results import record
from benchmarks.synthesis.tables import FOLDER as DATA
from scipy.stats import wasserstein_distance

TABLES = {
    "bank": ("bank_full.csv.gz", "y"),
    "adult": ("adult-raw-train.csv", "income>50K"),
    "compas": ("compas.csv.gz", "two_year_recid"),
    "telco": ("learn/telco.csv.gz", "target"),
    "heloc": ("learn/heloc.csv.gz", "target"),
    "spam": ("learn/spam.csv.gz", "target"),
    "titanic": ("titanic.csv", "Survived"),
}
SHARES = {"titanic": 0.5}  # of the budget for the schema: a tenth describes no column of 1,043 rows
FEW = 10  # distinct values up to which a number counts as a category: as the peers are told


def main() -> None:
    folder, names = Path(sys.argv[1]), sys.argv[2:] or list(TABLES)
    folder.mkdir(exist_ok=True)
    for name in names:
        record("raw", (line for line in lines(folder, name)), ("table", "method"))


def lines(folder: Path, name: str) -> Any:
    source, target = TABLES[name]
    train, test = folder / f"{name}.train.csv", folder / f"{name}.test.csv"
    if not train.exists():
        whole = pandas.read_csv(DATA / source, dtype=str, keep_default_na=False)
        kept = whole.sample(frac=0.2, random_state=0)
        whole.drop(kept.index).to_csv(train, index=False)
        kept.to_csv(test, index=False)
    for method, commands in (("oracledp", one_command), ("oracledp-two", two_commands)):
        if not (folder / f"{name}.{method}.csv").exists():
            run(folder, f"{name}.{method}", commands(str(train), str(folder / f"{name}.{method}"), name))
    real, unseen = pandas.read_csv(train), pandas.read_csv(test)
    for made in sorted(folder.glob(f"{name}.*.csv")):
        method = made.name[len(name) + 1 : -4]
        if method not in ("train", "test"):
            costs = json.loads((folder / f"{name}.{method}.log").read_text().splitlines()[-1])
            found = errors(real, pandas.read_csv(made)) | costs
            found["auc"] = auc(pandas.read_csv(made), unseen, target)
            yield {"table": name, "method": method, "rows": len(real), "auc_real": auc(real, unseen, target), **found}


def one_command(table: str, made: str, name: str) -> list[list[str]]:
    budget = ["--epsilon", "1", "--delta", "1e-6", "--schema-share", str(SHARES.get(name, 0.1)), "--quiet"]
    return [["synth", table, "--infer-schema", f"{made}.yaml", *budget, "--out", f"{made}.csv"]]


def two_commands(table: str, made: str, name: str) -> list[list[str]]:
    share = SHARES.get(name, 0.1)
    first, second = (
        ["--epsilon", f"{one:.1f}", "--delta", f"{one * 10:.0f}e-7", "--quiet"] for one in (share, 1 - share)
    )
    return [
        ["schema", "infer", table, *first[:-1], "--out", f"{made}.yaml"],
        ["synth", table, "--schema", f"{made}.yaml", *second, "--out", f"{made}.csv"],
    ]


def run(folder: Path, name: str, commands: list[list[str]]) -> None:
    """Each command in a process of its own; their CPU seconds and the memory of the largest."""
    start = "from oracledp.cli import main; main()"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for words in commands:
        subprocess.run([sys.executable, "-c", start, *words], check=True, capture_output=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    costs = {"cpu_seconds": round(seconds, 1), "megabytes": used.ru_maxrss // 1024}
    (folder / f"{name}.log").write_text(json.dumps(costs) + "\n")


def errors(real: pandas.DataFrame, made: pandas.DataFrame) -> dict[str, Any]:
    """Errors of values, correlations and marginals; a column that is left out counts as its commonest value."""
    numbers = [name for name in real.select_dtypes("number") if real[name].nunique() > FEW]
    made = pandas.DataFrame({name: _column(name, real, made, name in numbers) for name in real})
    values = [_values(real[name], made[name]) for name in numbers]
    keys = ("mean", "median", "deviation", "wasserstein")
    out: dict[str, Any] = {key: float(np.mean([one[key] for one in values])) for key in keys}
    out["worst_wasserstein"] = max(one["wasserstein"] for one in values)
    out["within"] = [int(sum(one[f"{key}_met"] for one in values)) for key in keys[:3]] + [len(values)]
    for key, rank in (("pearson", False), ("spearman", True)) if len(numbers) > 1 else ():
        apart = np.abs(_correlations(real[numbers], real, rank) - _correlations(made[numbers], real, rank))
        out[key] = float(apart[np.triu_indices(len(numbers), 1)].mean())
    codes = _codes(real, made, numbers)
    out["tv1"] = float(np.mean([_variation(codes, [name]) for name in real]))
    out["tv2"] = float(np.mean([_variation(codes, list(pair)) for pair in combinations(real, 2)]))
    return {key: round(value, 5) if isinstance(value, float) else value for key, value in out.items()}


def _column(name: str, real: pandas.DataFrame, made: pandas.DataFrame, number: bool) -> pandas.Series:
    if name not in made:
        return pandas.Series(real[name].mode()[0], index=made.index)
    return pandas.to_numeric(made[name], errors="coerce") if number else made[name]


def _values(real: pandas.Series, made: pandas.Series) -> dict[str, float]:
    a, b = real.dropna().to_numpy(np.float64), made.dropna().to_numpy(np.float64)
    low, high = np.percentile(a, [25, 75])
    scale, spread = max(high - low, a.std() / 2), a.std()
    again = [np.random.default_rng(seed).choice(a, len(a)) for seed in range(40)]
    out = {
        "mean": abs(a.mean() - b.mean()) / scale,
        "median": abs(np.median(a) - np.median(b)) / scale,
        "deviation": abs(b.std() / spread - 1),
        "wasserstein": wasserstein_distance(a, b) / spread,
    }
    out["mean_met"] = out["mean"] <= max(0.02, np.std([one.mean() for one in again]) / scale)
    out["median_met"] = out["median"] <= max(0.02, np.std([np.median(one) for one in again]) / scale)
    out["deviation_met"] = out["deviation"] <= 0.1
    return out


def _correlations(frame: pandas.DataFrame, real: pandas.DataFrame, rank: bool) -> np.ndarray:
    full = frame.fillna(real[list(frame)].median())
    with np.errstate(invalid="ignore", divide="ignore"):  # a column of one value goes with nothing
        return np.nan_to_num(np.corrcoef((full.rank() if rank else full).T))


def _codes(real: pandas.DataFrame, made: pandas.DataFrame, numbers: list[str]) -> tuple[pandas.DataFrame, int]:
    """Both tables one above the other as codes, numbers by the real deciles, and where the second begins."""
    both, found = pandas.concat([real, made], ignore_index=True), {}
    for name in both:
        if name in numbers:
            cuts = np.unique(real[name].quantile(np.linspace(0.1, 0.9, 9)))
            found[name] = np.where(both[name].isna(), -1, np.searchsorted(cuts, both[name], side="left"))
        else:
            found[name] = pandas.factorize(_texts(both[name]))[0]
    return pandas.DataFrame(found), len(real)


def _texts(column: pandas.Series) -> pandas.Series:
    """Texts, whole numbers without a point, whatever a library made of them."""
    return column.astype(str).str.strip().str.replace(r"\.0$", "", regex=True)


def _variation(codes: tuple[pandas.DataFrame, int], columns: list[str]) -> float:
    frame, start = codes
    key = frame.groupby(columns).ngroup().to_numpy()
    size = int(key.max()) + 1
    one, two = np.bincount(key[:start], minlength=size), np.bincount(key[start:], minlength=size)
    return float(np.abs(one / one.sum() - two / two.sum()).sum() / 2)


def auc(train: pandas.DataFrame, test: pandas.DataFrame, target: str) -> float | None:
    """Of a classifier that learned from one table, on the other; None where it has nothing to learn."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    shared = [name for name in test if name in train]
    both = pandas.concat([train[shared], test[shared]], ignore_index=True)
    codes = {
        name: pandas.to_numeric(both[name], errors="coerce")
        if pandas.api.types.is_numeric_dtype(test[name])
        else pandas.factorize(_texts(both[name]), sort=True)[0]
        for name in shared
        if name != target
    }
    features = pandas.DataFrame(codes)
    labels = _texts(both[target]) == sorted(set(_texts(test[target])))[-1] if target in shared else None
    if labels is None or labels[: len(train)].nunique() < 2:
        return None
    model = HistGradientBoostingClassifier(random_state=0).fit(features[: len(train)], labels[: len(train)])
    scores = model.predict_proba(features[len(train) :])[:, 1]
    return round(float(roc_auc_score(labels[len(train) :], scores)), 4)


if __name__ == "__main__":
    main()
