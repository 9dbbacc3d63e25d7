"""The query-release game: accurate on small domains by brute force, and as private as it says, round by round."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracledp as odp
from oracledp.audit.exact_law import compare
from oracledp.audit.law import Law
from oracledp.bounds import context_ftpl
from oracledp.classes.base import QueryClass
from oracledp.classes.linked import LinkedQueries
from oracledp.classes.separation import all_records
from oracledp.classes.tables import Parts
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.game.data_player import ContextFTPL, descend
from oracledp.game.match import _board, _post
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.play import Play
from oracledp.game.players import query_player
from oracledp.game.settings import default_rounds
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.proposals import equal_unit, proposal_weights, selection_resolution
from oracledp.mechanisms.scoreboard import Scoreboard
from oracledp.randomness.choice import exponential_law
from oracledp.randomness.source import SeededRandomness


def boolean_schema(columns: int) -> odp.Schema:
    return odp.Schema({"columns": {f"c{j}": {"kind": "boolean"} for j in range(columns)}})


def planted_table(schema: odp.Schema, rows: int, seed: int = 0) -> odp.Table:
    """Correlated bits: each column copies an earlier one with probability 3/4."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (rows, len(schema.columns))).astype(np.uint8)
    for j in range(1, codes.shape[1]):
        copy = rng.random(rows) < 0.75
        codes[copy, j] = codes[copy, j - 1]
    return odp.Table.from_codes(codes, schema)


def worst_error(game: OracleQuery, table: odp.Table, queries: QueryClass) -> float:
    """The maximum error over every query of the class, by brute force."""
    synthetic = game.sample_codes(20_000, seed=1).astype(np.uint8)
    ours = game.schema.literal_values(queries.literals, synthetic)
    real, counts = table.matrix(queries.literals), table.counts / table.rows
    return max(abs(float(q(ours).mean()) - float(counts[q(real)].sum())) for q in queries)


SCHEMA = boolean_schema(4)
CONJUNCTIONS = odp.Conjunctions(SCHEMA.literals.with_negations(), max_width=3)


def play(rows: int, rounds: int, **more: object) -> tuple[OracleQuery, odp.Table]:
    table = planted_table(SCHEMA, rows)
    game = OracleQuery(SCHEMA, epsilon=2, delta="1e-6", queries=CONJUNCTIONS, rounds=rounds, **more)
    return game.fit(table, source=SeededRandomness(3)), table


def test_the_error_over_all_conjunctions_falls_with_rows_and_rounds() -> None:
    few_rounds = worst_error(*play(50_000, 4), CONJUNCTIONS)
    few_rows = worst_error(*play(150, 80), CONJUNCTIONS)
    good = worst_error(*play(50_000, 80), CONJUNCTIONS)
    assert good < 0.05
    assert good < few_rounds / 2
    assert good < few_rows


@pytest.mark.parametrize("player", ["rspm", "rspm:separator", "exponential"])
def test_every_query_player_plays(player: str) -> None:
    game, table = play(50_000, 30, query_player=player)
    assert worst_error(game, table, CONJUNCTIONS) < 0.3
    assert game.guarantee_.assumes == ()
    assert not game.guarantee_.private  # the source was seeded
    assert len(game.released_queries()) == 30


def test_the_robust_game_runs_end_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """PRSMA as query player: the guarantee assumes nothing about the oracle."""
    monkeypatch.setattr("oracledp.game.robust_player.MOST_CALLS", 4000)
    queries = odp.Conjunctions(SCHEMA.literals, max_width=1)
    table = planted_table(SCHEMA, 200_000)
    game = OracleQuery(SCHEMA, epsilon=4, delta="1e-3", queries=queries, rounds=2, query_player="prsma", draws=20)
    game.fit(table, source=SeededRandomness(1))
    assert game.guarantee_.assumes == ()
    assert len(game.released_queries()) == 2


def test_a_vote_plays_with_a_heuristic_and_assumes_nothing() -> None:
    table = planted_table(SCHEMA, 20_000)
    common: dict[str, Any] = {"epsilon": 8, "delta": "1e-3", "queries": CONJUNCTIONS, "rounds": 6, "draws": 60}
    for oracle in ("auto", "heuristic"):
        game = OracleQuery(SCHEMA, **common, query_player="vote", oracle=oracle)
        game.fit(table, source=SeededRandomness(1))
        assert game.guarantee_.assumes == ()
        assert worst_error(game, table, CONJUNCTIONS) < 0.3
    with pytest.raises(ParameterError, match="are needed"):
        OracleQuery(SCHEMA, **{**common, "epsilon": "1/10"}, query_player="vote").fit(planted_table(SCHEMA, 500))


