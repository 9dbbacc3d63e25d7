"""The data player: Context-FTPL over records. It sees released queries only, so its oracle may be any heuristic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.linked import LinkedQueries
from oracledp.data.schema import Schema

Codes = NDArray[np.int64]
Costs = list[NDArray[np.float32]]


@dataclass(frozen=True)
class ContextFTPL:
    """Follow the perturbed leader: each draw minimises the past losses plus noise on the dual separator set.

    Losses are the negations of the released queries; the tests ``column = code`` tell all records apart, so they are
    a separator set of the dual and the noise (Laplace, scale ``perturbation``) is a cost on each column's codes. The
    oracle is coordinate descent from a random record, all draws side by side. Nothing here is private, so a plain
    generator serves.
    """

    schema: Schema
    perturbation: float
    sweeps: int = 4

    def play(self, past: LinkedQueries | None, count: int, rng: np.random.Generator) -> Codes:
        """``count`` independent draws from this round's distribution."""
        codes = np.stack([rng.integers(0, size, count) for size in self.schema.sizes], axis=1)
        return descend(codes, self.noise(count, rng), past, sweeps=self.sweeps, rng=rng)

    def noise(self, count: int, rng: np.random.Generator) -> Costs:
        """Independent noise on every ``column = code`` (one of two for a column of two): per column draws × codes."""
        costs = []
        for size in self.schema.sizes:
            draws = rng.laplace(scale=self.perturbation, size=(count, size)).astype(np.float32)
            if size == 2:
                draws[:, 0] = 0
            costs.append(draws)
        return costs


def descend(codes: Codes, costs: Costs, past: LinkedQueries | None, *, sweeps: int, rng: np.random.Generator) -> Codes:
    """Change one column of each record at a time to the code of least loss, until nothing moves or sweeps end."""
    codes = codes.copy()
    if past is None:
        return np.stack([np.argmin(cost, axis=1) for cost in costs], axis=1)
    totals = past.totals(codes)
    for _ in range(sweeps):
        moved = False
        for column in rng.permutation(len(costs)):
            best = np.argmin(costs[column] - past.gains(column, totals, codes), axis=1)
            changed = np.flatnonzero(best != codes[:, column])
            if len(changed):
                moved = True
                table, rows = past.scores[column], past.active[column]
                step = table[np.ix_(rows, best[changed])] - table[np.ix_(rows, codes[changed, column])]
                totals[np.ix_(changed, rows)] += step.T
                codes[:, column] = best
        if not moved:
            break
    return codes
