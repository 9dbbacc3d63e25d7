"""Games that break their promise: each claims what the right one claims."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from broken.mutants import Mutant
from oracledp.audit.exact_law import DataSet, Finding, compare, neighbour_pairs
from oracledp.audit.game_law import DRAWS, EPSILON, ROWS, Bits, SmallGame, Transcript, small_classes, small_player
from oracledp.audit.law import Law
from oracledp.classes.separation import all_records
from oracledp.game.query_player import ExponentialPlayer
from oracledp.privacy.guarantee import Guarantee


def _game(factor: int = 1) -> SmallGame:
    """Two rounds of the exponential player, with this many times the right ε0."""
    queries = small_classes()["conjunctions"]
    player = small_player("exponential", queries, 2)
    assert isinstance(player, ExponentialPlayer)
    mechanism = replace(player.mechanism, epsilon=factor * player.mechanism.epsilon)
    return SmallGame("a broken game", queries, replace(player, mechanism=mechanism))


def _whole_budget_each_round() -> Finding:
    """ε in every round, promised for all of them together."""
    queries = small_classes()["conjunctions"]
    player = small_player("exponential", queries, 2)
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
