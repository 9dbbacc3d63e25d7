"""What is said before a run is what then holds, and what a part or a text comes to."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from refusals import refused

from oracledp.classes import Conjunctions, Disjunctions
from oracledp.data.literals import Literals
from oracledp.data.schema import Schema
from oracledp.data.schema.text_kinds import number_of
from oracledp.data.table import Table
from oracledp.errors import (
    OracleFailure,
    ParameterError,
)
from oracledp.exact.capacity import fits, refuse_overflow
from oracledp.game import players
from oracledp.game.query_player import perturbed_answer
from oracledp.game.voting_player import VotingPlayer
from oracledp.learners.chances import BandCounts
from oracledp.learning import robust, rule_learner
from oracledp.learning.learner import promise
from oracledp.learning.sample import ClassSample, Sample
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism, exponential
from oracledp.mechanisms.gaussian_min import GaussianPerturbation
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.perturbed_min import oracle_assumptions
from oracledp.mechanisms.private_trees import usual_depth
from oracledp.mechanisms.robust.mechanism import NothingReleased, optimality_claims
from oracledp.mechanisms.sampling import permute_sampler
from oracledp.mechanisms.votes.ladder import MOST_ON_LADDERS, LadderVote
from oracledp.oracles.base import NO_ANSWER, Failed
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.registry import resolve
from oracledp.oracles.values import MOST_QUERIES
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import LARGEST_SCALE
from oracledp.randomness.source import SeededRandomness, SystemRandomness

ONE = Fraction(1)


def named(count: int) -> Literals:
    return Literals.named(*(f"x{j}" for j in range(count)))


def test_a_charge_names_the_mechanism_that_runs() -> None:
    names = [ExponentialMechanism(Conjunctions(named(1)), ONE, Neighbours.DEFAULT, flip).name for flip in (False, True)]
    assert names == ["exponential", "permute-and-flip"]


def test_parts_on_a_ladder() -> None:
    """Their number is public, and a ladder of more would take long to certify."""
    small = {"epsilon": Fraction(20), "delta": Fraction(1, 1000)}
    assert LadderVote.calibrate(parts=MOST_ON_LADDERS, **small).parts == MOST_ON_LADDERS
    for parts in (0, MOST_ON_LADDERS + 1, True):
        assert refused(lambda parts=parts: LadderVote.calibrate(parts=parts, **small), ParameterError)


@pytest.mark.parametrize("rows", [None, 100])
@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("auto", {}), ("decision-list", {}), ("decision-list", {"size": 2}), ("conjunction", {}), ("halfspace", {}),
        ("conjunction", {"mechanism": "permute-and-flip"}), ("tree", {}), ("halfspace", {"delta": Fraction(1, 1000)}),
    ],
)  # fmt: skip
def test_a_learner_promises_beforehand_what_it_then_promises(
    model: str, more: dict[str, Any], rows: int | None
) -> None:
    asked: dict[str, Any] = {"epsilon": ONE, "neighbours": Neighbours.ADD_REMOVE, "rows": rows, **more}
    assert promise(model, **asked) == rule_learner(model, named(3), **asked).guarantee


def test_trees_of_one_test_are_always_borne() -> None:
    assert [usual_depth(literals, 2) for literals in (1, 400, 10**6)] == [4, 3, 1]


def test_classes_that_are_listed() -> None:
    """By their size alone, before anything is charged."""
    queries = Conjunctions(named(60), max_width=8)
    assert queries.size > MOST_QUERIES
    assert refused(lambda: ReportNoisyMin(queries, ONE, Neighbours.DEFAULT).check(10))
    ReportNoisyMin(Conjunctions(named(3)), ONE, Neighbours.DEFAULT).check(10)


def test_a_game_whose_oracle_fails_says_so() -> None:
    class Fails:
        perturbation = SimpleNamespace(resolution=0)
        oracle = ExhaustiveOracle()

        def run(self, objective: Any, source: Any) -> Failed:
            return Failed(NO_ANSWER)

    payoff = SimpleNamespace(objective=lambda resolution: None)
    with pytest.raises(OracleFailure):
        perturbed_answer(Fails(), payoff, SystemRandomness())  # type: ignore[arg-type]


def test_samples_by_class_are_those_without_weights_of_rows() -> None:
    records, label = np.array([[0], [1], [1]], dtype=np.uint8), np.array([True, False, True])
    plain = Sample.of(named(1), records, label, weights=(2, 3))
    assert plain.by_class.shown.tolist() == [[0, 1], [1, 1]]
    weighed = Sample.of(named(1), records, label, row_weights=np.array([1, 2, 3]), heaviest=3)
    assert refused(lambda: weighed.by_class, ParameterError)
    own = ClassSample.of(records, label.astype(np.intp), weights=(1, 1), row_weights=np.array([1, 2, 3]), heaviest=3)
    assert own.row_weights is not None
    assert sorted(own.row_weights.tolist()) == [1, 2, 3]
    assert ClassSample.of(records, label.astype(np.intp), weights=(1, 1)).row_weights is None


def test_a_part_is_heard_in_a_game_unless_its_search_ends_in_an_error() -> None:
    queries = Conjunctions(named(2))
    player = VotingPlayer.calibrate(queries, 10**6, 2, ONE, Fraction(1, 1000), oracle="auto")
    said = [((0,), 8), ((7,), 8), ((1,), 3)]  # the second is no query of the class
    assert player._heard(lambda records, counts: said, None, None) == [said[0], said[2]]  # type: ignore[arg-type]
    assert player._heard(lambda records, counts: 1 // 0, None, None) == []  # type: ignore[arg-type]


def test_a_game_says_beforehand_what_it_takes_on_trust() -> None:
    """PRSMA needs a solver's claims to be true, perturbed minimisation also that it always answers."""
    pytest.importorskip("ortools")
    queries, budget = Conjunctions(named(2)), {"epsilon": ONE, "delta": Fraction(1, 1000), "oracle": "cp-sat"}
    solver = resolve("cp-sat", queries)
    assert players.promise("prsma", queries, **budget).assumes == optimality_claims(solver)
    assert players.promise("rspm", queries, **budget).assumes == oracle_assumptions(solver)
    assert optimality_claims(solver) != oracle_assumptions(solver)


