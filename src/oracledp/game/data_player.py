"""The data player: Context-FTPL over records. It sees released queries only, so its oracle may be any heuristic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.game.linked import LinkedQueries
from oracledp.schema import Schema

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class ContextFTPL:
    """Follow the perturbed leader: each draw minimises the past losses plus noise on the dual separator set.

    Losses are the negations of the released queries; the separator set of the dual is the single literals, so the
    noise (Laplace, scale ``perturbation``) is a cost on each column's codes. The oracle is coordinate descent from
    a random record, all draws side by side. Nothing here is private, so a plain generator serves.
    """

    schema: Schema
    perturbation: float
    sweeps: int = 4

    def play(self, past: LinkedQueries | None, count: int, rng: np.random.Generator) -> Codes:
        """``count`` independent draws from this round's distribution."""
        codes = np.stack([rng.integers(0, size, count) for size in self.schema.sizes], axis=1)
        costs = [self._noise(position, count, rng) for position in range(len(self.schema.columns))]
        return descend(codes, costs, past, sweeps=self.sweeps, rng=rng)

    def _noise(self, position: int, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Laplace noise on each literal of a column, summed over the literals that hold: draws × codes."""
        table = self.schema.columns[position].literal_table().astype(np.float32)
        draws = rng.laplace(scale=self.perturbation, size=(count, table.shape[1])).astype(np.float32)
        return np.asarray(draws @ table.T, dtype=np.float32)


def descend(
    codes: Codes,
    costs: list[NDArray[np.float32]],
    past: LinkedQueries | None,
    *,
    sweeps: int,
    rng: np.random.Generator,
) -> Codes:
    """Change one column of each record at a time to the code of least loss, until nothing moves or sweeps end."""
    codes = codes.copy()
    totals = None if past is None else past.totals(codes)
    for _ in range(sweeps):
        moved = False
        for column in rng.permutation(len(costs)):
            loss = costs[column].copy()
            if past is not None and totals is not None:
                _add_losses(loss, past, totals, codes, int(column))
            best = np.argmin(loss, axis=1)
            moved |= bool(np.any(best != codes[:, column]))
            if past is not None and totals is not None:
                table = past.scores[column]
                totals += (table[:, best] - table[:, codes[:, column]]).T
            codes[:, column] = best
        if not moved:
            break
    return codes


def _add_losses(
    loss: NDArray[np.float32], past: LinkedQueries, totals: NDArray[np.int32], codes: Codes, column: int
) -> None:
    """The loss of a record is minus the number of released queries (with sign) that hold on it."""
    table = past.scores[column]
    active = np.flatnonzero(np.any(table != table[:, :1], axis=1))
    if not len(active):
        return
    rest = totals[:, active] - table[active][:, codes[:, column]].T
    part = past.chosen(active)
    signs = part.signs.astype(np.float32)
    for code in range(table.shape[1]):
        loss[:, code] -= part.linked(rest + table[active, code]).astype(np.float32) @ signs