def test_the_papers_game_has_small_regret() -> None:
    """The data player's regret against the best record in hindsight is within its theorem's order."""
    game, _ = play(50_000, 120, responds_to="play", draws=60)
    closed = CONJUNCTIONS.closure()
    linked = LinkedQueries.of(game.play_.queries, closed, SCHEMA)
    regret = game.play_.regret(linked, all_records(4).astype(np.int64))
    assert regret <= context_ftpl(4, np.log(16), rounds=120).regret


@pytest.mark.parametrize(
    "queries",
    [
        odp.Conjunctions(SCHEMA.literals, max_width=2),
        odp.Disjunctions(SCHEMA.literals, max_width=2),
        odp.Parities(SCHEMA.literals, max_width=2),
        odp.Halfspaces(SCHEMA.literals, max_nonzero=2, thresholds=(1, 2)),
    ],
    ids=lambda q: q.kind,
)
def test_linked_tables_are_the_queries(queries: QueryClass) -> None:
    closed = queries.closure()
    chosen = list(closed.all_parts())
    linked = LinkedQueries.of(chosen, closed, SCHEMA)
    records = all_records(4)
    expected = np.array([closed.evaluate(parts, records) for parts in chosen]).T
    assert np.array_equal(linked.values(records.astype(np.int64)), expected)


def test_linked_tables_with_categories_and_thresholds() -> None:
    schema = odp.Schema(
        {
            "age": {"kind": "integer", "lo": 0, "hi": 9, "thresholds": [3, 6]},
            "colour": {"kind": "categorical", "values": ["r", "g", "b"], "nullable": True},
        }
    )
    closed = odp.Conjunctions(schema.literals.with_negations(), max_width=2).closure()
    chosen = list(closed.all_parts())
    codes = np.array(list(product(*(range(size) for size in schema.sizes))), dtype=np.uint8)
    linked = LinkedQueries.of(chosen, closed, schema)
    expected = np.array([closed.evaluate(p, schema.literal_values(closed.literals, codes)) for p in chosen]).T
    assert np.array_equal(linked.values(codes.astype(np.int64)), expected)


def test_descent_finds_the_best_record_of_a_small_domain() -> None:
    rng = np.random.default_rng(0)
    closed = CONJUNCTIONS.closure()
    everything = list(closed.all_parts())
    for _ in range(20):
        chosen = [everything[i] for i in rng.integers(0, len(everything), 12)]
        linked = LinkedQueries.of(chosen, closed, SCHEMA)
        free = [np.zeros((64, 2), dtype=np.float32) for _ in range(4)]
        start = rng.integers(0, 2, (64, 4))
        ended = descend(start, free, linked, sweeps=6, rng=rng)
        best = linked.values(all_records(4).astype(np.int64)).sum(axis=1).max()
        assert linked.values(ended).sum(axis=1).max() == best


def law_of_rounds(data: tuple[int, ...], queries: QueryClass, rounds: int, rate: Fraction) -> Law:
    """The exact law of all released queries, when the data player answers deterministically."""
    records = all_records(1)
    outputs: list[tuple[Parts, ...]] = [()]
    bounds = {(): (Fraction(1), Fraction(1))}
    names = list(queries.all_parts())
    for _ in range(rounds):
        grown = {}
        for past in outputs:
            # The proposal depends on what was released, and on nothing else.
            proposal = records[[len(past) % 2, sum(map(len, past)) % 2]]
            objective = Payoff(queries, records, np.array(data, dtype=np.int64), (proposal,)).objective(0)
            for name, (low, high) in zip(names, exponential_law(objective.all_values(), rate), strict=True):
                grown[(*past, name)] = (bounds[past][0] * low, bounds[past][1] * high)
        bounds, outputs = grown, list(grown)
    return Law.from_fractions(tuple(bounds), list(bounds.values()))


