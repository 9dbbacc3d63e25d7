"""What the game released, and the table it stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Parts
from oracledp.game.data_player import Codes
from oracledp.game.linked import LinkedQueries


@dataclass(frozen=True, eq=False)
class Play:
    """The query of each round and the records drawn against the earlier ones; later rounds may weigh more.

    ``weights`` are whole numbers, one per round: all ones for the paper's uniform average, 1..T for the linear one.
    """

    queries: tuple[Parts, ...]
    draws: tuple[Codes, ...]
    weights: tuple[int, ...]

    def regret(self, linked: LinkedQueries, domain: Codes) -> float:
        """The data player's average regret against the best record of ``domain``, from released queries alone."""
        played = np.mean([linked.values(codes)[:, t].mean() for t, codes in enumerate(self.draws)])
        best = linked.values(domain).mean(axis=1).max()
        return float(best - played)

    def average(self, rows: int, rng: np.random.Generator) -> Codes:
        """``rows`` records of the average play: rounds by systematic counts, draws of a round evenly."""
        shares = np.array(self.weights, dtype=np.float64)
        edges = np.floor(np.concatenate([[0.0], np.cumsum(shares / shares.sum())]) * rows + rng.random())
        counts = np.diff(edges).astype(np.int64)
        counts[-1] += rows - counts.sum()
        chosen = [
            codes[rng.permutation(len(codes))[np.arange(count) % len(codes)]]
            for codes, count in zip(self.draws, counts, strict=True)
        ]
        return np.concatenate(chosen)


def proposal_weights(weights: tuple[int, ...], draws: int, total: int) -> NDArray[np.int64]:
    """Each draw's share of ``total``, in integers: round t has weights[t], spread over its draws, rounded."""
    whole = draws * sum(weights)
    each = [(2 * total * weight + whole) // (2 * whole) for weight in weights]
    return np.repeat(np.array(each, dtype=np.int64), draws)
