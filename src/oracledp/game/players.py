"""The query players by name."""

from __future__ import annotations

from fractions import Fraction

from oracledp.classes.base import QueryClass
from oracledp.errors import ParameterError
from oracledp.game.gaussian_player import GaussianPlayer
from oracledp.game.query_player import NEIGHBOURS, ExponentialPlayer, PerturbedPlayer, QueryPlayer
from oracledp.game.robust_player import RobustPlayer
from oracledp.game.settings import PLAYERS
from oracledp.game.surrogate_player import SurrogatePlayer
from oracledp.game.voting_player import VotingPlayer
from oracledp.mechanisms.perturbed_min import oracle_assumptions
from oracledp.mechanisms.robust.mechanism import alike_claims, optimality_claims
from oracledp.oracles.registry import resolve
from oracledp.privacy.guarantee import Guarantee

NO_ORACLE = ("exponential", "surrogate")


def query_player(
    name: str, queries: QueryClass, *, rows: int, rounds: int, epsilon: Fraction, delta: Fraction, oracle: str = "auto"
) -> QueryPlayer:
    """The query player of this name, calibrated so that all rounds together are (ε, δ)-DP."""
    if name not in PLAYERS:
        raise ParameterError(f"query_player must be one of {', '.join(PLAYERS)}, got {name!r}")
    if queries.size < 2:
        raise ParameterError("the class has a single query: there is nothing to choose")
    if name in NO_ORACLE and oracle != "auto":
        raise ParameterError(f"query_player={name!r} asks no oracle: leave oracle='auto'")
    if name == "exponential":
        return ExponentialPlayer.calibrate(queries, rounds, epsilon, delta)
    if name == "surrogate":
        return SurrogatePlayer.calibrate(queries, rounds, epsilon, delta)
    if name == "prsma":
        return RobustPlayer.calibrate(queries, rows, rounds, epsilon, delta, oracle=oracle)
    if name == "vote":
        return VotingPlayer.calibrate(queries, rows, rounds, epsilon, delta, oracle=oracle)
    if name == "rspm:gaussian":
        return GaussianPlayer.calibrate(queries, rounds, epsilon, delta, oracle=oracle)
    embedding = "k-hot" if name == "rspm" else "separator"
    return PerturbedPlayer.calibrate(queries, rounds, epsilon, delta, embedding=embedding, oracle=oracle, rows=rows)


def promise(name: str, queries: QueryClass, *, epsilon: Fraction, delta: Fraction, oracle: str = "auto") -> Guarantee:
    """What the query player of this name promises for all rounds together, however many rows and rounds there are."""
    whole = Guarantee(epsilon=epsilon, delta=delta, neighbours=NEIGHBOURS, proof="oracle-query")
    if name in NO_ORACLE or name == "vote":
        return whole
    chosen = resolve(oracle, queries)
    claims = optimality_claims(chosen) + alike_claims(chosen) if name == "prsma" else oracle_assumptions(chosen)
    return whole.assuming(*claims)
