"""The meta-game of the barrier's proof, for small N: one fixed set of games that is hard for every algorithm of a list.

Rows of the meta-game are hard games, columns are algorithms, entries are running times. The lower-bound player plays
multiplicative weights over games, the algorithm player answers best; the games that were drawn form the set H, and
stacking their matrices gives one query class with values in {0, 1/4, 3/4, 1} (erratum A10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.online.convergence import converge
from experiments.online.hard_games import HardGame

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Algorithm:
    """One column: a player with its coins fixed."""

    player: str
    seed: int

    def time(self, game: HardGame, cap: int) -> int:
        """Rounds until a quarter from optimal; past the cap multiplicative weights takes over."""
        progress = converge(self.player, game, seed=self.seed, most_rounds=cap)
        return progress.rounds if progress.converged else cap + converge("hedge", game, seed=0).rounds


@dataclass(frozen=True, eq=False)
class MetaGame:
    """Running times of algorithms (columns) on games (rows), and a sparse hard mixture of games."""

    games: tuple[HardGame, ...]
    algorithms: tuple[Algorithm, ...]
    times: Floats

    @classmethod
    def measure(cls, games: Sequence[HardGame], algorithms: Sequence[Algorithm]) -> MetaGame:
        """Run every algorithm on every game; the cap is N·ln N, as in the proof."""
        size = games[0].size
        cap = int(np.ceil(size * np.log(size)))
        times = [[float(algorithm.time(game, cap)) for algorithm in algorithms] for game in games]
        return cls(tuple(games), tuple(algorithms), np.array(times))

    def hard_set(self, rounds: int, *, seed: int) -> tuple[NDArray[np.int64], float]:
        """The games drawn in so many rounds, and the least average time of any algorithm over them."""
        rng = np.random.default_rng(seed)
        scaled = self.times / self.times.max()
        past, drawn = np.zeros(len(self.games)), []
        rate = np.sqrt(8 * np.log(len(self.games)) / rounds)
        for _ in range(rounds):
            law = np.exp(rate * (past - past.max()))
            law /= law.sum()
            drawn.append(int(rng.choice(len(law), p=law)))
            past += scaled[:, int(np.argmin(law @ scaled))]
        chosen = np.array(drawn)
        return chosen, float(self.times[chosen].mean(axis=0).min())


def stack(games: Sequence[HardGame]) -> Floats:
    """R of the proof: the matrices side by side, one query per row, one record per column of each game.

    >>> stack([HardGame.random(3, seed=s) for s in range(4)]).shape
    (8, 32)
    """
    return np.concatenate([game.matrix() for game in games], axis=1)
