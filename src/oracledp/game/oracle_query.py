"""OracleQuery: private synthetic data from the query-release game (the paper's algorithm, corrected)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oracledp.classes.base import Query, QueryClass
from oracledp.errors import ParameterError
from oracledp.game.data_player import Codes
from oracledp.game.match import Progress, play_match, silent
from oracledp.game.query_player import query_player
from oracledp.game.rules import RESPONSES, Rules, default_rounds
from oracledp.guarantee import Exact, positive, probability
from oracledp.mechanisms.release import Named, pay
from oracledp.randomness import Randomness, SystemRandomness
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
    far, which is the table that would be released now, and the data player counts on the last answer; the privacy
    argument is the same, and the error falls much faster (docs/oracle-query.md).
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
        draws: int | None = None,
        perturbation: float | None = None,
        oracle: str = "auto",
        ledger: Ledger | None = None,
    ) -> None:
        if responds_to not in RESPONSES:
            raise ParameterError(f"responds_to must be one of {', '.join(RESPONSES)}, got {responds_to!r}")
        if any(number is not None and number < 1 for number in (rounds, draws)):
            raise ParameterError("rounds and draws must be at least 1")
        if perturbation is not None and not perturbation > 0:
            raise ParameterError("perturbation must be positive")
        self.schema = schema
        self.epsilon = positive(epsilon, "epsilon")
        self.delta = probability(delta, "delta")
        self.queries = queries
        self.query_player = query_player
        self.responds_to = responds_to
        self.rounds = rounds
        self.draws = draws
        self.perturbation = perturbation
        self.oracle = oracle
        self.ledger = ledger

    def fit(self, data: Any, *, source: Randomness | None = None, progress: Progress = silent) -> OracleQuery:
        """Play the game on a table or frame; the whole budget is charged before the first round."""
        table = data if isinstance(data, Table) else Table.from_frame(data, self.schema)
        source = SystemRandomness() if source is None else source
        closed = self.queries.closure()
        rounds = self.rounds or default_rounds(
            closed, self.schema, table.rows, self.epsilon, self.delta, self.query_player
        )
        player = query_player(
            self.query_player,
            closed,
            rows=table.rows,
            rounds=rounds,
            epsilon=self.epsilon,
            delta=self.delta,
            oracle=self.oracle,
        )
        rules = Rules.choose(self.schema, self.responds_to, rounds, self.draws, self.perturbation)
        self.guarantee_ = pay(Named(f"oracle-query:{self.query_player}", player.guarantee), self.ledger, source)
        self.play_ = play_match(table, closed, player, rules, source, progress)
        return self

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