@pytest.mark.parametrize("rounds", [1, 2])
def test_the_exact_law_of_the_whole_run(rounds: int) -> None:
    """All pairs of neighbours of two rows over one bit: the composed claim holds for the whole transcript."""
    queries = odp.Conjunctions(boolean_schema(1).literals).closure()
    player = query_player(
        "exponential", queries, rows=2, rounds=rounds, epsilon=Fraction(1), delta=Fraction(1, 1000), oracle="auto"
    )
    laws = [law_of_rounds(data, queries, rounds, player.mechanism.rate) for data in ((2, 0), (1, 1), (0, 2))]
    finding = compare("oracle-query", player.guarantee, [(laws[0], laws[1]), (laws[1], laws[2])])
    assert finding.holds, finding
    broken = [law_of_rounds(data, queries, rounds, 8 * player.mechanism.rate) for data in ((2, 0), (1, 1), (0, 2))]
    assert compare("mutant", player.guarantee, [(broken[0], broken[1])]).broken


def test_budget_is_charged_for_all_rounds_before_the_first(tmp_path: object) -> None:
    ledger = odp.Ledger.create(f"{tmp_path}/l.json", epsilon=1, delta="1e-6", neighbours="replace-one")
    game = OracleQuery(SCHEMA, epsilon=2, delta="1e-6", queries=CONJUNCTIONS, rounds=3, ledger=ledger)
    with pytest.raises(BudgetExceeded, match="left"):
        game.fit(planted_table(SCHEMA, 100))
    assert ledger.charges == ()
    assert not hasattr(game, "model_")


def test_bad_options_are_named() -> None:
    for wrong in ({"responds_to": "none"}, {"rounds": 0}, {"draws": 0}, {"epsilon": 0}, {"neighbours": "add-remove"}):
        with pytest.raises(ParameterError):
            OracleQuery(SCHEMA, **({"epsilon": 1, "delta": "1e-6", "queries": CONJUNCTIONS} | wrong))
    with pytest.raises(ParameterError, match="query_player"):
        OracleQuery(SCHEMA, epsilon=1, delta="1e-6", queries=CONJUNCTIONS, query_player="mean").fit(
            planted_table(SCHEMA, 50)
        )


def test_weights_and_rounds() -> None:
    assert proposal_weights((1, 3), 2, 8).tolist() == [1, 1, 3, 3]
    for rows, expected in ((50, 8), (10**9, 1000)):
        assert default_rounds(CONJUNCTIONS.closure(), SCHEMA, rows, Fraction(1), Fraction(1, 10**6)) == expected
    large = odp.Conjunctions(boolean_schema(20).literals)
    assert default_rounds(large.closure(), boolean_schema(20), 10**9, Fraction(1), Fraction(1, 10**6)) == 250
    one = Play((), (np.zeros((5, 1), dtype=np.int64), np.ones((5, 1), dtype=np.int64)), (1, 3))
    assert one.average(400, np.random.default_rng(0)).mean() == pytest.approx(0.75, abs=0.01)


def test_the_data_player_starts_from_noise_alone() -> None:
    codes = ContextFTPL(SCHEMA, 1.0).play(None, 2000, np.random.default_rng(0))
    assert np.all(np.abs(codes.mean(axis=0) - 0.5) < 0.1)


