"""The game on real tables, in the metrics of the synthesis benchmark.

``python -m benchmarks.oracle_query_adult [--tables adult] …``

The class: all conjunctions of at most three literals of the schema (equalities, thresholds on ordered columns).
One line of JSON per run. Tables come from the folder in ORACLEDP_DATA; those not at hand are skipped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import oracledp as odp
from benchmarks.synthesis.metrics import errors
from benchmarks.synthesis.tables import load
from oracledp.game.oracle_query import OracleQuery


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default="adult-bin24,adult")
    parser.add_argument("--epsilons", default="0.1,1,3")
    parser.add_argument("--players", default="exponential,rspm")
    parser.add_argument("--rounds", type=int)
    options = parser.parse_args()
    for name in options.tables.split(","):
        try:
            table, _ = load(name)
        except FileNotFoundError as missing:
            print(f"skipped {name}: no file {missing.filename}", file=sys.stderr)
            continue
        queries = odp.Conjunctions(table.schema.literals, max_width=3)
        for epsilon in options.epsilons.split(","):
            for player in options.players.split(","):
                start = time.process_time()
                game = OracleQuery(
                    table.schema, epsilon=epsilon, delta="1e-6", queries=queries, query_player=player,
                    rounds=options.rounds,
                ).fit(table)  # fmt: skip
                made = game.sample_codes(seed=0)
                seconds = time.process_time() - start
                found = {key: round(value, 5) for key, value in errors(table, made, ()).items()}
                line = {"table": name, "player": player, "epsilon": epsilon, "T": len(game.play_.queries), **found}
                print(json.dumps({**line, "cpu_seconds": round(seconds, 1)}), flush=True)


if __name__ == "__main__":
    main()
