"""Query players and classes: each plays end to end, keeps to its theorem, and says what it stands on."""

from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest

import oracledp as odp
from oracledp.bounds import context_ftpl, exponential
from oracledp.classes.base import QueryClass
from oracledp.errors import ParameterError
from oracledp.game.gaussian_player import GaussianPlayer
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.players import query_player
from oracledp.game.settings import PLAYERS
from oracledp.game.surrogate_player import nearest_halfspace
from oracledp.privacy.accounting import homogeneous_delta, homogeneous_epsilon, zcdp_delta
from oracledp.randomness.source import SeededRandomness

BOOLEAN = odp.Schema({"columns": {f"c{j}": {"kind": "boolean"} for j in range(4)}})
MIXED = odp.Schema(
    {
        "columns": {
            "a": {"kind": "boolean"},
            "size": {"kind": "categorical", "values": ["s", "m", "l"], "nullable": True},
            "age": {"kind": "integer", "lo": 0, "hi": 7, "thresholds": [2, 5]},
        }
    }
)
EPSILON, DELTA = Fraction(2), Fraction(1, 10**6)


def copied(schema: odp.Schema, rows: int) -> odp.Table:
    """Correlated columns: each copies the one before it, as far as its size allows, three times in four."""
    rng = np.random.default_rng(5)
    codes = np.stack([rng.integers(0, size, rows) for size in schema.sizes], axis=1)
    for j in range(1, codes.shape[1]):
        copy = rng.random(rows) < 0.75
        codes[copy, j] = np.minimum(codes[copy, j - 1], schema.sizes[j] - 1)
    return odp.Table.from_codes(codes, schema)


def classes(schema: odp.Schema) -> dict[str, QueryClass]:
    both = schema.literals.with_negations()
    return {
        "conjunctions": odp.Conjunctions(both, max_width=2),
        "disjunctions": odp.Disjunctions(both, max_width=2),
        "parities": odp.Parities(schema.literals, max_width=2),
        "halfspaces": odp.Halfspaces(schema.literals, max_nonzero=2, thresholds=(0, 1, 2)),
    }


def fitted(schema: odp.Schema, queries: QueryClass, rows: int = 30_000, **more: Any) -> tuple[OracleQuery, odp.Table]:
    table = copied(schema, rows)
    game = OracleQuery(schema, **({"epsilon": EPSILON, "delta": DELTA, "queries": queries, "rounds": 60} | more))
    return game.fit(table, source=SeededRandomness(2)), table


@pytest.mark.parametrize("kind", ["conjunctions", "disjunctions", "parities", "halfspaces"])
@pytest.mark.parametrize("schema", [BOOLEAN, MIXED], ids=["boolean", "mixed"])
def test_every_class_is_learned_over_every_schema(schema: odp.Schema, kind: str) -> None:
    """The error over the whole class, by brute force, is far below that of a uniform table (0.2 and more)."""
    queries = classes(schema)[kind]
    game, table = fitted(schema, queries)
    assert game.internal_diagnostics(table).max_error < 0.06
    start, _ = fitted(schema, queries, rounds=1)
    assert start.internal_diagnostics(table).max_error > 0.12


@pytest.mark.parametrize("name", ["exponential", "rspm", "rspm:separator", "rspm:gaussian"])
def test_every_player_beats_a_table_of_noise(name: str) -> None:
    queries = odp.Conjunctions(BOOLEAN.literals, max_width=2)
    game, table = fitted(BOOLEAN, queries, rows=300_000, query_player=name, rounds=20)
    assert game.guarantee_.assumes == ()  # the oracle of "auto" is total
    assert game.internal_diagnostics(table).max_error < 0.12


def test_the_surrogate_finds_halfspaces() -> None:
    queries = classes(BOOLEAN)["halfspaces"]
    game, table = fitted(BOOLEAN, queries, query_player="surrogate", rounds=15)
    assert game.guarantee_.assumes == ()
    start, _ = fitted(BOOLEAN, queries, rounds=1)
    assert game.internal_diagnostics(table).max_error < start.internal_diagnostics(table).max_error


def test_the_nearest_halfspace() -> None:
    owner = odp.Halfspaces(BOOLEAN.literals, max_nonzero=2, thresholds=(0, 1, 2))
    weights, threshold = owner.decode(nearest_halfspace(owner, np.array([90, -100, 10, 30, 100])))
    assert weights == (1, -1, 0, 0)
    assert threshold == 0
    dense = odp.Halfspaces(BOOLEAN.literals, weights=(-1, 0, 1))
    assert dense.decode(nearest_halfspace(dense, np.array([8, 1, -9, 0, 0])))[0] == (1, 0, -1, 0)
    for zero in (owner, dense):
        assert zero.contains(nearest_halfspace(zero, np.zeros(5, dtype=np.int64)))


def test_a_guarantee_is_robust_exactly_when_its_player_is() -> None:
    closed = odp.Conjunctions(BOOLEAN.literals, max_width=1).closure()
    options: dict[str, Any] = {"rows": 1000, "rounds": 3, "epsilon": EPSILON, "delta": DELTA}
    assert query_player("exponential", closed, **options).guarantee.robust
    assert query_player("rspm", closed, **options).guarantee.robust  # a total oracle
    contingent = query_player("rspm", closed, oracle="cp-sat", **options).guarantee
    assert not contingent.robust
    assert "cp-sat" in " ".join(contingent.assumes)


