"""What the game released, and the table it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.linked import LinkedQueries
from oracledp.classes.tables import Parts
from oracledp.errors import ModelError
from oracledp.game.data_player import Codes


@dataclass(frozen=True, eq=False)
class Play:
    """The query of each round and the records drawn against the earlier ones; later rounds may weigh more.

    ``weights`` are whole numbers, one per round: all ones for the paper's uniform average, 1..T for the linear one.
    """

    queries: tuple[Parts, ...]
    draws: tuple[Codes, ...]
    weights: tuple[int, ...]

    @cached_property
    def records(self) -> Codes:
        """All draws, one round after the other."""
        return np.concatenate(self.draws)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each record in the average."""
        each = [np.full(len(codes), w / len(codes)) for codes, w in zip(self.draws, self.weights, strict=True)]
        shares = np.concatenate(each)
        return np.asarray(shares / shares.sum())

    def regret(self, linked: LinkedQueries, domain: Codes) -> float:
        """The data player's average regret against the best record of ``domain``, from released queries alone."""
        weights = np.array(self.weights, dtype=np.float64) / sum(self.weights)
        played = [linked.values(codes)[:, t].mean() for t, codes in enumerate(self.draws)]
        best = (linked.values(domain) @ weights).max()
        return float(best - weights @ np.array(played))

    def average(self, rows: int, rng: np.random.Generator, allowed: NDArray[np.bool_] | None = None) -> Codes:
        """``rows`` records of the average play by systematic sampling: each draw occurs its share times, rounded.

        Only the ``allowed`` draws, if given; the rows come in random order.
        """
        kept = np.arange(len(self.records)) if allowed is None else np.flatnonzero(allowed)
        if not len(kept):
            raise ModelError("no record of the game satisfies these conditions and the schema's deny rules")
        kept = rng.permutation(kept)
        edges = np.cumsum(self.shares[kept])
        places = (np.arange(rows) + rng.random()) / rows * edges[-1]
        chosen = kept[np.minimum(np.searchsorted(edges, places, side="right"), len(kept) - 1)]
        return self.records[rng.permutation(chosen)]
