"""OracleQuery's accuracy: the query player's selection error and the data player's regret, balanced by T.

The paper's three corollaries are rates (constants hidden in O-tilde); the corrected ones have explicit constants and
are valid with probability 1 - β for the corrected algorithm: one selection over Q and its negations per round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log, pow, sqrt

from oracledp.bounds.regret import context_ftpl
from oracledp.bounds.sampling import sampling_error
from oracledp.bounds.selection import exponential, rspm_k_hot
from oracledp.bounds.shape import Shape
from oracledp.errors import ParameterError
from oracledp.privacy.accounting import zcdp_rho

PLAYERS = ("exponential", "rspm")


# ---- the paper's rates ---------------------------------------------------------------------------------
def private_oracle_rate(
    dual: int, log_size: float, log_domain: float, *, epsilon: float, delta: float, rows: float, beta: float
) -> float:
    """Bound 3, a private oracle as good as the exponential mechanism."""
    inner = dual**0.75 * sqrt(log_domain * log(1 / delta)) * (log_size + log(1 / beta)) / (rows * epsilon)
    return sqrt(inner)


def gaussian_rate(
    elements: int, dual: int, log_domain: float, *, epsilon: float, delta: float, rows: float, beta: float
) -> float:
    """Bound 1, Gaussian RSPM: m1^{3/2} is void by E2; with the noise that privacy needs it is m1²."""
    inner = elements**1.5 * dual**0.75 * sqrt(log(elements / beta) * log_domain) * log(1 / delta) / (rows * epsilon)
    return sqrt(inner)


def gaussian_rate_corrected(
    elements: int, dual: int, log_domain: float, *, epsilon: float, delta: float, rows: float, beta: float
) -> float:
    """Bound 1 with the true noise of order m1/ε0: one more factor sqrt(m1) inside."""
    paper = gaussian_rate(elements, dual, log_domain, epsilon=epsilon, delta=delta, rows=rows, beta=beta)
    return paper * sqrt(sqrt(elements))


def prsma_rate(elements: int, dual: int, log_size: float, log_domain: float, *, epsilon: float, rows: float) -> float:
    """Bound 2, PRSMA with Laplace RSPM."""
    dual_side = sqrt(sqrt(dual)) * pow(log_domain, 1 / 6)
    return dual_side * (pow(elements, 4 / 3) + pow(log_size, 1 / 3)) / pow(rows * epsilon, 1 / 3)


@dataclass(frozen=True)
class ConjunctionRates:
    """The conjunction example: the three rates for all 2^d conjunctions, and the best inefficient one."""

    gaussian: float
    prsma: float
    private_oracle: float
    inefficient: float


def conjunctions_paper(dimension: int, *, epsilon: float, rows: float) -> ConjunctionRates:
    """d^{11/8}, d^{7/4}/(εn)^{1/3}, d^{9/8} and d^{3/4} over sqrt(εn)."""
    root, cube = sqrt(epsilon * rows), (epsilon * rows) ** (1 / 3)
    d = float(dimension)
    return ConjunctionRates(d ** (11 / 8) / root, d ** (7 / 4) / cube, d ** (9 / 8) / root, d ** (3 / 4) / root)


def conjunctions_corrected(dimension: int, *, epsilon: float, rows: float) -> ConjunctionRates:
    """The same with d^{13/8} for Gaussian RSPM (E2); the others survive.

    >>> rates = conjunctions_corrected(16, epsilon=1, rows=10**6)
    >>> round(rates.gaussian / conjunctions_paper(16, epsilon=1, rows=10**6).gaussian, 6) == 16 ** 0.25
    True
    """
    paper = conjunctions_paper(dimension, epsilon=epsilon, rows=rows)
    return ConjunctionRates(
        paper.gaussian * float(dimension) ** 0.25, paper.prsma, paper.private_oracle, paper.inefficient
    )


# ---- explicit constants --------------------------------------------------------------------------------
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
