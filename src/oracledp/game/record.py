"""How a game went: what may be told to everyone, and what only the owner of the data may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.linked import LinkedQueries, Linker
from oracledp.data.packed_records import PackedRecords
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.game.data_player import Codes, descend
from oracledp.game.play import Play
from oracledp.oracles.batch import data_values, whole_table
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import refuse_large

STARTS = 2000
MOST_LISTED = 1 << 16
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GameRecord:
    """The public side: everything here follows from released queries and from the rules.

    ``data_regret`` is the data player's average regret against the best record that its oracle finds (all records
    of a small domain). ``data_oracle_calls`` counts draws, ``selections`` the query player's answers.
    """

    rounds: int
    draws: int
    selections: int
    data_oracle_calls: int
    data_regret: float
    distinct_queries: int

    def to_json(self) -> dict[str, Any]:
        """The fields."""
        return dict(vars(self))


@dataclass(frozen=True)
class InternalDiagnostics:
    """INTERNAL - NOT PRIVATE: computed from the private rows, so never to be released.

    It has no JSON and refuses to be pickled. ``payoffs`` are q_t(S) - q_t(what it answered), round by round;
    ``query_regret`` is what the best fixed query would have gained over the answers given, per round;
    ``duality_gap`` bounds the error on every query; ``max_error`` is that error, over the whole class.
    """

    payoffs: tuple[float, ...]
    query_regret: float
    data_regret: float
    duality_gap: float
    max_error: float

    def __str__(self) -> str:
        return (
            "INTERNAL - NOT PRIVATE: "
            f"max error {self.max_error:.4f}, duality gap {self.duality_gap:.4f}, "
            f"regret {self.data_regret:.4f} (data) and {self.query_regret:.4f} (query)"
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError("internal diagnostics are not private and are never written")


def public_record(play: Play, closed: QueryClass, schema: Schema) -> GameRecord:
    """The record of a game from what was released; post-processing."""
    draws = len(play.draws[0])
    return GameRecord(
        len(play.queries),
        draws,
        len(play.queries),
        len(play.queries) * draws,
        play.regret(LinkedQueries.of(play.queries, closed, schema), best_records(play, closed, schema)),
        len(set(play.queries)),
    )


def best_records(play: Play, closed: QueryClass, schema: Schema) -> Codes:
    """The records that may be the best against all released queries: all of them, or what descent finds."""
    if schema.domain_size <= MOST_LISTED:
        return np.stack(np.unravel_index(np.arange(schema.domain_size), schema.sizes), axis=1).astype(np.int64)
    rng = np.random.default_rng(0)
    linker = Linker(closed, schema)
    plain = [linker.plain(parts) for parts in play.queries]
    weighted = linker.tables([p for p, _ in plain], [s * w for (_, s), w in zip(plain, play.weights, strict=True)])
    starts = play.records[rng.integers(0, len(play.records), STARTS)]
    free = [np.zeros((STARTS, size), dtype=np.float32) for size in schema.sizes]
    return descend(starts, free, weighted, sweeps=8, rng=rng)


def diagnose(play: Play, queries: QueryClass, table: Table, *, averaging: bool) -> InternalDiagnostics:
    """INTERNAL - NOT PRIVATE: both regrets, the duality gap and the error on every query, from the private rows."""
    refuse_large(queries.size)
    closed, schema = queries.closure(), table.schema
    truth = _shares(queries, table.packed(queries.literals), table.counts)
    rounds = np.stack([_shares(queries, _bits(queries, schema, codes), None) for codes in play.draws])
    weights = np.array(play.weights, dtype=np.float64)
    answered = np.cumsum(rounds * weights[:, None], axis=0) / np.cumsum(weights)[:, None] if averaging else rounds
    places, signs = _places(play, closed)
    payoffs = signs * (truth - answered)[np.arange(len(places)), places]
    share = weights / weights.sum()
    average = share @ rounds
    linked = LinkedQueries.of(play.queries, closed, schema)
    best = float((linked.values(best_records(play, closed, schema)) @ share).max())
    held = np.where(signs > 0, truth[places], 1 - truth[places])
    max_error = float(np.abs(truth - average).max())
    best_payoff = float(np.abs(share @ (truth - answered)).max())
    return InternalDiagnostics(
        tuple(float(payoff) for payoff in payoffs),
        best_payoff - float(share @ payoffs),
        best - float(share @ _played(signs, rounds, places)),
        max_error + best - float(share @ held),
        max_error,
    )


def _played(signs: Floats, rounds: Floats, places: NDArray[np.int64]) -> Floats:
    """The share of each round's own proposal on which its query holds."""
    held = rounds[np.arange(len(places)), places]
    return np.where(signs > 0, held, 1 - held)


def _places(play: Play, closed: QueryClass) -> tuple[NDArray[np.int64], Floats]:
    """Where each released query stands in the order of the class, and its sign."""
    order = {parts: place for place, parts in enumerate(closed.all_parts())}
    places = np.array([order[parts] for parts in play.queries], dtype=np.int64)
    half = len(order) // 2
    return places % half, np.where(places < half, 1.0, -1.0)


def _bits(queries: QueryClass, schema: Schema, codes: Codes) -> PackedRecords:
    return schema.packed(queries.literals, codes.astype(schema.code_dtype))


def _shares(queries: QueryClass, records: PackedRecords, counts: NDArray[np.int64] | None) -> Floats:
    weights = np.ones(len(records), dtype=np.int64) if counts is None else counts
    if not len(records):
        raise ParameterError("there are no records to compare")
    problem = WeightedProblem.build(queries, records, weights)
    return data_values(problem, whole_table(queries)) / float(weights.sum())
