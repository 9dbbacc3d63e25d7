"""How long a mechanism takes: measured on a random public table of the same shape."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.oracles.registry import resolve
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

MOST_RECORDS = 500  # the probe's table; longer ones are scaled up in proportion


@dataclass(frozen=True)
class Timing:
    """Seconds to read a table of the planned length, and seconds for each further run with fresh noise."""

    prepare: float
    redraw: float

    def total(self, runs: int) -> float:
        """The time of so many runs; the parts of PRSMA together are read once."""
        return self.prepare + self.redraw * max(1, runs)


def timing(queries: QueryClass, rows: int) -> Timing | None:
    """RSPM with the best total oracle on random distinct records, None where there is no such oracle.

    Random labels are the hard case for a search and real tables have duplicates, so they usually take less.
    """
    rng, count = np.random.default_rng(0), max(1, min(rows, MOST_RECORDS))
    records = rng.integers(0, 2, (count, queries.dimension)).astype(np.uint8)
    oracle = resolve("auto", queries)
    if not oracle.total:
        return None
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        queries, epsilon=Fraction(1), neighbours=Neighbours.REPLACE_ONE, oracle=oracle
    )
    weights = rng.choice(np.array([-1, 1]), count).astype(np.int64)
    resolution = mechanism.perturbation.resolution
    mechanism.run(Objective.of(queries, records[:1], weights[:1], resolution=resolution), SeededRandomness(0))  # warm
    objective = Objective.of(queries, records, weights, resolution=resolution)
    seconds = []
    for seed in range(2):
        started = perf_counter()
        mechanism.run(objective, SeededRandomness(seed))
        seconds.append(perf_counter() - started)
    distinct = min(rows, 1 << min(queries.dimension, 60))
    return Timing(max(0.0, seconds[0] - seconds[1]) * max(1.0, distinct / count), seconds[1])
