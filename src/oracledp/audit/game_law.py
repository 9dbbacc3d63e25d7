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
from oracledp.audit.mutants import Mutant
from oracledp.classes import Conjunctions, Parities
from oracledp.classes.base import Parts, QueryClass
from oracledp.classes.separation import all_records
from oracledp.classes.signed import Signed
from oracledp.game.data_player import ContextFTPL
from oracledp.game.linked import PastQueries
from oracledp.game.payoff import Payoff
from oracledp.game.players import query_player
from oracledp.game.query_player import ExponentialPlayer, PerturbedPlayer, QueryPlayer
from oracledp.game.rules import OPTIMISM
from oracledp.game.scoreboard import Scoreboard
from oracledp.guarantee import Guarantee
from oracledp.mechanisms.rspm import ReportSeparatorPerturbedMin
from oracledp.schema import Schema
from oracledp.selection import exponential_law

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


def _classes() -> dict[str, QueryClass]:
    schema = Schema({"columns": {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}})
    return {
        "conjunctions": Conjunctions(schema.literals, max_width=1).closure(),
        "parities": Parities(schema.literals[:1]).closure(),
    }


def _player(name: str, queries: QueryClass, rounds: int) -> QueryPlayer:
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
    every = _classes()
    chosen = [("exponential", kind, True) for kind in every] + [("exponential", "conjunctions", False)]
    chosen += [("rspm", "parities", True), ("rspm:separator", "parities", True), ("rspm:gaussian", "parities", False)]
    return [
        SmallGame(
            f"oracle-query:{name} / {kind}, {rounds} rounds", every[kind], _player(name, every[kind], rounds), averaging
        )
        for name, kind, averaging in chosen
        for rounds in (1, 2)
    ]


def findings() -> list[Finding]:
    """The exact law of every small game."""
    return [game.finding() for game in games()]


# ---- broken games ------------------------------------------------------------------------------------
def _game(factor: int = 1) -> SmallGame:
    """Two rounds of the exponential player, with this many times the right ε0."""
    queries = _classes()["conjunctions"]
    player = _player("exponential", queries, 2)
    assert isinstance(player, ExponentialPlayer)
    mechanism = replace(player.mechanism, epsilon=factor * player.mechanism.epsilon)
    return SmallGame("a broken game", queries, replace(player, mechanism=mechanism))


def _whole_budget_each_round() -> Finding:
    """ε in every round, promised for all of them together."""
    queries = _classes()["conjunctions"]
    player = _player("exponential", queries, 2)
    assert isinstance(player, ExponentialPlayer)
    greedy = replace(player, mechanism=replace(player.mechanism, epsilon=EPSILON))
    return SmallGame("the whole budget in each round", queries, greedy).finding()


def _peeking() -> Finding:
    """A data player that starts from the private rows, "to converge faster"."""

    def propose(past: Transcript, data: DataSet) -> tuple[Bits, ...]:
        rows = np.repeat(all_records(2), np.array(data), axis=0)
        return tuple(rows[:1].repeat(DRAWS, axis=0) for _ in range(len(past) + 1))

    return replace(_game(), propose=propose, rows=4).finding()


def _told_payoffs() -> Finding:
    """The payoff of the chosen query printed beside it."""
    game = _game()

    def law(data: DataSet) -> Law:
        quiet = game.law(data)
        counts, records = np.array(data), all_records(2)
        held = {q: int(counts[game.queries.evaluate(q, records)].sum()) for q in game.queries.all_parts()}
        transcripts = cast(tuple[Transcript, ...], quiet.outputs)
        told = tuple((past, tuple(held[q] for q in past)) for past in transcripts)
        return Law(told, quiet.low, quiet.high)

    guarantee: Guarantee = game.player.guarantee
    pairs = [_aligned(law(a), law(b)) for a, b in neighbour_pairs(4, ROWS, guarantee.neighbours)]
    return compare("payoffs told with the queries", guarantee, pairs)


def _aligned(first: Law, second: Law) -> tuple[Law, Law]:
    """Both laws over the outputs of either."""
    names = tuple(dict.fromkeys((*first.outputs, *second.outputs)))

    def over(law: Law) -> Law:
        place = {output: i for i, output in enumerate(law.outputs)}
        zero = np.longdouble(0)
        low = [law.low[place[name]] if name in place else zero for name in names]
        high = [law.high[place[name]] if name in place else zero for name in names]
        return Law(names, np.array(low), np.array(high))

    return over(first), over(second)


def _weights_times_n() -> Finding:
    """A8 the other way: each record counts n times in the payoff, with noise for a weight of one."""
    return _game(factor=ROWS).finding()


GAME_MUTANTS: tuple[Mutant, ...] = (
    Mutant("game-whole-budget-each-round", "rounds of a game that do not share the budget", _whole_budget_each_round),
    Mutant("game-peeking-data-player", "a data player that looks at the private rows", _peeking),
    Mutant("game-payoffs-told", "payoffs released beside the queries", _told_payoffs),
    Mutant("game-weights-times-n", "payoffs scaled by n with noise for weight one (A8)", _weights_times_n),
)