@pytest.mark.parametrize("averaging", [True, False])
def test_the_scoreboard_says_what_the_objective_says(averaging: bool) -> None:
    """Integer for integer: which of the two is asked can tell nothing."""
    closed, table = CONJUNCTIONS.closure(), planted_table(SCHEMA, 500)
    private = table.matrix(closed.literals)
    rng = np.random.default_rng(0)
    proposals = [
        SCHEMA.literal_values(closed.literals, rng.integers(0, 2, (7, 4)).astype(SCHEMA.code_dtype)) for _ in range(3)
    ]
    board = Scoreboard(closed, private, table.counts)
    for done, proposal in enumerate(proposals, start=1):
        _post(board, proposal, done, averaging=averaging)
    payoff = Payoff(closed, private, table.counts, tuple(proposals) if averaging else (proposals[-1],))
    objective = payoff.selection()
    assert np.array_equal(board.values(payoff.resolution), objective.all_values())
    for index in (0, 5, closed.size - 1):
        assert board.parts_at(index) == objective.parts_at(index)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=12),
    rounds=st.integers(1, 4),
    draws=st.integers(1, 5),
    repeats=st.sampled_from([1, 7, 10**6]),
    seed=st.integers(0, 1000),
)
def test_scoreboard_and_objective_agree_on_any_data(
    rows: list[tuple[int, ...]], rounds: int, draws: int, repeats: int, seed: int
) -> None:
    """Every class, any table and any proposals; and a unit that is right to a thirtieth of a record."""
    literals = boolean_schema(3).literals
    private, counts = np.unique(np.array(rows, dtype=np.uint8), axis=0, return_counts=True)
    counts = counts.astype(np.int64) * repeats
    proposals = tuple(np.random.default_rng(seed).integers(0, 2, (rounds, draws, 3)).astype(np.uint8))
    for queries in (odp.Conjunctions(literals), odp.Disjunctions(literals), odp.Parities(literals)):
        closed = queries.closure()
        board = Scoreboard(closed, private, counts)
        for weight, proposal in enumerate(proposals, start=1):
            board.add(proposal, weight)
        payoff = Payoff(closed, private, counts, proposals)
        assert np.array_equal(board.values(payoff.resolution), payoff.selection().all_values())
    lattice, whole = payoff.resolution, draws * rounds * (rounds + 1) // 2
    off = equal_unit(int(counts.sum()), whole, lattice) * whole - (int(counts.sum()) << lattice)
    assert 32 * abs(off) <= 1 << lattice


def test_whether_there_is_a_scoreboard_is_the_same_for_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the number of distinct rows decided: one record more of another kind, and the other path was taken."""
    closed = CONJUNCTIONS.closure()
    one = odp.Table.from_codes(np.zeros((6, 4), dtype=np.uint8), SCHEMA)
    other = odp.Table.from_codes(np.array([[0] * 4] * 5 + [[1] * 4], dtype=np.uint8), SCHEMA)
    for most in (closed.size, 6 * closed.size):
        monkeypatch.setattr("oracledp.mechanisms.scoreboard.MOST_CELLS", most)
        boards = [_board(closed, table.matrix(closed.literals), table) for table in (one, other)]
        assert [board is None for board in boards] == [most < 6 * closed.size] * 2


def test_a_scoreboard_is_kept_only_where_its_numbers_fit() -> None:
    closed = CONJUNCTIONS.closure()
    assert Scoreboard.affordable(closed, 10_000)
    assert not Scoreboard.affordable(closed, 10**9)
    assert not Scoreboard.affordable(odp.Conjunctions(boolean_schema(20).literals).closure(), 10)
    assert not Scoreboard.affordable(CONJUNCTIONS, 10)
    assert selection_resolution(10**9, 50_000_000) == 29
    assert selection_resolution(1 << 70, 1) == 0


def test_the_listed_and_the_sampled_game_have_the_same_law() -> None:
    """One round, many seeds: with and without a scoreboard each query comes as often as the exact law says.

    Chi-square at 1e-6 on 400 draws each; seeded, so this cannot flake. A wrong sign or scale fails by far.
    """
    queries = odp.Conjunctions(boolean_schema(2).literals, max_width=1).closure()
    table = odp.Table.from_codes(np.array([[1, 1]] * 9 + [[0, 1]] * 3), boolean_schema(2))
    private, proposal = table.matrix(queries.literals), np.array([[0, 0], [1, 0]], dtype=np.uint8)
    player = query_player(
        "exponential", queries, rows=12, rounds=1, epsilon=Fraction(1), delta=Fraction(1, 1000), oracle="auto"
    )
    board = Scoreboard(queries, private, table.counts)
    board.add(proposal, 1)
    lattice = Payoff(queries, private, table.counts, (proposal,)).resolution
    law = exponential_law(board.values(lattice), player.mechanism.rate / (1 << lattice))
    for known in (board, None):
        payoff = Payoff(queries, private, table.counts, (proposal,), known)
        drawn = [player.respond(payoff, SeededRandomness(seed)) for seed in range(400)]
        counts = [sum(parts == name for parts in drawn) for name in queries.all_parts()]
        expected = [400 * float(low) for low, _ in law]
        distance = sum((c - e) ** 2 / e for c, e in zip(counts, expected, strict=True))
        assert distance < 36.5  # 1 - 1e-6 quantile for five degrees of freedom is 36.4
