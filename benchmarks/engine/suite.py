"""All sections of the benchmark by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.engine import rates, searches
from benchmarks.engine.crossover import crossover
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.growth import growth
from benchmarks.engine.long_lists import long_lists
from benchmarks.engine.measure import Row, Settings
from benchmarks.engine.shared_work import threads
from benchmarks.engine.specialists import specialists
from benchmarks.engine.trees import decision_trees
from benchmarks.engine.verifying import verified

Section = Callable[[BenchmarkTable, Settings], Iterator[Row]]

SECTIONS: dict[str, Section] = {
    "monotone": searches.monotone,
    "negations": searches.negations,
    "hardest": searches.hardest,
    "parities": searches.parities,
    "halfspaces": searches.halfspaces,
    "lists": searches.decision_lists,
    "long-lists": long_lists,
    "trees": decision_trees,
    "specialists": specialists,
    "redraws": rates.redraws,
    "samples": rates.exponential_samples,
    "duals": rates.duals,
    "verified": verified,
    "growth": growth,
    "threads": threads,
    "crossover": crossover,
}


OWN = ("transform", "search", "exhaustive")


def run(name: str, table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """The rows of one section, as they are measured."""
    for row in SECTIONS[name](table, settings):
        yield {"section": name, "table": table.name, **row, **_ratio(row)}


def _ratio(row: Row) -> Row:
    """How many times as long as our first call CP-SAT took, at least, on a row that it was given.

    >>> _ratio({"first": 0.5, "peers": {"CP-SAT": {"seconds": 60.0, "finished": False}}})
    {'ratio_to_cp_sat': 120.0}
    >>> _ratio({"oracles": {"search": {"first": 0.5, "finished": True}, "cp-sat": {"first": 2.0, "finished": True}}})
    {'ratio_to_cp_sat': 4.0}
    """
    if "oracles" in row:
        outcomes = row["oracles"]
        theirs = outcomes.get("cp-sat", {}).get("first")
        done = [outcomes[name]["first"] for name in OWN if outcomes.get(name, {}).get("finished")]
        ours = min(done, default=None)
    else:
        theirs = row.get("peers", {}).get("CP-SAT", {}).get("seconds")
        ours = row.get("first", row.get("again"))
    return {} if theirs is None or ours is None else {"ratio_to_cp_sat": theirs / max(ours, 1e-6)}
