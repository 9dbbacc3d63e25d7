"""Does the planner predict what mechanisms then do? Planned on a public part of each table, measured on the rest.

python -m benchmarks.planning [TABLE …]       # learners; --synthesis adds the synthesizer (a minute)
"""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

import oracledp as odp
from oracledp.exact.numbers import exact
from oracledp.learning.models import rule_class
from oracledp.planning.options import Option
from oracledp.planning.public import with_public_error
from oracledp.planning.selection import Question
from oracledp.planning.stand_in import StandIn

DATA = Path(os.environ.get("ORACLEDP_TABLES", Path(__file__).resolve().parents[2] / "shared/data/binary-tables.npz"))
TABLES = ("vote", "krkp", "compas", "mushroom", "adult")
REPLACE = odp.Neighbours.REPLACE_ONE


def table_of(X: np.ndarray, y: np.ndarray) -> odp.Table:
    names = [f"x{j}" for j in range(X.shape[1])] + ["y"]
    schema = odp.Schema({"columns": {name: {"kind": "boolean"} for name in names}})
    return odp.Table.from_frame(pd.DataFrame(np.column_stack([X, y]).astype(bool), columns=names), schema)


def learners(name: str) -> None:
    with np.load(DATA) as tables:
        X, y = tables[f"{name}__X"], tables[f"{name}__y"]
    order = np.random.default_rng(0).permutation(len(X))
    cut = len(X) // 2
    public, private = table_of(X[order[:cut]], y[order[:cut]]), table_of(X[order[cut:]], y[order[cut:]])
    target = public.schema.literal("y")
    queries = rule_class("conjunction", public.schema.literals.without("y"), target, size=2)
    for epsilon in ("0.03", "0.1", "0.3", "1"):
        made = odp.plan("learn", epsilon=epsilon, rows=private.rows, queries=queries, public=public, neighbours=REPLACE)
        for mechanism in ("exponential", "rspm"):
            report(name, epsilon, made, made.option(mechanism), queries, private)


def report(
    name: str, epsilon: str, made: odp.planning.Plan, option: Option, queries: odp.QueryClass, private: odp.Table
) -> None:
    """The same computation on the private rows measures: exactly for the exponential mechanism, else by 60 runs."""
    question = Question(
        queries,
        odp.bounds.Shape.of(queries),
        private.rows,
        exact(epsilon, "epsilon"),
        None,
        REPLACE,
        made.parameters["beta"],
    )
    measured = with_public_error(option, question, StandIn.public(queries, private)).public_error
    assert measured is not None
    assert option.public_error is not None
    assert option.mean_error is not None
    ratio = measured / option.public_error if option.public_error else float("nan")
    print(
        f"{name:9} ε={epsilon:5} {option.mechanism:12} predicted {option.public_error:.5f} measured {measured:.5f} "
        f"ratio {ratio:5.2f}  worst case, expected {option.mean_error:.5f}"
    )


def synthesis() -> None:
    """The largest error over all three-way cells of the 24-column table, against the planned noise."""
    source = DATA.parent / "adult-bin24.csv"
    if not source.exists():
        print(f"{source.name} is not here: skipped", file=sys.stderr)
        return
    frame = pd.read_csv(source).astype(bool)
    schema = odp.Schema({"columns": {name: {"kind": "boolean"} for name in frame.columns}})
    for epsilon in ("0.1", "1"):
        made = odp.plan("synth", epsilon=epsilon, delta="1e-6", rows=len(frame), schema=schema)
        fitted = odp.Synthesizer(schema, epsilon=epsilon, delta="1e-6").fit(frame)
        made_up = fitted.sample(len(frame)).astype(bool)
        option = made.option("synthesizer")
        largest, mean = _three_way(frame.to_numpy(), made_up[frame.columns].to_numpy())
        print(
            f"synthesizer ε={epsilon:4} largest: predicted {option.error:.4f} measured {largest:.4f}; "
            f"mean: predicted {option.mean_error:.5f} measured {mean:.5f}"
        )


def _three_way(real: np.ndarray, made: np.ndarray) -> tuple[float, float]:
    errors = []
    for columns in combinations(range(real.shape[1]), 3):
        cells = [np.bincount(table[:, columns] @ [1, 2, 4], minlength=8) / len(table) for table in (real, made)]
        errors.append(np.abs(cells[0] - cells[1]))
    return float(np.max(errors)), float(np.mean(errors))


def main() -> None:
    if not DATA.exists():
        print(f"{DATA.name} is not here: set ORACLEDP_TABLES to the file of binary tables", file=sys.stderr)
        return
    named = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    for name in named or TABLES:
        learners(name)
    if "--synthesis" in sys.argv:
        synthesis()


if __name__ == "__main__":
    main()
