"""OracleQuery: private synthetic data from the query-release game (the paper's algorithm, corrected)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oracledp.classes.base import Query, QueryClass
from oracledp.classes.linked import Linker
from oracledp.data.output.conditions import Conditions
from oracledp.data.output.frames import FrameShape
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import ModelError, ParameterError
from oracledp.exact.numbers import MOST_SAMPLED, MOST_SEED, Exact, positive, probability, show, whole_or_none
from oracledp.game.data_player import Codes
from oracledp.game.match import Progress, play_match, silent
from oracledp.game.play import Play
from oracledp.game.played import GameModel
from oracledp.game.players import promise, query_player
from oracledp.game.query_player import NEIGHBOURS, QueryPlayer
from oracledp.game.record import GameRecord, InternalDiagnostics, diagnose, public_record
from oracledp.game.settings import LARGEST_ROUNDS, MOST_DRAWN, RESPONSES, Rules, default_rounds
from oracledp.mechanisms.table_selection import refuse_unknown_literals
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness
from oracledp.showing import html_text

if TYPE_CHECKING:
    from oracledp.privacy.ledger import Ledger


class OracleQuery:
    """Private synthetic data for a query class, by playing the query-release game.

    Each round the data player (Context-FTPL) proposes records and the query player chooses, privately, a query of
    Q ∪ ¬Q on which the proposal is most wrong. (ε, δ)-DP by composition of the rounds (proofs/oracle-query.md); robust
    exactly when the query player is. The one product that is private under replace-one only: its payoff needs a public
    number of rows.

    ``responds_to="play"`` is the paper's game: the query player answers the round's own proposal, and the table is
    the uniform average of all rounds. ``"average"``, the default, lets it answer the linearly weighted average so
    far, which is the table that would be released now, and the data player counts on the last answer; the privacy
    argument is the same, and the error falls much faster (docs/oracle-query.md).

    >>> import pandas
    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.randomness.source import SeededRandomness
    >>> schema = Schema({"columns": {"smoker": {"kind": "boolean"}, "sick": {"kind": "boolean"}}})
    >>> frame = pandas.DataFrame({"smoker": [True, False] * 2000, "sick": [True, False] * 2000})
    >>> queries = Conjunctions(schema.literals.with_negations(), max_width=2)
    >>> game = OracleQuery(schema, epsilon=1, delta="1e-6", queries=queries).fit(frame, source=SeededRandomness(1))
    >>> bool((game.sample(seed=0).smoker == game.sample(seed=0).sick).mean() > 0.9)
    True
    """

    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Exact,
        delta: Exact,
        queries: QueryClass,
        neighbours: Neighbours | str = NEIGHBOURS,
        query_player: str = "exponential",
        responds_to: str = "average",
        rounds: int | None = None,
        draws: int | None = None,
        perturbation: Exact | None = None,
        oracle: str = "auto",
        ledger: Ledger | None = None,
    ) -> None:
        if responds_to not in RESPONSES:
            raise ParameterError(f"responds_to must be one of {', '.join(RESPONSES)}, got {responds_to!r}")
        if Neighbours.parse(neighbours) is not NEIGHBOURS:
            raise ParameterError(
                "OracleQuery is private under replace-one only: its payoff needs a public number of rows"
            )
        if schema.constraints:
            raise ParameterError("OracleQuery keeps deny rules only: constraints are for Synthesizer")
        self.schema = schema
        self.neighbours = NEIGHBOURS
        self.epsilon = positive(epsilon, "epsilon")
        self.delta = probability(delta, "delta")
        self.queries = queries
        self.query_player = query_player
        self.responds_to = responds_to
        self.rounds = whole_or_none(rounds, "rounds", most=LARGEST_ROUNDS)
        self.draws = whole_or_none(draws, "draws", most=MOST_DRAWN)
        self.perturbation = None if perturbation is None else float(positive(perturbation, "perturbation"))
        self.oracle = oracle
        self.ledger = ledger

    def fit(
        self,
        data: Any,
        *,
        person: str | None = None,
        source: Randomness | None = None,
        progress: Progress = silent,
    ) -> OracleQuery:
        """Play the game on a table or frame; the whole budget is charged before the first round.

        Fitting again plays, and charges, again. ``progress(done, rounds)`` is called after each round. ``person`` names
        the column of a frame that tells persons apart: one row of each is played with (proofs/persons.md).
        """
        table = Table.of(data, self.schema, person=person)
        facts = Facts.of(table, NEIGHBOURS)
        facts.refuse_empty()
        player = self._player(table.rows)
        rules = Rules.choose(self.schema, self.responds_to, player.rounds, self.draws, self.perturbation)
        game = Game(f"oracle-query:{self.query_player}", self.queries.closure(), player, rules, progress)
        shape = FrameShape.default(self.schema) if isinstance(data, Table) else FrameShape.of(data, self.schema)
        released = release(game, table, facts, ledger=self.ledger, source=source)
        self.shape_ = shape
        self.model_ = GameModel(
            self.schema, released.guarantee, self.queries, self.query_player, table.rows, released.result
        )
        return self

    def _player(self, rows: int) -> QueryPlayer:
        """The query player, calibrated for all rounds together."""
        closed = self.queries.closure()
        rounds = self.rounds
        if rounds is None:
            rounds = default_rounds(closed, self.schema, rows, self.epsilon, self.delta, self.query_player)
        return query_player(
            self.query_player,
            closed,
            rows=rows,
            rounds=rounds,
            epsilon=self.epsilon,
            delta=self.delta,
            oracle=self.oracle,
        )

    @property
    def guarantee(self) -> Guarantee:
        """What one call of :meth:`fit` promises."""
        closed = self.queries.closure()
        return promise(self.query_player, closed, epsilon=self.epsilon, delta=self.delta, oracle=self.oracle)

    @property
    def guarantee_(self) -> Guarantee:
        """What the game promised, seeded or not."""
        return self._model().guarantee

    @property
    def play_(self) -> Play:
        """The released queries and the records drawn from them."""
        return self._model().play

    def released_queries(self) -> tuple[Query, ...]:
        """The query of each round: all that was learned of the data."""
        return self._model().released_queries()

    def record(self) -> GameRecord:
        """How the game went, from what was released alone."""
        return public_record(self.play_, self.queries.closure(), self.schema)

    def internal_diagnostics(self, data: Any) -> InternalDiagnostics:
        """INTERNAL - NOT PRIVATE: payoffs, both regrets and the duality gap against the private rows."""
        table = data if isinstance(data, Table) else Table.from_frame(data, self.schema)
        return diagnose(self.play_, self.queries, table, averaging=self.responds_to == "average")

    def sample_codes(self, n: int | None = None, *, seed: int | None = None, where: Conditions | None = None) -> Codes:
        """Rows of the average play, as codes. Post-processing: a seed is harmless here."""
        return self._model().sample(whole_or_none(n, "n", most=MOST_SAMPLED), where, _generator(seed))

    def sample(self, n: int | None = None, *, seed: int | None = None, where: Conditions | None = None) -> Any:
        """Synthetic rows as a frame of the kind that was fitted, numbers back inside their bins.

        ``n`` defaults to the number of rows (public under replace-one), of those that meet ``where`` if given.
        """
        codes = self.sample_codes(n, seed=seed, where=where).astype(self.schema.code_dtype)
        places = _generator(seed).random(codes.shape)
        return self.shape_.build(self.schema.decode(codes, places))

    def __repr__(self) -> str:
        fitted = "fitted" if hasattr(self, "model_") else "not fitted"
        about = f"{self.queries.kind}; epsilon={show(self.epsilon)}, delta={show(self.delta)}, {self.query_player}"
        return f"OracleQuery({', '.join(self.schema.names)}; {about}, {fitted})"

    def _repr_html_(self) -> str:
        return html_text(repr(self), str(self.guarantee_) if hasattr(self, "model_") else "")

    def save(self, path: str | Path) -> None:
        """Write the released model as JSON; it holds nothing but what was released."""
        self._model().save(path)

    @classmethod
    def load(cls, path: str | Path) -> OracleQuery:
        """A fitted game from a saved model; it samples pandas frames."""
        model = GameModel.load(path)
        promise = model.guarantee
        loaded = cls(
            model.schema,
            epsilon=promise.epsilon,
            delta=promise.delta,
            queries=model.queries,
            query_player=model.query_player,
            responds_to="average" if len(set(model.play.weights)) > 1 else "play",
            rounds=len(model.play.queries),
        )
        loaded.model_ = model
        loaded.shape_ = FrameShape.default(model.schema)
        return loaded

    def _model(self) -> GameModel:
        model: GameModel | None = getattr(self, "model_", None)
        if model is None:
            raise ModelError("this game is not played yet: call fit first")
        return model


@dataclass(frozen=True)
class Game:
    """A whole game as one mechanism: all rounds are one charge (proofs/oracle-query.md)."""

    name: str
    closed: QueryClass
    player: QueryPlayer
    rules: Rules
    progress: Progress = silent

    @property
    def guarantee(self) -> Guarantee:
        """That of all rounds together."""
        return self.player.guarantee

    def check(self, facts: Facts) -> None:
        """A class that both players can answer, rows that the query player bears."""
        if facts.schema is not None:
            Linker(self.closed, facts.schema)
            refuse_unknown_literals(self.closed, facts.schema)
        self.player.check(facts.rows_bound)

    def run(self, table: Table, source: Randomness) -> Play:
        """All rounds."""
        return play_match(table, self.closed, self.player, self.rules, source, self.progress)


def _generator(seed: int | None) -> np.random.Generator:
    return np.random.default_rng(whole_or_none(seed, "seed", least=0, most=MOST_SEED))