def test_ties_of_gaussian_noise_cost_their_mass_on_every_coordinate() -> None:
    """The greatest mass is 1/sqrt(2πv) at most; an upper bound that is 1 % above it, for each coordinate."""
    for literals in (2, 5):
        noise = GaussianPerturbation(Conjunctions(named(literals)), 10**12, 0, 1)
        exact = noise.coordinates / (2 * pi * noise.scale) ** 0.5
        assert exact < noise.tie_delta < exact * 1.01


def test_noise_of_bands() -> None:
    last = Fraction(1, LARGEST_SCALE >> 20)
    assert BandCounts(last, Neighbours.ADD_REMOVE).scale == LARGEST_SCALE >> 20
    assert refused(lambda: BandCounts(last * Fraction(10**9, 10**9 + 1), Neighbours.ADD_REMOVE), ParameterError)


def test_what_a_text_says_as_a_number() -> None:
    assert [number_of(text) for text in ("1.5e3", "-2E-2", " 7 ", "x")] == [1500, Fraction(-1, 50), 7, None]


@pytest.mark.parametrize("goal", ["min", "max"])
def test_the_goal_is_the_least_or_the_greatest(goal: str) -> None:
    schema = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
    table = Table.from_codes(np.repeat([[1, 0]], 5000, axis=0).astype(np.uint8), schema)
    queries = Disjunctions(schema.literals, max_width=1)  # nothing, a, b: on 0, 5000, 0 rows
    found = exponential(table, queries, epsilon=1, goal=goal, source=SeededRandomness(0))
    assert (found.query.parts == (0,)) is (goal == "max")


def test_what_is_not_said_takes_no_room() -> None:
    """Rows alone may come up to the limit: no resolution and no noise are taken for granted."""
    last = max(rows for rows in range(200) if fits(rows_bound=rows, unit=1, resolution=0, noise=0, limit=100))
    refuse_overflow(rows_bound=last, limit=100)
    assert refused(lambda: refuse_overflow(rows_bound=last + 1, limit=100))


@pytest.mark.parametrize("released", [True, False])
def test_a_robust_rule_is_a_release_or_an_error(released: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
    table = Table.from_codes(np.zeros((50, 2), dtype=np.uint8), schema)
    found = exponential(table, Disjunctions(schema.literals, max_width=1), epsilon=1)
    promise_of = found.guarantee
    monkeypatch.setattr(robust, "vote", lambda *given, **more: found if released else NothingReleased(promise_of))
    asked = robust.RobustLearning(
        mechanism="vote", model="conjunction", size=1, epsilon=ONE, delta=Fraction(1, 1000),
        neighbours=Neighbours.DEFAULT, oracle="auto", rows=None, progress=None, ledger=None, source=None,
    )  # fmt: skip
    if released:
        assert asked.learn(table, schema.literals[1]) is found
    else:
        with pytest.raises(OracleFailure):
            asked.learn(table, schema.literals[1])


def test_a_visit_is_turned_down_by_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query at distance 3 whose process has depth 1: visited with e^-r, kept with e^-2r."""
    asked: list[Any] = []

    def keep(exponent: Fraction, inside: int, chosen: int, source: Any) -> bool:
        asked.append((exponent, inside, chosen))
        return len(asked) == 1

    monkeypatch.setattr(permute_sampler, "keep", keep)
    assert permute_sampler._fails(3, 1, Fraction(1, 2), 7, SystemRandomness())
    assert asked == [(Fraction(1, 2), permute_sampler.ONE, 7), (ONE, 1, 1)]