def test_combinations_that_cannot_work_are_refused_before_anything_is_paid(tmp_path: Any) -> None:
    ledger = odp.Ledger.create(tmp_path / "l.json", epsilon=100, delta="1e-2", neighbours="replace-one")
    narrow = odp.Conjunctions(BOOLEAN.literals, max_width=1)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"query_player": "surrogate"}, "finds halfspaces"),
        ({"query_player": "exponential", "oracle": "cp-sat"}, "asks no oracle"),
        ({"query_player": "rspm:gaussian", "oracle": "cp-sat"}, "fixed order"),
        ({"query_player": "oracle"}, "query_player must be"),
    ]
    for options, word in wrong:
        with pytest.raises(ParameterError, match=word):
            fitted(BOOLEAN, options.pop("queries", narrow), rows=100, rounds=2, ledger=ledger, **options)
    with pytest.raises(ParameterError, match="perturbation"):
        OracleQuery(BOOLEAN, epsilon=1, delta="1e-6", queries=narrow, perturbation=-1.0)
    assert ledger.charges == ()


# ---- the budget ------------------------------------------------------------------------------------
@pytest.mark.parametrize("rounds", [1, 7, 60])
def test_rounds_compose_to_the_promise_and_to_little_less(rounds: int) -> None:
    closed = odp.Conjunctions(BOOLEAN.literals, max_width=2).closure()
    options: dict[str, Any] = {"rows": 1000, "rounds": rounds, "epsilon": EPSILON, "delta": DELTA}
    curved = query_player("exponential", closed, **options).mechanism.epsilon  # type: ignore[attr-defined]
    assert zcdp_delta(rounds * curved**2 / 8, EPSILON) <= DELTA
    assert zcdp_delta(rounds * (curved * 101 / 100) ** 2 / 8, EPSILON) > DELTA
    pure = query_player("rspm", closed, **options).mechanism.epsilon  # type: ignore[attr-defined]
    assert homogeneous_delta(pure, rounds, EPSILON) <= DELTA < homogeneous_delta(pure * 101 / 100, rounds, EPSILON)


def test_the_accountant_of_others_agrees() -> None:
    """dp_accounting finds the rounds of both players within (ε, δ), up to its own pessimistic grid."""
    accounting = pytest.importorskip("dp_accounting")
    pld = pytest.importorskip("dp_accounting.pld")
    closed = odp.Conjunctions(BOOLEAN.literals, max_width=2).closure()
    options: dict[str, Any] = {"rows": 1000, "rounds": 30, "epsilon": EPSILON, "delta": DELTA}
    curved, pure = (
        float(query_player(name, closed, **options).mechanism.epsilon)  # type: ignore[attr-defined]
        for name in ("exponential", "rspm")
    )
    accountant = accounting.rdp.RdpAccountant(neighboring_relation=accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(accounting.ZCDpEvent(rho=curved**2 / 8), 30)
    assert accountant.get_epsilon(float(DELTA)) <= float(EPSILON) * 1.001
    loss = pld.privacy_loss_distribution.from_privacy_parameters(pld.common.DifferentialPrivacyParameters(pure, 0.0))
    assert loss.self_compose(30).get_delta_for_epsilon(float(EPSILON)) <= float(DELTA) * 1.02


# ---- the theorems ----------------------------------------------------------------------------------
@pytest.mark.parametrize("rounds", [50, 200])
def test_the_data_players_regret_respects_its_theorem(rounds: int) -> None:
    """Context-FTPL with the theorem's noise: at most m/μ + Bμ/T on average over coins, which 200 draws a round are.

    The mean of 200·T draws is within 0.03 of its expectation but for 1e-6 (Hoeffding, 50·200 draws), and the run is
    seeded.
    """
    game, _ = fitted(BOOLEAN, odp.Conjunctions(BOOLEAN.literals), responds_to="play", rounds=rounds, draws=200)
    bound = context_ftpl(4, log(16), rounds=rounds).regret
    assert bound < 1
    assert game.record().data_regret <= bound + 0.03


def test_the_query_players_answers_respect_theirs() -> None:
    """Each answer is within the exponential mechanism's bound of the best, but for β = 1e-6 over all 50 rounds."""
    queries = odp.Conjunctions(BOOLEAN.literals.with_negations(), max_width=2)
    game, table = fitted(BOOLEAN, queries, rows=5000, responds_to="play", rounds=50)
    inside = game.internal_diagnostics(table)
    player = query_player("exponential", queries.closure(), rows=5000, rounds=50, epsilon=EPSILON, delta=DELTA)
    each = float(player.mechanism.epsilon)  # type: ignore[attr-defined]
    worst = exponential(log(2 * queries.size), epsilon=each, rows=5000, beta=1e-6 / 50)
    assert inside.query_regret <= worst < 1
    assert inside.max_error <= inside.data_regret + worst + 1e-9  # the paper's argument: γ_D + γ_Q
    assert inside.max_error <= inside.duality_gap + 1e-9


def test_the_names_of_players_are_all_known() -> None:
    assert set(PLAYERS) == {"exponential", "rspm", "rspm:separator", "rspm:gaussian", "surrogate", "prsma", "vote"}


def test_the_deltas_of_gaussian_rounds_and_of_their_composition_are_the_whole_one() -> None:
    queries = odp.Conjunctions(BOOLEAN.literals, max_width=1)
    for rounds in (1, 2, 7):
        player = GaussianPlayer.calibrate(queries, rounds, EPSILON, DELTA, oracle="exhaustive")
        one = player.mechanism
        left = DELTA - rounds * one.delta
        assert left == DELTA / 2
        assert one.epsilon == homogeneous_epsilon(EPSILON, left, rounds)
        assert homogeneous_delta(one.epsilon, rounds, EPSILON) + rounds * one.delta <= DELTA
        assert (player.guarantee.epsilon, player.guarantee.delta) == (EPSILON, DELTA)
        assert one.guarantee.delta == one.delta
