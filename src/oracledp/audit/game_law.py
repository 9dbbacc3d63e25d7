"""The exact law of whole games: every transcript of one or two rounds, for every pair of small neighbours.

The data player's coins are fixed, so its proposals are a function of the released queries; the true law is an
average over coins, and what holds for each of them holds for the average.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.exact_law import DataSet, Finding, compare, law_of, neighbour_pairs, resolution_of
from oracledp.audit.law import Law
from oracledp.classes import Conjunctions, Parities
from oracledp.classes.base import QueryClass
from oracledp.classes.linked import PastQueries
from oracledp.classes.separation import all_records
from oracledp.classes.signed import Signed
from oracledp.classes.tables import Parts
from oracledp.data.schema import Schema
from oracledp.game.data_player import ContextFTPL
from oracledp.game.players import query_player
from oracledp.game.query_player import ExponentialPlayer, PerturbedPlayer, QueryPlayer
from oracledp.game.settings import OPTIMISM
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.scoreboard import Scoreboard
from oracledp.randomness.choice import exponential_law

EPSILON, DELTA, ROWS, DRAWS = Fraction(1), Fraction(1, 1000), 2, 3
Bits = NDArray[np.uint8]
Transcript = tuple[Parts, ...]
Propose = Callable[[Transcript, DataSet], tuple[Bits, ...]]


@dataclass(frozen=True, eq=False)
class SmallGame:
    """A game on a table of two rows, with the coins of its data player fixed."""

    name: str
    queries: QueryClass
    player: QueryPlayer
    averaging: bool = True
    propose: Propose | None = None  # mutants bring their own data player
    rows: int = ROWS

    @property
    def rounds(self) -> int:
        """How many rounds the promise covers."""
        return self.player.rounds

    def law(self, data: DataSet) -> Law:
        """The law of the whole transcript."""
        transcripts: tuple[Transcript, ...] = ((),)
        low = high = np.ones(1, dtype=np.longdouble)
        for _ in range(self.rounds):
            steps = [self._round(past, data) for past in transcripts]
            low = np.concatenate([mass * step.low for mass, step in zip(low, steps, strict=True)])
            high = np.concatenate([mass * step.high for mass, step in zip(high, steps, strict=True)])
            pairs = zip(transcripts, steps, strict=True)
            transcripts = tuple((*past, cast(Parts, name)) for past, step in pairs for name in step.outputs)
        return Law(transcripts, low, high)

    def _round(self, past: Transcript, data: DataSet) -> Law:
        proposals = (self.propose or self._data_player)(past, data)
        answered = proposals if self.averaging else proposals[-1:]
        private, counts = all_records(self.queries.dimension), np.array(data, dtype=np.int64)
        payoff = Payoff(self.queries, private, counts, answered)
        if not isinstance(self.player, ExponentialPlayer):
            mechanism = self.player.mechanism  # type: ignore[attr-defined]
            return law_of(mechanism, payoff.objective(resolution_of(mechanism)))
        assert isinstance(self.queries, Signed)
        board = Scoreboard(self.queries, private, counts)
        for weight, proposal in enumerate(answered, start=1):
            board.add(proposal, weight)
        scores, rate = board.values(payoff.resolution), self.player.mechanism.rate / (1 << payoff.resolution)
        return Law.from_fractions(tuple(map(board.parts_at, range(len(scores)))), exponential_law(scores, rate))

    def _data_player(self, past: Transcript, data: DataSet) -> tuple[Bits, ...]:
        """The proposals of all rounds so far, from the released queries and fixed coins; the data is not looked at."""
        schema = Schema({"columns": {literal.column: {"kind": "boolean"} for literal in self.queries.literals}})
        proposer, known = ContextFTPL(schema, 1.0), PastQueries(self.queries, schema)
        proposals = []
        for number in range(len(past) + 1):
            codes = proposer.play(known.linked(OPTIMISM), DRAWS, np.random.default_rng((7, number)))
            proposals.append(codes.astype(np.uint8))
            if number < len(past):
                known.add(past[number])
        return tuple(proposals)

    def finding(self) -> Finding:
        """The exact epsilon and delta over all neighbours, against the promise."""
        pairs = list(neighbour_pairs(2**self.queries.dimension, self.rows, self.player.guarantee.neighbours))
        laws = {data: self.law(data) for data in {data for pair in pairs for data in pair}}
        return compare(self.name, self.player.guarantee, ((laws[a], laws[b]) for a, b in pairs))


def small_classes() -> dict[str, QueryClass]:
    """What the games are about."""
    schema = Schema({"columns": {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}})
    return {
        "conjunctions": Conjunctions(schema.literals, max_width=1).closure(),
        "parities": Parities(schema.literals[:1]).closure(),
    }


def small_player(name: str, queries: QueryClass, rounds: int) -> QueryPlayer:
    """A player by name, with the budget of the whole game."""
    player = query_player(name, queries, rows=ROWS, rounds=rounds, epsilon=EPSILON, delta=DELTA)
    if not isinstance(player, PerturbedPlayer):
        return player
    given, embedding = player.mechanism, player.mechanism.name.removeprefix("rspm:")
    small = ReportSeparatorPerturbedMin.calibrate(  # the law is summed over a coarse lattice
        queries,
        epsilon=given.epsilon,
        neighbours=given.neighbours,
        oracle=given.oracle,
        embedding=embedding,
        resolution=0,
    )
    return replace(player, mechanism=small)


def games() -> list[SmallGame]:
    """One and two rounds of each query player whose law can be summed, against the play and the average."""
    every = small_classes()
    chosen = [("exponential", kind, True) for kind in every] + [("exponential", "conjunctions", False)]
    chosen += [("rspm", "parities", True), ("rspm:separator", "parities", True), ("rspm:gaussian", "parities", False)]
    return [
        SmallGame(
            f"oracle-query:{name} / {kind}, {rounds} rounds",
            every[kind],
            small_player(name, every[kind], rounds),
            averaging,
        )
        for name, kind, averaging in chosen
        for rounds in (1, 2)
    ]


def findings() -> list[Finding]:
    """The exact law of every small game."""
    return [game.finding() for game in games()]
