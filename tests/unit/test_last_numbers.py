"""Refusals by public numbers at the last number that passes and the first that does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import pi
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from oracledp.audit.robust_doors import two_samples
from oracledp.classes import Conjunctions, Disjunctions, Parities
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.data.schema import Schema
from oracledp.data.schema.text_kinds import number_of
from oracledp.data.table import Table
from oracledp.data.table.flaws import base
from oracledp.data.table.values import INTEGER_TEXT, code_of
from oracledp.errors import (
    BrokenSearchTree,
    CapacityError,
    ModelError,
    OracleDPError,
    OracleFailure,
    ParameterError,
)
from oracledp.exact.capacity import MOST_ROWS, MOST_SCALES, MOST_UNIT, fits, refuse_overflow
from oracledp.exact.exponentials import power_enclosure
from oracledp.exact.numbers import positive, probability
from oracledp.exact.roots import sqrt_below
from oracledp.game import players
from oracledp.game.query_player import perturbed_answer
from oracledp.game.voting_player import VotingPlayer
from oracledp.learners.chances import BandCounts
from oracledp.learners.cuts import MOST_BOUND, CutEncoder
from oracledp.learners.fitting import Fitting
from oracledp.learning import OverrideLists, robust, rule_learner
from oracledp.learning.learner import promise
from oracledp.learning.sample import ClassSample, Sample
from oracledp.mechanisms import exponential_mechanism
from oracledp.mechanisms.block_noise import block_noise
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism, exponential
from oracledp.mechanisms.gaussian_min import GaussianPerturbation
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.perturbation import KHotPerturbation
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin, oracle_assumptions
from oracledp.mechanisms.private_trees import usual_depth
from oracledp.mechanisms.robust.mechanism import NothingReleased, optimality_claims
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.mechanisms.sampling import permute_sampler
from oracledp.mechanisms.sampling.decision_tree_sampler import pick
from oracledp.mechanisms.sampling.subset_sampler import SubsetTrials
from oracledp.mechanisms.sampling.trials import check_leaves
from oracledp.mechanisms.votes.ladder import MOST_ON_LADDERS, LadderVote
from oracledp.oracles.base import NO_ANSWER, Failed
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import LIMIT, WeightedProblem
from oracledp.oracles.registry import resolve
from oracledp.oracles.values import MOST_QUERIES
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Charge
from oracledp.randomness import noise
from oracledp.randomness.lattice import lattice
from oracledp.randomness.noise import LARGEST_SCALE
from oracledp.randomness.source import SeededRandomness, SystemRandomness

ONE = Fraction(1)


def named(count: int) -> Literals:
    return Literals.named(*(f"x{j}" for j in range(count)))


def refused(call: Callable[[], Any], kind: type[OracleDPError] = CapacityError) -> bool:
    try:
        call()
    except kind:
        return True
    return False


def test_bounds_of_cuts() -> None:
    assert len(CutEncoder.evenly(("x",), (-MOST_BOUND, MOST_BOUND), 3).cuts[0]) == 3
    for bounds in ((0, MOST_BOUND + 1), (-MOST_BOUND - 1, 0)):
        assert refused(lambda bounds=bounds: CutEncoder.evenly(("x",), bounds, 3), ParameterError)


def test_charges_of_nothing_are_read_and_negative_ones_are_not() -> None:
    zero = Charge(epsilon=Fraction(0), delta=Fraction(0), mechanism="m")
    for charge in (zero, replace(zero, epsilon=ONE), replace(zero, delta=ONE)):
        assert Charge.from_json(charge.to_json()) == charge
    for charge in (replace(zero, epsilon=Fraction(-1, 10**9)), replace(zero, delta=Fraction(-1, 10**9))):
        assert refused(lambda charge=charge: Charge.from_json(charge.to_json()), ModelError)


def test_queries_that_a_frontier_counts() -> None:
    assert SubsetTrials.serves(Conjunctions(named(61)))
    assert not SubsetTrials.serves(Conjunctions(named(62)))
    sizes = [SimpleNamespace(size=(1 << 62) - 1), SimpleNamespace(size=1 << 62)]
    check_leaves(sizes)  # type: ignore[arg-type]
    assert refused(lambda: check_leaves([*sizes, SimpleNamespace(size=1)]))  # type: ignore[list-item]


def test_weights_of_an_objective() -> None:
    """Shifted in 64 bits, the last weight would wrap to nothing."""
    queries, records = Conjunctions(named(2)), np.ones((1, 2), dtype=np.uint8)

    def objective(weight: int, resolution: int) -> Objective:
        return Objective.of(queries, records, np.array([weight]), resolution=resolution)

    assert objective((1 << 61) - 1, 1).value(()) == LIMIT - 2
    for weight, resolution in ((1 << 61, 1), (-(1 << 61), 1), (1, 62), (4, 62), (1, 64)):
        assert refused(lambda w=weight, r=resolution: objective(w, r))


@pytest.mark.parametrize("which", ["weights", "part costs", "size costs"])
def test_weights_and_noise_of_a_problem(which: str) -> None:
    """Whatever holds the last unit, it is the sum of all that counts."""

    def build(last: int) -> WeightedProblem:
        extra = {name: last * (name == which) for name in ("weights", "part costs", "size costs")}
        weights = np.array([LIMIT // 4 + extra["weights"], -LIMIT // 4])
        records = np.array([[0, 1], [1, 0]], dtype=np.uint8)
        problem = WeightedProblem.build(Conjunctions(named(2), max_width=2), records, weights)
        parts = np.array([LIMIT // 8, -LIMIT // 8 - extra["part costs"]])
        return problem.with_noise(parts, np.array([0, -LIMIT // 8 - extra["size costs"], LIMIT // 8 - 1]))

    build(0)
    assert refused(lambda: build(1))
    assert refused(lambda: WeightedProblem.build(Conjunctions(named(1)), np.ones((1, 1)), np.array([LIMIT])))


def test_conditions_of_an_override_list() -> None:
    """Each condition makes two rules."""

    def check(columns: int) -> None:
        lists = OverrideLists(range(columns), 2, ONE, Neighbours.REPLACE_ONE)  # type: ignore[arg-type]
        assert lists.first_conditions.size == 1 + 2 * columns
        lists.check(1)

    most = (MOST_QUERIES // 2 - 1) // 2
    check(most)
    assert refused(lambda: check(most + 1))


def test_a_fit_asks_its_learner_with_the_public_bound_and_the_largest_weight() -> None:
    literals = named(3)
    learner = rule_learner("conjunction", literals, rows=100, epsilon=ONE, neighbours=Neighbours.ADD_REMOVE)

    def check(rows: int | None, *weights: int) -> None:
        Fitting(learner, literals, ONE, weights).check(Facts(rows))

    check(MOST_ROWS, 1, MOST_UNIT)
    check(None, MOST_UNIT, 1)
    assert refused(lambda: check(MOST_ROWS + 1, 1, 1))
    for weights in ((1, MOST_UNIT + 1), (MOST_UNIT + 1, 1)):
        assert refused(lambda weights=weights: check(10, *weights), ParameterError)


@pytest.mark.parametrize(
    "queries", [Conjunctions(named(12)), Disjunctions(named(12)), Parities(named(12), max_width=6)]
)
def test_permute_and_flip_without_a_total_search(queries: QueryClass, monkeypatch: pytest.MonkeyPatch) -> None:
    """First visits need the least value from a search that never fails: else it is refused before anything is paid."""
    mechanism = ExponentialMechanism(queries, ONE, Neighbours.REPLACE_ONE, permute_and_flip=True)
    mechanism.check(100)
    monkeypatch.setattr(exponential_mechanism, "total_oracles", lambda queries: ())
    with pytest.raises(CapacityError, match="no total search"):
        mechanism.check(100)
    replace(mechanism, permute_and_flip=False).check(100)


@pytest.mark.parametrize("variance", [1, 2, 3, 4, 99, 100, 101, 10**12, (1 << 55) ** 2 - 1])
def test_no_gaussian_draw_is_beyond_its_reach(variance: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sampler keeps proposals of the scale it tells the compiled core, none of them beyond MOST_SCALES scales."""
    told: list[int] = []

    def gaussian(scale: int, *rest: Any) -> np.ndarray:
        told.append(scale)
        return np.zeros(1, dtype=np.int64)

    monkeypatch.setattr(noise, "_engine", SimpleNamespace(draw_gaussian=gaussian))
    perturbation = GaussianPerturbation(Conjunctions(named(1)), variance, 0, 1)
    assert perturbation.drawable
    noise.discrete_gaussian(Fraction(variance), 1, SystemRandomness())
    assert told[0] ** 2 > variance
    assert perturbation.reach == MOST_SCALES * told[0]
    assert not replace(perturbation, scale=(1 << 55) ** 2).drawable


