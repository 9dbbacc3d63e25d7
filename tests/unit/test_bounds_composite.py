"""Sampling, PRSMA and OracleQuery: the composite bounds hold in simulation and are not vacuous where they count."""

from fractions import Fraction
from functools import cache
from math import log

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from experiments import paper_bounds
from oracledp import bounds
from oracledp.errors import ParameterError
from oracledp.game.oracle_query import OracleQuery
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import design_prsma

BETA = 0.05


def test_hoeffding_needs_a_quarter_of_the_papers_draws() -> None:
    """T8: the smaller sample already has the promised error, with room."""
    rng, size, error = np.random.default_rng(1), 200, 0.1
    draws = bounds.sample_size(log(size), error=error, beta=BETA)
    assert draws == pytest.approx(paper_bounds.sample_size(log(size), error=error, beta=BETA) / 4, abs=1)
    means = rng.binomial(draws, 0.5, size=(3000, size)) / draws
    worst = np.abs(means - 0.5).max(axis=1)
    assert np.mean(worst > error) <= BETA
    assert np.mean(worst > 0.75 * error) > BETA  # and not much less than it needs
    assert bounds.sampling_error(log(size), draws=draws, beta=BETA) <= error


def test_a_part_of_the_table() -> None:
    """Minimising on a part of the table errs on the whole by no more than the bound, and by a good share of it."""
    rng, rows, part, size = np.random.default_rng(2), 4000, 200, 500
    table = rng.random((rows, size)) < 0.5
    truth = table.mean(axis=0)
    found = []
    for _ in range(400):
        chosen = rng.choice(rows, part, replace=False)
        best = np.argmin(table[chosen].mean(axis=0))
        found.append(truth[best] - truth.min())
    bound = bounds.subsample_error(log(size), part_size=part, beta=BETA)
    assert np.mean(np.array(found) > bound) <= BETA
    assert bound < paper_bounds.subsample_error(log(size), rows=rows, parts=rows / part, beta=BETA)
    assert bound < 0.35


@cache
def _design() -> Design:
    return design_prsma(epsilon=4, delta=1e-2, rows=200_000, max_calls=20_000)


def test_prsma() -> None:
    """PRSMA's answer on a public random table stays within the bound; the paper's bound says nothing at this size."""
    rows, hot, literals = 200_000, 1, 10
    design = _design()
    queries = odp.Conjunctions(odp.Literals.named(*"abcdefghij"), max_width=1)
    shape = bounds.Shape.of(queries)
    assert (shape.hot, shape.parts) == (hot, literals + 1)
    bound = bounds.prsma(design, shape, beta=BETA)
    rng = np.random.default_rng(3)
    rates = np.append(np.linspace(0.2, 0.6, literals), 1.0)  # the last query is the empty conjunction
    scale = design.theorem.base_neighbours.comparison_sensitivity * hot / float(design.base_epsilon)
    sizes = rng.binomial(rows, 1 / design.parts, 2000)
    counts = rng.binomial(sizes[:, None], rates)
    noise = -rng.exponential(scale, size=counts.shape)
    errors = rates[np.argmin(counts + noise, axis=1)] - rates.min()
    assert np.mean(errors > bound) <= BETA
    assert bound < 0.35
    assert paper_bounds.prsma(literals, log(11), epsilon=4, delta=1e-2, rows=rows, beta=BETA) > 10
    wide = bounds.prsma(design, shape, beta=BETA, embedding="separator")
    assert wide > bound


def test_prsma_needs_room_for_its_own_failures() -> None:
    design = _design()
    shape = bounds.Shape(11, 1, 11, 10)
    with pytest.raises(ParameterError, match="raise beta"):
        bounds.prsma(design, shape, beta=float(design.beta) / 2)
    with pytest.raises(ParameterError, match="beta > delta"):
        paper_bounds.prsma(10, 2.0, epsilon=1, delta=0.1, rows=1000, beta=0.05)


def _game(rows: float, player: str = "exponential", draws: int = 400) -> bounds.Game:
    queries = odp.Conjunctions(odp.Literals.named("a", "b", "c"), max_width=3).closure()
    return bounds.Game(
        bounds.Shape.of(queries), 3, log(8), Fraction(1), Fraction(1, 10**6), rows, draws=draws, player=player
    )


@pytest.mark.parametrize("player", bounds.oracle_query.PLAYERS)
def test_the_best_number_of_rounds_is_no_worse_than_others(player: str) -> None:
    game = _game(1e7, player, draws=4000)
    best = game.best()
    assert all(best.error <= game.bound(rounds).error + 1e-12 for rounds in (1, 10, 100, 1000, 10_000, 100_000))
    assert best.error < 0.25
    assert best.selection < 0.3 * best.error


def test_more_rows_more_rounds_less_error() -> None:
    few, many = _game(1e5).best(), _game(1e8).best()
    assert many.rounds >= few.rounds
    assert many.error < few.error


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(ParameterError, match="player"):
        _game(1e5, "nobody").bound(10)


def test_the_game_ends_within_its_bound() -> None:
    """The real OracleQuery on a public table: its worst error over all eight conjunctions is below the bound."""
    rng = np.random.default_rng(4)
    base = rng.random((100_000, 3)) < [0.3, 0.5, 0.8]
    base[:, 2] = np.where(rng.random(100_000) < 0.5, base[:, 0], base[:, 2])
    frame = pd.DataFrame(base, columns=list("abc"))
    schema = odp.Schema({"columns": {name: {"kind": "boolean"} for name in "abc"}})
    queries = odp.Conjunctions(schema.literals, max_width=3)
    rounds, draws = 80, 100
    game = OracleQuery(schema, epsilon=1, delta="1e-6", queries=queries, rounds=rounds, draws=draws)
    game.fit(frame, source=odp.SeededRandomness(5))
    made = game.sample_codes(rounds * draws, seed=1).astype(schema.code_dtype)
    values = schema.literal_values(schema.literals, made)
    truth = schema.literal_values(schema.literals, base.astype(schema.code_dtype))
    error = max(abs(float(query(values).mean() - query(truth).mean())) for query in queries)
    bound = _game(100_000, draws=draws).bound(rounds).error
    assert error < bound
    assert bound < 0.9


def test_the_papers_rates_and_their_corrections() -> None:
    """E2 multiplies bound 1 by m^{1/4}; for conjunctions d^{11/8} becomes d^{13/8}; the others stand."""
    args = {"epsilon": 1.0, "delta": 1e-6, "rows": 1e6, "beta": BETA}
    paper = paper_bounds.gaussian_rate(81, 50, 35.0, **args)
    corrected = paper_bounds.gaussian_rate_corrected(81, 50, 35.0, **args)
    assert corrected / paper == pytest.approx(3)
    grown = [paper_bounds.conjunctions_corrected(d, epsilon=1, rows=1e6) for d in (10, 100)]
    for field, power in (("gaussian", 13 / 8), ("prsma", 7 / 4), ("private_oracle", 9 / 8), ("inefficient", 3 / 4)):
        assert log(getattr(grown[1], field) / getattr(grown[0], field), 10) == pytest.approx(power)
    rows = [paper_bounds.prsma_rate(30, 30, 20.0, 20.0, epsilon=1, rows=n) for n in (1e6, 8e6)]
    assert rows[0] / rows[1] == pytest.approx(2)
    better = paper_bounds.private_oracle_rate(30, 20.0, 20.0, **args)
    assert better < paper_bounds.gaussian_rate(30, 30, 20.0, **args)
