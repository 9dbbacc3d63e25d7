"""PRSMA: designs against the paper's and older ones, error against rows, oracle calls per second, over workers too.

Run: python -m benchmarks.prsma [designs|theorems|error|speed] [--quick] [--json]
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np
from experiments.paper_constants import paper_design
from experiments.parts.designer import design_parts

from oracledp.classes import ZeroOneLoss
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.learning.models import accuracy, rule_class
from oracledp.mechanisms.robust import Design, NothingReleased, certified_delta, design_prsma, prsma

FEATURES = 10
BUDGETS = {"1e-4": (6_000, 20_000, 100_000), "1e-6": (200_000, 1_000_000, 10_000_000)}
OLDER = {("note", "1e-6"): 280_000_000, ("T2+T3", "1e-6"): 5_000_000, ("T2+T4", "1e-6"): 5_000_000}
OLDER |= {("note", "1e-4"): 650_000, ("T2+T3", "1e-4"): 60_000, ("T2+T4", "1e-4"): 60_000}


def row(name: str, design: Design, seconds: float) -> dict[str, Any]:
    return {
        "theorem": name,
        "epsilon": float(design.epsilon),
        "delta": float(design.delta),
        "rows": design.rows,
        "parts": design.parts,
        "runs_per_part": design.runs_per_part,
        "calls": design.calls,
        "signal_over_sqrt_rows": round(design.relative_signal, 4),
        "certified_delta": float(certified_delta(design)),
        "beta": round(float(design.beta), 4),
        "seconds": round(seconds, 2),
    }


def designs(quick: bool) -> list[dict[str, Any]]:
    """Certified designs at epsilon = 1 and a million rows; then other rows and epsilons."""
    wanted: list[tuple[str, Any, str, int, int]] = []
    for delta, budgets in BUDGETS.items():
        wanted.append(("paper", 1, delta, 10**6, 0))
        wanted += [(t, 1, d, 10**6, calls) for (t, d), calls in OLDER.items() if d == delta]
        wanted += [("independent", 1, delta, 10**6, budgets[1])]
        wanted += [("two-sample", 1, delta, 10**6, calls) for calls in (budgets[-1:] if quick else budgets)]
    if not quick:
        wanted += [("two-sample", 1, "1e-6", rows, 10**6) for rows in (10**4, 10**5, 10**8)]
        wanted += [("two-sample", epsilon, "1e-6", 10**6, 10**6) for epsilon in ("1/2", 2, 3)]
    found = []
    for theorem, epsilon, delta, rows, calls in wanted:
        start = time.process_time()
        try:
            if theorem == "paper":
                design = paper_design(epsilon=epsilon, delta=delta, rows=rows)
            elif theorem == "two-sample":
                design = design_prsma(epsilon=epsilon, delta=delta, rows=rows, max_calls=calls)
            else:
                design = design_parts(epsilon=epsilon, delta=delta, rows=rows, max_calls=calls, theorem=theorem)
        except ParameterError as error:
            found.append({"theorem": theorem, "delta": delta, "calls": calls, "error": str(error)})
            continue
        found.append(row(theorem, design, time.process_time() - start))
    return found


def theorems(quick: bool) -> list[dict[str, Any]]:
    """Theorem 7 against Theorem 5, the best of those on parts: every ε, then one number changed at ε = 1 and ε = 10."""
    usual = {"delta": "1e-6", "beta": "1/100", "max_calls": 10**6, "rows": 10**6}
    other = [{"delta": "1e-4"}, {"delta": "1e-9", "max_calls": 10**9}, {"beta": "3/10"}, {"max_calls": 10**8},
             {"delta": "1e-4", "max_calls": 20_000}, {"rows": 10**4}, {"rows": 10**9}]  # fmt: skip
    tasks: list[dict[str, Any]] = [usual | {"epsilon": epsilon} for epsilon in ("1", "3", "5", "10", "30", "3/10")]
    tasks += [usual | {"epsilon": epsilon} | change for epsilon in ("10", "1") for change in other]
    found = []
    for task in tasks[:2] if quick else tasks:
        line = dict(task)
        for name, find in (("two-sample", design_prsma), ("independent", design_parts)):
            try:
                line[name] = round(find(**task).relative_signal, 4)  # type: ignore[operator]
            except ParameterError:
                line[name] = None
        found.append(line)
        print(line, file=sys.stderr, flush=True)
    return found


def planted(rows: int, chance: np.random.Generator) -> tuple[Table, ZeroOneLoss]:
    """A histogram of random features whose label is a conjunction of two of them, one label in ten wrong."""
    names = [f"x{i}" for i in range(FEATURES)] + ["y"]
    schema = Schema({name: {"kind": "boolean"} for name in names})
    cells = np.arange(2 ** (FEATURES + 1))
    bits = (cells[:, None] >> np.arange(FEATURES + 1)) & 1
    right = (bits[:, 0] & bits[:, 1]) == bits[:, -1]
    counts = chance.multinomial(rows, np.where(right, 0.9, 0.1) / 2**FEATURES)
    table = Table.from_codes(bits[counts > 0].astype(np.uint8), schema, counts[counts > 0])
    features = schema.literals.without("y")
    return table, rule_class("conjunction", features, schema.literals[FEATURES], size=2)


def error(quick: bool) -> list[dict[str, Any]]:
    """Error above the best rule against the number of rows, (1, 1e-4)-DP, three runs each."""
    found = []
    for rows in (10**4, 10**5, 10**6) if quick else (10**4, 3 * 10**4, 10**5, 10**6, 10**7, 10**8):
        table, rules = planted(rows, np.random.default_rng(0))
        design = design_prsma(epsilon=1, delta="1e-4", rows=rows, max_calls=20_000)
        start, results = time.perf_counter(), []
        for _ in range(1 if quick else 3):
            release = prsma(table, rules, epsilon=1, delta="1e-4", design=design)
            missed = isinstance(release, NothingReleased)
            results.append(None if missed else round(0.9 - accuracy(release, table), 4))
        seconds = (time.perf_counter() - start) / len(results)
        found.append({"rows": rows, "calls": design.calls, "excess_errors": results, "seconds": round(seconds, 2)})
    return found


def speed(quick: bool) -> list[dict[str, Any]]:
    """Oracle calls per second, alone and over workers."""
    table, rules = planted(10**6, np.random.default_rng(0))
    design = design_prsma(
        epsilon=1, delta="1e-4" if quick else "1e-5", rows=10**6, max_calls=20_000 if quick else 200_000
    )
    found = []
    for parallel in ("none", "joblib"):
        start = time.perf_counter()
        prsma(table, rules, epsilon=1, delta=design.delta, design=design, parallel=parallel)
        seconds = time.perf_counter() - start
        workers = 1 if parallel == "none" else os.cpu_count()
        rate = round(design.calls / seconds)
        found.append({"parallel": parallel, "workers": workers, "calls": design.calls, "calls_per_second": rate})
    return found


def main(arguments: list[str]) -> None:
    quick, as_json = "--quick" in arguments, "--json" in arguments
    chosen = [a for a in arguments if not a.startswith("--")] or ["designs", "error", "speed"]
    parts = {"designs": designs, "theorems": theorems, "error": error, "speed": speed}
    report = {name: parts[name](quick) for name in chosen}
    if as_json:
        print(json.dumps(report, indent=2))
        return
    for name, rows in report.items():
        print(f"\n{name}")
        for line in rows:
            shown = (
                f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in line.items()
            )
            print("  " + "  ".join(shown))


if __name__ == "__main__":
    main(sys.argv[1:])