RANGES = {
    "epsilon": ("1e-6", "1e4"), "subsample": ("1e-6", "1"), "target_error": ("1e-9", "1"),
    "class_weight": ("1e-9", "1e9"), "weight": ("1e-6", "1e6"), "perturbation": ("1e-9", "1e9"),
}  # fmt: skip


@pytest.mark.parametrize("name", RANGES)
def test_numbers_of_a_name(name: str) -> None:
    least, most = map(Fraction, RANGES[name])
    assert (positive(least, name), positive(most, name)) == (least, most)
    for number in (least * (1 - Fraction(1, 10**6)), most * (1 + Fraction(1, 10**6)), Fraction(0), -least):
        assert refused(lambda number=number: positive(number, name), ParameterError)


def test_numbers_without_a_name_and_probabilities() -> None:
    tiny = Fraction(1, 10**300)
    assert positive(tiny, "anything") == probability(tiny, "delta") == tiny
    assert probability(0, "delta", zero=True) == 0
    assert probability(1 - tiny, "delta") < 1
    for number in (Fraction(0), tiny / 2, Fraction(1), -tiny):
        assert refused(lambda number=number: probability(number, "delta"), ParameterError)
    for number in (tiny / 2, Fraction(1), -tiny):
        assert refused(lambda number=number: probability(number, "delta", zero=True), ParameterError)


