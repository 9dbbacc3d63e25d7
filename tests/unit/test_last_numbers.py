"""Refusals by public numbers at the last number that passes and the first that does not."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from refusals import refused

from oracledp.audit.robust_doors import two_samples
from oracledp.classes import Conjunctions, Disjunctions, Parities
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.data.schema import Schema
from oracledp.data.table.flaws import base
from oracledp.data.table.values import INTEGER_TEXT, code_of
from oracledp.errors import (
    BrokenSearchTree,
    CapacityError,
    ModelError,
    ParameterError,
)
from oracledp.exact.capacity import MOST_ROWS, MOST_SCALES, MOST_UNIT
from oracledp.exact.exponentials import power_enclosure
from oracledp.exact.numbers import positive, probability
from oracledp.exact.roots import sqrt_below
from oracledp.learners.cuts import MOST_BOUND, CutEncoder
from oracledp.learners.fitting import Fitting
from oracledp.learning import OverrideLists, rule_learner
from oracledp.mechanisms import exponential_mechanism
from oracledp.mechanisms.block_noise import block_noise
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.gaussian_min import GaussianPerturbation
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.perturbation import KHotPerturbation
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.mechanisms.sampling.decision_tree_sampler import pick
from oracledp.mechanisms.sampling.subset_sampler import SubsetTrials
from oracledp.mechanisms.sampling.trials import check_leaves
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import LIMIT, WeightedProblem
from oracledp.oracles.values import MOST_QUERIES
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Charge
from oracledp.randomness import noise
from oracledp.randomness.lattice import lattice
from oracledp.randomness.source import SystemRandomness

ONE = Fraction(1)


def named(count: int) -> Literals:
    return Literals.named(*(f"x{j}" for j in range(count)))


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
