"""Report Separator-Perturbed Min as the algorithm that is run again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracledp.mechanisms.objective import Minimum, Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.robust.runs import Array, Rows, Run
from oracledp.oracles.base import OUT_OF_MEMORY, Failed
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class RspmBase:
    """Report Separator-Perturbed Min as the base algorithm."""

    mechanism: ReportSeparatorPerturbedMin
    sign: int

    def draw(self, runs: int, source: Randomness) -> Array:
        """One row of lattice noise per run."""
        perturbation = self.mechanism.perturbation
        rows = [perturbation.draw(source) for _ in range(runs)]
        return np.array(rows, dtype=np.int64).reshape(runs, perturbation.coordinates)

    def prepare(self, records: Rows, counts: Array) -> Run[Minimum]:
        """The objective of this part, to which each run adds its noise."""
        resolution = self.mechanism.perturbation.resolution
        objective = Objective.of(self.mechanism.queries, records, self.sign * counts, resolution=resolution)

        return lambda noise: output_of(self.mechanism.run_with(objective, noise))


def output_of(found: Minimum | Failed) -> Minimum | None:
    """What a run puts out, None for ⊥. Memory may have been used up by others: then the run must be repeated."""
    if isinstance(found, Minimum):
        return found
    if found.reason == OUT_OF_MEMORY:
        raise MemoryError
    return None