def test_digits_of_a_whole_number() -> None:
    """38 are what every engine's integers hold; a longer one is a number that is rounded, and floats can be whole."""
    assert [bool(re.fullmatch(INTEGER_TEXT, "9" * digits)) for digits in (1, 38, 39)] == [True, True, False]
    column = Schema({"columns": {"age": {"kind": "integer", "lo": 0, "hi": 9}}}).columns[0]
    for three in (3, 3.0, "3", "3.0", " +3 ", np.float32(3), Decimal(3), Decimal("3.00")):
        assert code_of(column, three) == 3
    for more in (3.5, "3.5", Decimal("3.00001"), np.float32(3.5)):
        assert code_of(column, more) == 3 + base(column)


@pytest.mark.parametrize("bits", [1, 8, 64])
def test_roots_are_the_largest_that_are_small_enough(bits: int) -> None:
    for value in (Fraction(0), Fraction(1, 4), Fraction(2), Fraction(10**40, 7), Fraction(1, 10**9)):
        root, step = sqrt_below(value, bits), Fraction(1, 1 << bits)
        assert root % step == 0
        assert root**2 <= value < (root + step) ** 2


def test_weights_that_would_wrap_when_they_are_scaled() -> None:
    queries, records = Conjunctions(named(1)), np.ones((1, 1), dtype=np.uint8)
    Objective.of(queries, records, np.array([(1 << 31) - 1]), resolution=30)
    assert refused(lambda: Objective.of(queries, records, np.array([1 << 40]), resolution=30))  # 2^70 is 0 in 64 bits


def test_costs_of_sizes_count_against_the_limit() -> None:
    problem = WeightedProblem.build(Conjunctions(named(2)), np.ones((1, 2), dtype=np.uint8), np.array([1]))
    parts, sizes = np.zeros_like(problem.part_costs), np.zeros_like(problem.size_costs)
    sizes[0] = LIMIT - 2
    problem.with_noise(parts, sizes)
    sizes[0] = 1 - LIMIT
    assert refused(lambda: problem.with_noise(parts, sizes))


def test_no_power_is_one_and_the_finest_lattice_is_taken() -> None:
    low, high, exponent = power_enclosure(Fraction(3), 0, 64)
    assert Fraction(low) * Fraction(2) ** exponent <= 1 <= Fraction(high) * Fraction(2) ** exponent
    rspm = ReportSeparatorPerturbedMin.calibrate(
        Conjunctions(named(3)), epsilon=ONE, neighbours=Neighbours.DEFAULT, oracle=ExhaustiveOracle(), rows_bound=1000
    )
    assert rspm.perturbation.resolution == lattice().fixed_ties > 0


def test_every_run_is_a_call() -> None:
    assert TwoSamples(Fraction(1, 2)).calls(3, 5) == 16
    design = two_samples()
    assert design.relative_signal == pytest.approx(float(design.signal) / design.rows**0.5, rel=1e-5)


def test_a_list_of_one_round() -> None:
    OverrideLists(named(1), 1, ONE, Neighbours.DEFAULT)
    assert refused(lambda: OverrideLists(named(1), 0, ONE, Neighbours.DEFAULT), ParameterError)


def test_options_that_outweigh_their_node() -> None:
    assert pick([(1, 0), (2, 0)], (3, 0), SystemRandomness()) in (0, 1)
    with pytest.raises(BrokenSearchTree, match="weigh more"):
        pick([(2, 0), (2, 0)], (3, 0), SystemRandomness())


def test_noise_that_does_not_fit_is_refused_and_no_other() -> None:
    scales = [KHotPerturbation(Conjunctions(named(3)), 1 << bits, 0) for bits in range(40, 57)]
    assert [refused(lambda noise=noise: noise.check(1)) for noise in scales] == [not noise.fits(1) for noise in scales]
    assert scales[0].fits(1)
    assert not scales[-3].fits(1)


@pytest.mark.parametrize("sizes", [(), (0,), (2, 0)])
def test_blocks_have_coordinates(sizes: tuple[int, ...]) -> None:
    assert refused(lambda: block_noise(10, sizes, SystemRandomness()), ParameterError)


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
