"""The hard game and the barrier: what its proof claims, checked by brute force, and the separation it predicts."""

from __future__ import annotations

from math import ceil, log

import numpy as np
import pytest
from experiments.online import HardGame, MetaGame, converge, stack, theorems
from experiments.online.hard_games import PAYOFFS, VALUE
from experiments.online.meta_game import Algorithm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from oracledp.errors import ParameterError


@pytest.mark.parametrize("dimension", [2, 3, 5, 7])
@pytest.mark.parametrize("seed", range(4))
def test_payoffs_and_saddle_point(dimension: int, seed: int) -> None:
    game = HardGame.random(dimension, seed=seed)
    matrix, best = game.matrix(), game.minimum
    assert set(np.unique(matrix)) <= set(PAYOFFS)
    assert matrix[best].max() == VALUE == matrix[:, best].min()
    assert dimension < 3 or set(np.unique(matrix)) == set(PAYOFFS)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(dimension=st.integers(2, 7), seed=st.integers(0, 50), data=st.data())
def test_the_local_oracle_is_a_best_response(dimension: int, seed: int, data: st.DataObject) -> None:
    """The successors of the support hold a best response for both players, and the oracle finds it."""
    game = HardGame.random(dimension, seed=seed)
    support = data.draw(st.lists(st.integers(0, game.size - 1), min_size=1, max_size=8))
    weights = np.array([data.draw(st.floats(0.01, 5)) for _ in support])
    matrix, chosen = game.matrix(), np.array(support)
    row, column = game.row_response(chosen, weights), game.column_response(chosen, weights)
    assert matrix[row, chosen] @ weights == pytest.approx((matrix[:, chosen] @ weights).min())
    assert weights @ matrix[chosen, column] == pytest.approx((weights @ matrix[chosen]).max())
    assert {row, column} <= set(game.successors[chosen].tolist())


@settings(derandomize=True, deadline=None, max_examples=40)
@given(seed=st.integers(0, 50), share=st.floats(0, 0.499), other=st.integers(0, 63))
def test_a_quarter_from_optimal_means_half_on_the_minimum(seed: int, share: float, other: int) -> None:
    game = HardGame.random(6, seed=seed)
    if other == game.minimum:
        return
    gap = game.row_gap(np.array([game.minimum, other]), np.array([share, 1 - share]))
    assert gap > 0.25
    assert game.row_gap(np.array([game.minimum]), np.ones(1)) == 0


def test_an_oracle_call_tells_nothing_of_the_rest_of_the_walk() -> None:
    """Two games whose walks part ways answer alike about strategies that have not come near the parting."""
    short, long = HardGame.random(14, seed=3, steps=60), HardGame.random(14, seed=3, steps=120)
    rng, agree = np.random.default_rng(0), 0
    for _ in range(50):
        support, weights = rng.integers(short.size, size=10), rng.random(10)
        agree += short.row_response(support, weights) == long.row_response(support, weights)
        agree += short.column_response(support, weights) == long.column_response(support, weights)
    assert agree >= 80
    assert short.minimum != long.minimum


@pytest.mark.parametrize("dimension", [6, 10, 14])
def test_multiplicative_weights_needs_logarithmically_many_rounds(dimension: int) -> None:
    game = HardGame.random(dimension, seed=dimension)
    progress = converge("hedge", game, seed=0)
    assert progress.converged
    assert progress.rounds <= ceil(8 * log(game.size))
    assert progress.time == progress.rounds * game.size


@pytest.mark.parametrize("player", ["fictitious-play", "perturbed-leader"])
def test_oracle_efficient_players_need_a_power_of_n(player: str) -> None:
    """From N = 2^8 to 2^18 the median rounds grow far more than logarithmically, as the lower bound predicts."""
    medians = {}
    for dimension in (8, 18):
        games = [HardGame.random(dimension, seed=seed) for seed in range(5)]
        runs = [converge(player, game, seed=seed) for seed, game in enumerate(games)]
        assert all(run.converged for run in runs)
        assert all(run.time >= theorems.hard_game_time(1 << dimension) for run in runs)
        medians[dimension] = float(np.median([run.rounds for run in runs]))
    assert medians[18] > 2 * (18 / 8) * medians[8]


def test_few_calls_are_not_enough_where_hedge_is_done() -> None:
    """After the 8 ln N rounds that multiplicative weights needs at most, fictitious play is mostly far from optimal."""
    rounds = ceil(8 * 18 * log(2))
    runs = [
        converge("fictitious-play", HardGame.random(18, seed=seed), seed=seed, most_rounds=rounds) for seed in range(5)
    ]
    assert sum(not run.converged and run.gaps[-1] > 0.4 for run in runs) >= 3


def test_the_meta_game_and_its_stacked_class() -> None:
    """The drawn games are nearly as hard on average as the best mixture, for every algorithm of the list."""
    games = [HardGame.random(4, seed=seed) for seed in range(20)]
    players = [Algorithm("fictitious-play", seed) for seed in range(6)]
    players += [Algorithm("perturbed-leader", seed) for seed in range(4)]
    meta = MetaGame.measure(games, players)
    chosen, least = meta.hard_set(400, seed=0)
    assert least >= 0.85 * _value(meta.times)
    assert (meta.times[chosen].mean(axis=0) >= least - 1e-9).all()
    distinct = sorted(set(chosen.tolist()))
    table = stack([games[i] for i in distinct])
    assert table.shape == (16, 16 * len(distinct))
    assert set(np.unique(table)) == set(PAYOFFS)  # A10: values in {0, 1/4, 3/4, 1}, not statistical queries in {0, 1}


def _value(times: np.ndarray) -> float:
    """max over mixtures of games of the least average time of an algorithm, by linear programming."""
    games, players = times.shape
    lower = np.hstack([-times.T, np.ones((players, 1))])
    simplex = np.append(np.ones(games), 0.0)[None, :]
    cost = np.append(np.zeros(games), -1.0)
    found = linprog(
        cost, A_ub=lower, b_ub=np.zeros(players), A_eq=simplex, b_eq=[1.0], bounds=[(0, None)] * games + [(None, None)]
    )
    return float(-found.fun)


def test_bad_games_are_refused() -> None:
    with pytest.raises(ParameterError, match="one height per vertex"):
        HardGame(3, np.zeros(4, dtype=np.int64))
    with pytest.raises(ParameterError, match="local minimum"):
        HardGame(2, np.array([0, 1, 1, 0]))
    with pytest.raises(ParameterError, match="player must be"):
        converge("nobody", HardGame.random(3, seed=0), seed=0)
    with pytest.raises(ParameterError, match="dimension 11"):
        HardGame.random(12, seed=0).matrix()
