"""OracleQuery: private synthetic data from the query-release game (the paper's algorithm, corrected)."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracledp.accounting import zcdp_rho
from oracledp.classes.base import Parts, Query, QueryClass
from oracledp.errors import ParameterError
from oracledp.game.data_player import Codes, ContextFTPL
from oracledp.game.linked import LinkedQueries
from oracledp.game.payoff import Payoff
from oracledp.game.play import Play
from oracledp.game.query_player import QueryPlayer, query_player
from oracledp.guarantee import Exact, positive, probability
from oracledp.mechanisms.release import Named, pay
from oracledp.randomness import Randomness, SystemRandomness, words
from oracledp.schema import Schema
from oracledp.table import Table

if TYPE_CHECKING:
    from oracledp.ledger import Ledger


class OracleQuery:
    """Private synthetic data for a query class, by playing the query-release game.

    Each round the data player (Context-FTPL) proposes records and the query player chooses, privately, a query of
    Q ∪ ¬Q on which the proposal is most wrong. (ε, δ)-DP under replace-one by composition of the rounds
    (proofs/oracle-query.md); robust exactly when the query player is.

    ``responds_to="play"`` is the paper's game: the query player answers the round's own proposal, and the table is
    the uniform average of all rounds. ``"average"``, the default, lets it answer the linearly weighted average so
    far, which is the table that would be released now; the privacy argument is the same, and in practice the
    error is about half.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Exact,
        delta: Exact,
        queries: QueryClass,
        query_player: str = "exponential",
        responds_to: str = "average",
        rounds: int | None = None,
        draws: int = 100,
        oracle: str = "auto",
        ledger: Ledger | None = None,
    ) -> None:
        if responds_to not in ("play", "average"):
            raise ParameterError(f"responds_to must be 'play' or 'average', got {responds_to!r}")
        if draws < 1 or (rounds is not None and rounds < 1):
            raise ParameterError("rounds and draws must be at least 1")
        self.schema = schema
        self.epsilon = positive(epsilon, "epsilon")
        self.delta = probability(delta, "delta")
        self.queries = queries
        self.query_player = query_player
        self.responds_to = responds_to
        self.rounds = rounds
        self.draws = draws
        self.oracle = oracle
        self.ledger = ledger

    def fit(self, data: Any, *, source: Randomness | None = None) -> OracleQuery:
        """Play the game on a table or frame; the whole budget is charged before the first round."""
        table = data if isinstance(data, Table) else Table.from_frame(data, self.schema)
        source = SystemRandomness() if source is None else source
        closed = self.queries.closure()
        rounds = self.rounds or default_rounds(closed, table.rows, float(zcdp_rho(self.epsilon, self.delta)))
        player = query_player(
            self.query_player,
            closed,
            rows=table.rows,
            rounds=rounds,
            epsilon=self.epsilon,
            delta=self.delta,
            oracle=self.oracle,
        )
        self.guarantee_ = pay(Named(f"oracle-query:{self.query_player}", player.guarantee), self.ledger, source)
        self.play_ = self._play(table, closed, player, rounds, source)
        return self

    def _play(self, table: Table, closed: QueryClass, player: QueryPlayer, rounds: int, source: Randomness) -> Play:
        averaging = self.responds_to == "average"
        # The paper leaves the perturbation open (A3): sqrt(T/ln|X|) balances stability and cost against uniform
        # averages; against a weighted average, whose old rounds fade, a constant serves.
        spread = 1.0 if averaging else max(1.0, sqrt(rounds / max(1.0, log(self.schema.domain_size))))
        data_player = ContextFTPL(self.schema, spread)
        private = table.matrix(closed.literals)
        queries: list[Parts] = []
        draws: list[Codes] = []
        proposals: list[NDArray[np.uint8]] = []
        for _ in range(rounds):
            linked = LinkedQueries.of(queries, closed, self.schema) if queries else None
            draws.append(data_player.play(linked, self.draws, np.random.default_rng(words(source, 4).tolist())))
            codes = draws[-1].astype(self.schema.code_dtype)
            proposals.append(self.schema.literal_values(closed.literals, codes))
            answered = tuple(proposals) if averaging else (proposals[-1],)
            queries.append(player.respond(Payoff(closed, private, table.counts, answered), source))
        weights = tuple(range(1, rounds + 1)) if averaging else (1,) * rounds
        return Play(tuple(queries), tuple(draws), weights)

    def released_queries(self) -> tuple[Query, ...]:
        """The query of each round: all that was learned of the data."""
        closed = self.queries.closure()
        return tuple(Query(closed, parts) for parts in self.play_.queries)

    def sample_codes(self, n: int, *, seed: int | None = None) -> Codes:
        """``n`` records of the average play, as codes. Post-processing: a seed is harmless here."""
        if n < 1:
            raise ParameterError("n must be at least 1")
        return self.play_.average(n, np.random.default_rng(seed))

    def sample(self, n: int, *, seed: int | None = None) -> Any:
        """``n`` synthetic rows as a pandas frame, numbers back inside their bins."""
        from oracledp.extras import optional

        codes = self.sample_codes(n, seed=seed).astype(self.schema.code_dtype)
        return optional("pandas", extra="frames").DataFrame(self.schema.decode(codes))


def default_rounds(closed: QueryClass, rows: int, rho: float) -> int:
    """The T at which the data player's error, about 1/(2 sqrt T), meets the query player's, 2 ln|Q| sqrt(T/8ρ)/n."""
    return min(300, max(8, ceil(rows * sqrt(8 * rho) / (4 * log(closed.size)))))
