"""OracleQuery's accuracy: the query player's selection error and the data player's regret, balanced by T.

Constants are explicit. The bounds hold with probability 1 - β for the corrected algorithm: one selection over Q and its
negations per round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from oracledp.bounds.regret import context_ftpl
from oracledp.bounds.sampling import sampling_error
from oracledp.bounds.selection import exponential, rspm_k_hot
from oracledp.bounds.shape import Shape
from oracledp.errors import ParameterError
from oracledp.privacy.accounting import zcdp_rho

PLAYERS = ("exponential", "rspm")


@dataclass(frozen=True)
class GameBound:
    """The error of the synthetic table on every query, with probability 1 - β, and where it comes from."""

    rounds: int
    epsilon_round: float
    selection: float
    regret: float
    sampling: float

    @property
    def error(self) -> float:
        """The sum: (γ_D + γ_Q) and the draws that stand for distributions."""
        return self.selection + self.regret + self.sampling


@dataclass(frozen=True)
class Game:
    """The public numbers of a query-release game: the class closed under negation, the domain, the privacy."""

    closed: Shape
    dual: int
    log_domain: float
    epsilon: Fraction
    delta: Fraction
    rows: float
    beta: float = 0.05
    draws: int = 400
    player: str = "exponential"

    def bound(self, rounds: int) -> GameBound:
        """The bound after a number of rounds; β is shared by the selections and the draws of all rounds.

        The synthetic table is all draws together. On it the payoff of any query is at most the average of the best
        responses to each round's draws, so what the draws differ from the played distribution counts once.
        """
        share = self.beta / (2 * rounds)
        per_round, selection = self._selection(rounds, share)
        regret = context_ftpl(self.dual, self.log_domain, rounds=rounds).regret
        sampling = sampling_error(self.closed.log_size, draws=self.draws, beta=share)
        return GameBound(rounds, per_round, selection, regret, sampling)

    def _selection(self, rounds: int, beta: float) -> tuple[float, float]:
        rho = float(zcdp_rho(self.epsilon, self.delta))
        if self.player == "exponential":
            per_round = sqrt(8 * rho / rounds)
            return per_round, exponential(self.closed.log_size, epsilon=per_round, rows=self.rows, beta=beta)
        if self.player == "rspm":
            per_round = max(sqrt(2 * rho / rounds), float(self.epsilon) / rounds)
            return per_round, rspm_k_hot(
                self.closed.hot, self.closed.parts, epsilon=per_round, rows=self.rows, beta=beta, size=self.closed.size
            )
        raise ParameterError(f"player must be 'exponential' or 'rspm', got {self.player!r}")

    def best(self, most: int = 1 << 24) -> GameBound:
        """The best number of rounds: the bound falls, then rises."""
        return self.bound(_least(lambda rounds: self.bound(rounds).error, most))


def _least(value: Callable[[int], float], most: int) -> int:
    """The best power of √2, then the best of a finer grid around it."""
    coarse = sorted({round(2 ** (i / 2)) for i in range(2 * most.bit_length())})
    start = min(coarse, key=value)
    fine = sorted({max(1, round(start * 1.06**i)) for i in range(-6, 7)})
    return min(fine, key=value)
