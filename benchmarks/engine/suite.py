"""All sections of the benchmark by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.engine import rates, searches
from benchmarks.engine.crossover import crossover
from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.growth import growth
from benchmarks.engine.measure import Row, Settings
from benchmarks.engine.verifying import verified

Section = Callable[[BenchmarkTable, Settings], Iterator[Row]]

SECTIONS: dict[str, Section] = {
    "monotone": searches.monotone,
    "negations": searches.negations,
    "hardest": searches.hardest,
    "parities": searches.parities,
    "halfspaces": searches.halfspaces,
    "lists": searches.decision_lists,
    "redraws": rates.redraws,
    "samples": rates.exponential_samples,
    "duals": rates.duals,
    "verified": verified,
    "growth": growth,
    "crossover": crossover,
}


def run(name: str, table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """The rows of one section, as they are measured."""
    for row in SECTIONS[name](table, settings):
        yield {"section": name, "table": table.name, **row}
