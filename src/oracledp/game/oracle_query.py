"""OracleQuery: private synthetic data from the query-release game (the paper's algorithm, corrected)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Parts, Query, QueryClass
from oracledp.errors import ParameterError
from oracledp.game.data_player import Codes, ContextFTPL
from oracledp.game.linked import LinkedQueries
from oracledp.game.query_player import QueryPlayer, query_player
from oracledp.guarantee import Exact, Guarantee, positive, probability
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.release import pay
from oracledp.randomness import Randomness, SystemRandomness, words
from oracledp.schema import Schema
from oracledp.table import Table

if TYPE_CHECKING:
    from oracledp.ledger import Ledger


@dataclass(frozen=True, eq=False)
class Play:
    """What the game released: the query of each round, and the records the data player drew against them."""

    queries: tuple[Parts, ...]
    draws: tuple[Codes, ...]  # one array of codes per round

    def data_regret(self, linked: LinkedQueries, domain: Codes) -> float:
        """The data player's average regret against the best record of ``domain``, from released queries alone."""
        played = np.mean([linked.values(codes)[:, t].mean() for t, codes in enumerate(self.draws)])
        best = linked.values(domain).mean(axis=1).max()
        return float(best - played)


@dataclass(frozen=True)
class _Named:
    """A player under the name that the ledger shows."""

    name: str
    guarantee: Guarantee


class OracleQuery:
    """Private synthetic data for a query class, by playing the query-release game.

    Each round the data player (Context-FTPL) proposes a distribution over records and the query player
    chooses, privately, a query of Q ∪ ¬Q on which it is most wrong. The average play is the synthetic table.
    (ε, δ)-DP under replace-one by composition of the rounds (proofs/oracle-query.md); robust exactly when the query
    player is.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Exact,
        delta: Exact,
        queries: QueryClass,
        query_player: str = "exponential",
        rounds: int | None = None,
        draws: int = 400,
        oracle: str = "auto",
        ledger: Ledger | None = None,
    ) -> None:
        self.schema = schema
        self.epsilon = positive(epsilon, "epsilon")
        self.delta = probability(delta, "delta")
        self.queries = queries
        self.query_player = query_player
        self.rounds = rounds
        self.draws = draws
        self.oracle = oracle
        self.ledger = ledger

    def fit(self, data: Any, *, source: Randomness | None = None) -> OracleQuery:
        """Play the game on a table or frame; the whole budget is charged before the first round."""
        table = data if isinstance(data, Table) else Table.from_frame(data, self.schema)
        source = SystemRandomness() if source is None else source
        rounds = self.rounds or default_rounds(self.queries, table.rows, float(self.epsilon), self.schema)
        closed = self.queries.closure()
        player = query_player(
            self.query_player, closed, rounds=rounds, epsilon=self.epsilon, delta=self.delta, oracle=self.oracle
        )
        self.guarantee_ = pay(_Named(f"oracle-query:{self.query_player}", player.guarantee), self.ledger, source)
        self.play_ = self._play(table, closed, player, rounds, source)
        return self

    def _play(self, table: Table, closed: QueryClass, player: QueryPlayer, rounds: int, source: Randomness) -> Play:
        data_player = ContextFTPL(self.schema, rounds)
        private, counts = table.matrix(closed.literals), table.counts
        played: list[Parts] = []
        drawn: list[Codes] = []
        for _ in range(rounds):
            linked = LinkedQueries.of(played, closed, self.schema) if played else None
            rng = np.random.default_rng(words(source, 4).tolist())
            codes = data_player.play(linked, self.draws, rng)
            proposal = self.schema.literal_values(closed.literals, codes.astype(self.schema.code_dtype))
            objective = payoff_objective(closed, private, counts, proposal, player.resolution)
            played.append(player.respond(objective, source))
            drawn.append(codes)
        return Play(tuple(played), tuple(drawn))

    def released_queries(self) -> tuple[Query, ...]:
        """The query of each round: all that was learned of the data."""
        closed = self.queries.closure()
        return tuple(Query(closed, parts) for parts in self.play_.queries)

    def sample_codes(self, n: int, *, seed: int | None = None) -> Codes:
        """``n`` records from the average play, spread evenly over rounds and draws. Post-processing: a seed is fine."""
        if n < 1:
            raise ParameterError("n must be at least 1")
        pool = np.concatenate(self.play_.draws)
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(pool))
        return np.asarray(pool[order[np.arange(n) % len(pool)]])


def payoff_objective(
    closed: QueryClass,
    private: NDArray[np.uint8],
    counts: NDArray[np.int64],
    proposal: NDArray[np.uint8],
    resolution: int,
) -> Objective:
    """Minus the payoff n·(q(S) - q(sample)): weight -1 on each private row and +n/N on each proposed one (E5, A8).

    The public side is rounded to the lattice; only the private weight must be exact.
    """
    rows = int(counts.sum())
    public = (2 * (rows << resolution) + len(proposal)) // (2 * len(proposal))
    return Objective.scaled(
        closed,
        np.concatenate([private, proposal]),
        np.concatenate([-counts << resolution, np.full(len(proposal), public, dtype=np.int64)]),
        resolution=resolution,
    )


def default_rounds(queries: QueryClass, rows: int, epsilon: float, schema: Schema) -> int:
    """The T that balances the two players' errors: regret sqrt(ln|X|/T) against selection ln|Q|·sqrt(T)/(ε n)."""
    regret = sqrt(log(max(2, schema.domain_size)))
    selection = log(2 * queries.size) / (epsilon * rows)
    return min(400, max(8, ceil(regret / selection / 12)))
