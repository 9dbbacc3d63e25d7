"""Report Separator-Perturbed Min as the algorithm that is run again and again."""

from __future__ import annotations

from dataclasses import dataclass

from oracledp.mechanisms.objective import Minimum, Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.robust.runs import Array, Rows, Run, Tally
from oracledp.oracles.base import OUT_OF_MEMORY, Failed
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class RspmBase:
    """Report Separator-Perturbed Min as the base algorithm."""

    mechanism: ReportSeparatorPerturbedMin
    sign: int

    def draw(self, runs: int, source: Randomness) -> Array:
        """One row of lattice noise per run."""
        return self.mechanism.perturbation.draw_many(runs, source)

    def prepare(self, records: Rows, counts: Array) -> Run[Minimum]:
        """The objective of this part, to which each run adds its noise."""
        resolution = self.mechanism.perturbation.resolution
        objective = Objective.of(self.mechanism.queries, records, self.sign * counts, resolution=resolution)
        return RspmRuns(self.mechanism, objective)


@dataclass(frozen=True, eq=False)
class RspmRuns:
    """The runs on one part: one at a time, or a whole batch in one call where oracle and noise allow it."""

    mechanism: ReportSeparatorPerturbedMin
    objective: Objective

    def __call__(self, noise: Array) -> Minimum | None:
        """One run."""
        return output_of(self.mechanism.run_with(self.objective, noise))

    def together(self, noise: Array, kept: int | None) -> Tally[Minimum] | None:
        """All runs of a batch."""
        found = self.mechanism.run_many_with(self.objective, noise)
        if found is None:
            return None
        if isinstance(found, Failed):
            output_of(found)
            return Tally(passed=False)
        passed = bool(found.answered.all())
        return Tally(passed, found.at(kept) if passed and kept is not None else None)


def output_of(found: Minimum | Failed) -> Minimum | None:
    """What a run puts out, None for ⊥. Memory may have been used up by others: then the run must be repeated."""
    if isinstance(found, Minimum):
        return found
    if found.reason == OUT_OF_MEMORY:
        raise MemoryError
    return None
