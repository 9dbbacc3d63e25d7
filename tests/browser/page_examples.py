"""The project's pages for a small table whose names hold markup."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas

import oracledp as odp
from oracledp.classes import Conjunctions
from oracledp.game.oracle_query import OracleQuery
from oracledp.learning import learn_table
from oracledp.randomness.source import SeededRandomness
from oracledp.report import internal_comparison
from oracledp.report.game import game_page
from oracledp.report.rule_page import rule_page
from oracledp.report.synthetic import synthetic_page
from oracledp.synthesis import Synthesizer
from oracledp.whole_files import write_whole

HOSTILE = "<script>alert(1)</script>&\"'"


def example() -> tuple[odp.Schema, pandas.DataFrame]:
    colours = ["red", "<b>green</b>", "a very long name of a colour that has no space to break: " + "x" * 60]
    columns = {
        "age": {"kind": "integer", "lo": 0, "hi": 59, "nullable": True},
        HOSTILE: {"kind": "categorical", "values": colours},
        **{f"column{number}": {"kind": "boolean"} for number in range(8)},
    }
    rng = np.random.default_rng(3)
    age = rng.integers(0, 60, 600)
    values: dict[str, object] = {
        "age": [None if a == 59 else int(a) for a in age],
        HOSTILE: [colours[i] for i in rng.integers(0, 3, 600)],
    }
    values |= {f"column{number}": rng.random(600) < age / 60 for number in range(8)}
    return odp.Schema({"columns": columns}), pandas.DataFrame(values)


def write_examples(folder: Path) -> dict[str, Path]:
    schema, frame = example()
    fitted = Synthesizer(schema, epsilon=2, delta="1e-5").fit(frame, source=SeededRandomness(5))
    synthetic, rule = folder / "synthetic.html", folder / "rule.html"
    write_whole(synthetic, synthetic_page(fitted.model_))
    table = odp.Table.from_frame(frame, schema)
    release = learn_table(
        table, schema.literal("column0"), epsilon=1, model="conjunction", size=2, source=SeededRandomness(6)
    )
    write_whole(rule, rule_page(release, rows=600))
    queries = Conjunctions(schema.literals.without("age").with_negations(), max_width=2)
    game = OracleQuery(schema, epsilon=1, delta="1e-6", queries=queries, rounds=8, draws=20)
    write_whole(folder / "game.html", game_page(game.fit(frame, source=SeededRandomness(7)).model_))
    internal = internal_comparison(frame, fitted, folder / "INTERNAL-comparison.html")
    return {"game": folder / "game.html", "synthetic": synthetic, "rule": rule, "internal": internal}
