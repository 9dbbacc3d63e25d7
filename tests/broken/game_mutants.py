"""Games that break their promise: each claims what the right one claims."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from broken.at_the_front_door import TIER, seen, wrapped
from broken.mutants import Mutant
from oracledp.audit.doors import patched
from oracledp.audit.verdict import Verdict
from oracledp.game import match, oracle_query
from oracledp.game.data_player import ContextFTPL
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.played import GameModel
from oracledp.game.query_player import ExponentialPlayer
from oracledp.mechanisms.scoreboard import Scoreboard

TWO_ROUNDS = "oracle-query:exponential / 2 / replace-one"


def _whole_budget_each_round() -> Verdict:
    """ε in every round, promised for all of them together."""

    def greedy(calibrate: Any, queries: Any, rounds: int, *budget: Any) -> Any:
        return replace(calibrate(queries, 1, *budget), rounds=rounds)

    return seen("oracle-query / replace-one", wrapped(ExponentialPlayer, "calibrate", greedy))


def _peeking() -> Verdict:
    """A data player that starts from the private rows, "to converge faster"."""

    def peeks(play: Any, table: Any, *rest: Any) -> Any:
        def propose(self: Any, past: Any, draws: int, generator: Any) -> Any:
            return table.codes[:1].repeat(draws, axis=0).astype("int64")

        with patched(ContextFTPL, "play", propose):
            return play(table, *rest)

    return seen(TWO_ROUNDS, wrapped(oracle_query, "play_match", peeks))


def _told_payoffs() -> Verdict:
    """How many rows meet the first chosen query, printed in the model."""

    def telling(fit: Any, self: Any, data: Any, **options: Any) -> Any:
        found = fit(self, data, **options)
        chosen = self.released_queries()[0]
        rows = data.matrix(chosen.owner.literals)
        held = int(data.counts[chosen.owner.evaluate(chosen.parts, rows)].sum())
        model = {name: getattr(self.model_, name) for name in self.model_.__dataclass_fields__}
        told = {"to_json": lambda model: {**GameModel.to_json(model), "held": held}}
        self.model_ = type("Telling", (GameModel,), told)(**model)
        return found

    return seen(TWO_ROUNDS, wrapped(OracleQuery, "fit", telling))


def _weights_times_n() -> Verdict:
    """A8 the other way: each record counts several times in the payoff, with noise for a weight of one."""

    def heavy(board: Any, closed: Any, private: Any, table: Any) -> Any:
        return Scoreboard(closed, private, 4 * table.counts)

    return seen("oracle-query:exponential / replace-one", wrapped(match, "_board", heavy))


GAME_MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "game-whole-budget-each-round", "rounds of a game that do not share the budget", _whole_budget_each_round, TIER
    ),
    Mutant("game-peeking-data-player", "a data player that looks at the private rows", _peeking, TIER),
    Mutant("game-payoffs-told", "payoffs released beside the queries", _told_payoffs, TIER),
    Mutant("game-weights-times-n", "payoffs scaled by n with noise for weight one (A8)", _weights_times_n, TIER),
)
