"""The rules of one game: how many rounds and draws, how much noise and optimism, chosen from public numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, pow, sqrt

from oracledp.bounds import context_ftpl, rspm_k_hot_mean, rspm_separator_mean
from oracledp.classes.base import QueryClass
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.mechanisms.scoreboard import MOST_QUERIES
from oracledp.privacy.accounting import zcdp_rho

FEWEST_ROUNDS = 8
MOST_ROUNDS = 1000
MOST_SAMPLED_ROUNDS = 250  # where the class is too large to be listed, a round takes a good part of a second
LARGEST_ROUNDS = 5000  # that may be asked for: their exact composition takes a minute
DRAWS = 100
MOST_DRAWN = 10_000_000  # records of all rounds together
# Against a weighted average the last query is where the table is worst now, so the data player makes sure of it.
OPTIMISM = 10.0
RESPONSES = ("average", "play")
PLAYERS = ("exponential", "rspm", "rspm:separator", "rspm:gaussian", "surrogate", "prsma", "vote")


@dataclass(frozen=True)
class Rules:
    """How a game is played. Nothing here depends on the data but for the number of rows, which is public.

    ``averaging``: the query player answers the linearly weighted average of all proposals, which is what would be
    released now; otherwise the round's own proposal, and the average is uniform, as in the paper. ``optimism`` is how
    many times more the data player counts the last query (optimistic follow-the-leader); 0 is the paper's.
    """

    rounds: int
    draws: int
    averaging: bool
    perturbation: float
    optimism: float

    @property
    def weights(self) -> tuple[int, ...]:
        """The weight of each round in the released average."""
        return tuple(range(1, self.rounds + 1)) if self.averaging else (1,) * self.rounds

    @classmethod
    def choose(
        cls, schema: Schema, responds_to: str, rounds: int, draws: int | None, perturbation: float | None
    ) -> Rules:
        """The defaults: fixed noise and optimism against the average, the theorem's noise in the paper's game."""
        averaging = responds_to == "average"
        if perturbation is None and averaging:
            perturbation = 1.0
        elif perturbation is None:
            elements = sum(1 if size == 2 else size for size in schema.sizes)  # the tests that carry noise
            perturbation = context_ftpl(elements, log(schema.domain_size), rounds=rounds).scale
        each = DRAWS if draws is None else draws
        if rounds * each > MOST_DRAWN:
            raise ParameterError(f"rounds times draws must be at most {MOST_DRAWN:,}")
        return cls(rounds, each, averaging, perturbation, OPTIMISM if averaging else 0.0)


def default_rounds(
    closed: QueryClass, schema: Schema, rows: int, epsilon: Fraction, delta: Fraction, player: str = "exponential"
) -> int:
    """The T at which the data player's error, about ln|X|/(3T), meets that of a selection, which grows as sqrt(T).

    The first is an observation (optimistic play against the average converges as 1/T; docs/oracle-query.md), the
    second the player's accuracy theorem at ε0 of order 1/sqrt(T).
    """
    one_round = selection_counts(closed, float(zcdp_rho(epsilon, delta)), player) / rows
    balanced = pow(log(schema.domain_size) / 3 / one_round, 2 / 3)
    most = MOST_ROUNDS if closed.size <= MOST_QUERIES else MOST_SAMPLED_ROUNDS
    return min(most, max(FEWEST_ROUNDS, ceil(balanced)))


def selection_counts(closed: QueryClass, rho: float, player: str) -> float:
    """How many records a selection is off by, if the whole budget ρ is spent on one round."""
    pure = sqrt(2 * rho)  # ε0-DP is ε0²/2-zCDP
    if player == "surrogate":
        return 2 * (len(closed.literals) + 1) / pure
    if player == "exponential":
        return 2 * log(closed.size) / sqrt(8 * rho)
    if player == "rspm":
        return rspm_k_hot_mean(closed.hot, closed.part_count + closed.dummies, epsilon=pure, rows=1)
    if player in ("rspm:separator", "rspm:gaussian", "prsma", "vote"):
        return rspm_separator_mean(len(closed.separator()), epsilon=pure, rows=1)
    raise ParameterError(f"query_player must be one of {', '.join(PLAYERS)}, got {player!r}")
