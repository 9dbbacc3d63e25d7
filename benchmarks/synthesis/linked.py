"""Two linked tables, real against synthetic: ``python -m benchmarks.synthesis.linked [--bank bank_full.csv.gz]``.

*clinic* is generated: age, sex, region, smoker; visits whose number depends on age and smoking, with a ward that is
set by both, a cost that goes by ward and age, an urgency that depends on the ward. *bank* has the profiles (age, job,
marital, education) of UCI's bank table as parents and the clients of a profile as children. Lines are printed as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas

from oracledp.data.schema import Schema
from oracledp.data.table.linked import LinkedTable
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.linked import LinkedSynthesizer

Frames = tuple[pandas.DataFrame, pandas.DataFrame, Schema, Schema]


def clinic(persons: int) -> Frames:
    """Parents and children with a planted dependence."""
    draw = np.random.default_rng(1)
    age, sex = draw.integers(18, 90, persons), draw.integers(0, 2, persons)
    region = draw.choice(list("ABCDE"), persons, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    smoker = draw.random(persons) < np.where(sex == 1, 0.35, 0.2)
    owner = np.repeat(np.arange(persons), draw.poisson(0.4 + (age - 18) / 40 + 0.8 * smoker))
    old, smokes = age[owner] - 18, smoker[owner]
    chances = np.stack([np.ones(len(owner)), 0.3 + old / 50, 0.1 + 0.02 * old * smokes], axis=1)
    ward = (draw.random(len(owner))[:, None] > np.cumsum(chances / chances.sum(1, keepdims=True), axis=1)).sum(1)
    cost = np.clip(ward * 250 + 5 * old + draw.gamma(2, 60, len(owner)), 0, 1990).astype(int) // 10 * 10
    urgent = draw.random(len(owner)) < np.where(ward == 2, 0.7, 0.15)
    people = {"id": np.arange(persons), "age": age, "sex": sex, "region": region, "smoker": smoker}
    visits = {"id": owner, "ward": np.array(["checkup", "acute", "surgery"])[ward], "cost": cost, "urgent": urgent}
    return (
        pandas.DataFrame(people),
        pandas.DataFrame(visits),
        Schema({"age": "integer 18..89", "sex": "0 | 1", "region": "A | B | C | D | E", "smoker": "boolean"}),
        Schema({"ward": "checkup | acute | surgery", "cost": "integer 0..1999 by 10", "urgent": "boolean"}),
    )


def bank(path: str) -> Frames:
    """Profiles of clients, and the clients of each."""
    rows = pandas.read_csv(path, sep=None, engine="python")
    profile = ["age", "job", "marital", "education"]
    rows["id"] = rows.groupby(profile).ngroup()
    parents = rows.drop_duplicates("id")[["id", *profile]]
    children = rows[["id", "balance", "housing", "loan", "duration", "y"]]
    listed = {
        name: " | ".join(sorted(map(str, rows[name].unique()))) for name in (*profile[1:], "housing", "loan", "y")
    }
    people = {"age": "integer 18..95", **{name: listed[name] for name in profile[1:]}}
    clients = {"balance": "integer -8019..102127 by 1", "housing": listed["housing"], "loan": listed["loan"],
               "duration": "integer 0..4918 by 1", "y": listed["y"]}  # fmt: skip
    return parents, children, Schema(people), Schema(clients)


def line(name: str, frames: Frames, epsilon: str, most: int, seed: int) -> dict[str, Any]:
    """One seeded fit."""
    parents, children, *schemas = frames
    synthesizer = LinkedSynthesizer(*schemas, epsilon=epsilon, delta="1e-6", rows_per_person=most)
    table = LinkedTable.from_frames(parents, children, synthesizer.linked("id"))
    start = time.process_time()
    synthesizer.fit(table, source=SeededRandomness(seed))
    synthesizer.sample(len(parents), seed=seed)
    seconds = time.process_time() - start
    found = synthesizer.quality(table, seed=seed)
    related = [pair for pair in found.pairs if pair.correlations is not None]
    return {
        "table": name, "persons": len(parents), "most": most, "epsilon": epsilon, "seed": seed,
        "numbers": round(found.numbers_distance, 4), "pairs": round(found.pairs_distance, 4),
        "child_texts": {gap.column: round(gap.distance, 4) for gap in found.children.texts},
        "child_means": {gap.column: (round(gap.real.mean, 2), round(gap.made.mean, 2))
                        for gap in found.children.values},
        "correlations": {f"{pair.parent}/{pair.child}": tuple(round(one, 3) for one in pair.correlations or ())
                         for pair in related},
        "cpu_seconds": round(seconds, 1),
    }  # fmt: skip


def main() -> None:
    """Print a line for each fit."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bank")
    parser.add_argument("--persons", type=int, default=10_000)
    parser.add_argument("--epsilons", default="0.1,1")
    parser.add_argument("--most", default="5")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    name, frames = ("clinic", clinic(options.persons)) if options.bank is None else ("bank", bank(options.bank))
    for epsilon in options.epsilons.split(","):
        for most in map(int, options.most.split(",")):
            for seed in range(options.runs):
                print(json.dumps(line(name, frames, epsilon, most, seed)), flush=True)


if __name__ == "__main__":
    main()
