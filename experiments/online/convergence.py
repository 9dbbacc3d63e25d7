"""Players of a hard game with a best-response oracle: rounds until the row player is a quarter from optimal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from experiments.online import theorems
from experiments.online.hard_games import HardGame
from oracledp.errors import ParameterError

NEAR = 0.25  # the approximation at which Hazan and Koren's bound speaks


@dataclass(frozen=True)
class Progress:
    """What a player needed: rounds, and time where an oracle call costs the size of the strategy it is asked about.

    ``gaps[t]`` is how much more than the value the average row strategy may have to pay after t+1 rounds.
    """

    player: str
    rounds: int
    converged: bool
    time: int
    gaps: tuple[float, ...]


def converge(player: str, game: HardGame, *, seed: int, most_rounds: int = 100_000, near: float = NEAR) -> Progress:
    """Let a player play until its average strategy is ``near`` optimal, or the rounds are used up.

    ``fictitious-play`` answers the opponent's average; ``perturbed-leader`` adds random weights on d random columns
    (fresh at every round) and is answered play by play; ``hedge`` keeps a weight for each of the N rows.

    >>> converge("hedge", HardGame.random(8, seed=1), seed=0).converged
    True
    """
    if player not in PLAYERS:
        raise ParameterError(f"player must be one of {', '.join(PLAYERS)}, got {player!r}")
    return PLAYERS[player](game, np.random.default_rng(seed), most_rounds, near)


class _Record:
    """The rounds of one run: the row player's plays, the time, and the gap after each round."""

    def __init__(self, player: str, game: HardGame, near: float) -> None:
        self.player, self.game, self.near = player, game, near
        self.counts: dict[int, float] = {}
        self.gaps: list[float] = []
        self.time = 0

    def add(self, row: int, cost: int) -> bool:
        """Count a play; whether the average is near enough now."""
        self.counts[row] = self.counts.get(row, 0.0) + 1
        self.time += cost
        rows, weights = np.fromiter(self.counts, np.int64), np.fromiter(self.counts.values(), np.float64)
        self.gaps.append(self.game.row_gap(rows, weights))
        return self.gaps[-1] <= self.near

    def done(self, converged: bool) -> Progress:
        return Progress(self.player, len(self.gaps), converged, self.time, tuple(self.gaps))


def _fictitious_play(game: HardGame, rng: np.random.Generator, most_rounds: int, near: float) -> Progress:
    record = _Record("fictitious-play", game, near)
    row, column = (int(v) for v in rng.integers(game.size, size=2))
    rows, columns = [row], [column]
    converged = record.add(row, 1)
    while not converged and len(rows) < most_rounds:
        ones = np.ones(len(rows))
        row, column = (
            game.row_response(np.array(columns), ones),
            game.column_response(np.array(rows), ones),
        )
        rows.append(row)
        columns.append(column)
        converged = record.add(row, 2 * len(rows))
    return record.done(converged)


def _perturbed_leader(game: HardGame, rng: np.random.Generator, most_rounds: int, near: float) -> Progress:
    record = _Record("perturbed-leader", game, near)
    columns: list[int] = []
    converged = False
    while not converged and len(columns) < most_rounds:
        extra = rng.integers(game.size, size=game.dimension)
        weights = rng.exponential(np.sqrt(1 + len(columns)), size=game.dimension)
        support = np.concatenate([np.array(columns, dtype=np.int64), extra])
        row = game.row_response(support, np.concatenate([np.ones(len(columns)), weights]))
        columns.append(game.column_response(np.array([row]), np.ones(1)))
        converged = record.add(row, len(support) + 1)
    return record.done(converged)


def _hedge(game: HardGame, rng: np.random.Generator, most_rounds: int, near: float) -> Progress:
    vertices = np.arange(game.size)
    rate = np.sqrt(8 * np.log(game.size) / theorems.multiplicative_weights_rounds(np.log(game.size), error=near))
    past, average = np.zeros(game.size), np.zeros(game.size)
    gaps: list[float] = []
    while len(gaps) < most_rounds:
        weights = np.exp(-rate * (past - past.min()))
        weights /= weights.sum()
        column = game.column_response(vertices, weights)
        past += game.payoff(vertices, np.array(column))
        average += weights
        gaps.append(game.row_gap(vertices, average))
        if gaps[-1] <= near:
            break
    return Progress("hedge", len(gaps), gaps[-1] <= near, len(gaps) * game.size, tuple(gaps))


PLAYERS: dict[str, Callable[[HardGame, np.random.Generator, int, float], Progress]] = {
    "fictitious-play": _fictitious_play,
    "perturbed-leader": _perturbed_leader,
    "hedge": _hedge,
}
