"""One gate on public numbers: what passes it wraps nowhere, and no refusal looks at the data."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.classes import Conjunctions, DecisionLists, Halfspaces, Parities, ReadOnceFormulas, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import CapacityError, OracleDPError, ParameterError
from oracledp.exact.capacity import DOUBLES, INTEGERS, MOST_ROWS, MOST_UNIT, fits, refuse_overflow, refuse_rows
from oracledp.learning import OverrideLists, Sample, rule_learner, whole_weights
from oracledp.learning.conditions import Conditions
from oracledp.learning.single_rules import SingleRules
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.gaussian_min import GaussianReportSeparatorPerturbedMin
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.choice import short_rate
from oracledp.randomness.lattice import lattice
from oracledp.randomness.partition import hypergeometric_parts
from oracledp.randomness.source import SystemRandomness

LETTERS = Literals.named(*"abcd")
LOSSES = [
    ZeroOneLoss.of(owner, Literal.boolean("y"))
    for owner in (
        Conjunctions(LETTERS, max_width=2),
        Conjunctions(LETTERS),
        Parities(LETTERS).closure(),
        Parities(Literals.named(*"abc"), code=((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))),
        Halfspaces(LETTERS, weights=(-1, 0, 2), max_nonzero=2, thresholds=(0, 1, 2)),
        DecisionLists(LETTERS, length=2),
    )
]
epsilons = st.fractions(min_value=Fraction(1, 10**6), max_value=10**4)


def test_the_gate_is_exact():
    assert fits(rows_bound=2**40, unit=1000, resolution=12)
    assert not fits(rows_bound=2**40, unit=1000, resolution=13)
    assert not fits(rows_bound=1, noise=INTEGERS - 1)
    assert fits(rows_bound=1, noise=INTEGERS - 2)
    refuse_overflow(rows_bound=MOST_ROWS, unit=MOST_UNIT, limit=DOUBLES)
    with pytest.raises(CapacityError):
        refuse_overflow(rows_bound=2**40, resolution=22)
    with pytest.raises(CapacityError):
        refuse_overflow(rows_bound=MOST_ROWS + 1)
    with pytest.raises(ParameterError):
        refuse_overflow(rows_bound=1, unit=MOST_UNIT + 1)


def test_the_number_of_rows_bounds_only_where_it_is_public():
    assert Neighbours.REPLACE_ONE.public_rows(7) == 7
    assert Neighbours.ADD_REMOVE.public_rows(7) == MOST_ROWS


@pytest.mark.parametrize("counts", [[2**40, 1], [2**62, 2**62, 2**62, 2**62], [2**63 - 1] * 3])
def test_no_table_and_no_sample_holds_more_rows(counts):
    """The third sum is 2^63 - 3 in wrapping arithmetic, and the second is zero."""
    schema = Schema({"columns": {"age": {"kind": "integer", "lo": 0, "hi": 9}}})
    array = np.array(counts, dtype=np.int64)
    with pytest.raises(CapacityError, match=r"2\^40"):
        refuse_rows(array)
    with pytest.raises(CapacityError, match=r"2\^40"):
        Table.from_codes(np.arange(len(counts))[:, None], schema, array)
    records = np.eye(len(counts), 4, dtype=np.uint8)
    with pytest.raises(CapacityError, match=r"2\^40"):
        Sample.of(LETTERS, records, np.ones(len(counts), dtype=bool), counts=array)


def test_a_split_refuses_by_the_true_sum_of_the_counts():
    with pytest.raises(CapacityError):
        hypergeometric_parts(np.array([2**62, 2**62, 2**62, 2**62]), [1], SystemRandomness())  # wraps to zero


@pytest.mark.parametrize("queries", LOSSES, ids=lambda q: q.hypotheses.kind)
@pytest.mark.parametrize("embedding", ["k-hot", "separator"])
@settings(derandomize=True, deadline=None, max_examples=15)
@given(epsilon=epsilons, rows=st.integers(1, 2**40), unit=st.integers(1, 1000), free=st.booleans())
def test_the_worst_data_and_noise_stay_within_what_the_gate_lets_pass(queries, embedding, epsilon, rows, unit, free):
    """All rows on one label at the largest weight, every draw as far out as a sampler goes."""
    oracle = CpSatOracle() if free else ExhaustiveOracle()
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        queries, epsilon=epsilon, neighbours=Neighbours.ADD_REMOVE, oracle=oracle, embedding=embedding,
        rows_bound=rows, unit=unit,
    )  # fmt: skip
    noise = mechanism.perturbation
    assert noise.resolution <= lattice().free_ties
    try:
        noise.check(rows, unit)
    except CapacityError:
        assert noise.resolution == 0
        return
    records = np.ones((1, queries.dimension), dtype=np.uint8)
    objective = Objective.of(queries, records, np.array([rows * unit]), resolution=noise.resolution)
    for sign in (-1, 1) if embedding == "separator" else (-1,):
        pieces = noise.perturb(objective, np.full(noise.coordinates, sign * noise.reach))
        for piece in pieces:
            problem = piece.problem
            sizes = (problem.weights, problem.part_costs, problem.size_costs)
            assert sum(abs(value) for array in sizes for value in array.tolist()) < INTEGERS


def test_a_solver_s_lattice_is_as_fine_as_the_public_bound_allows():
    def resolution(**bound):
        return ReportSeparatorPerturbedMin.calibrate(
            LOSSES[0], epsilon=Fraction(1), neighbours=Neighbours.REPLACE_ONE, oracle=CpSatOracle(), **bound
        ).perturbation.resolution

    assert resolution(rows_bound=10**6) == lattice().free_ties
    assert resolution(rows_bound=10**7, unit=1000) == lattice().free_ties - 4
    assert 20 <= resolution() < resolution(rows_bound=2**35) < lattice().free_ties


@pytest.mark.parametrize("neighbours", Neighbours)
def test_the_same_gate_stands_before_every_mechanism(neighbours):
    queries, epsilon = LOSSES[0], Fraction(1)
    mechanisms = [
        ExponentialMechanism(queries, epsilon, neighbours),
        ReportNoisyMin(queries, epsilon, neighbours),
        ReportSeparatorPerturbedMin.calibrate(
            queries, epsilon=epsilon, neighbours=neighbours, oracle=ExhaustiveOracle()
        ),
        GaussianReportSeparatorPerturbedMin.calibrate(
            queries, epsilon=epsilon, delta=Fraction(1, 100), neighbours=neighbours, oracle=ExhaustiveOracle()
        ),
        SingleRules(LETTERS, 2, epsilon, neighbours, disjunctions=False),
        OverrideLists(LETTERS, 2, epsilon, neighbours),
        *(
            rule_learner(model, LETTERS, rows=100, epsilon=epsilon, neighbours=neighbours, mechanism=mechanism)
            for model, mechanism in (("halfspace", None), ("conjunction", "rspm"), ("parity", None), ("auto", None))
        ),
    ]  # fmt: skip
    for mechanism in mechanisms:
        mechanism.check(MOST_ROWS, 1)
        with pytest.raises(OracleDPError, match="rows"):
            mechanism.check(MOST_ROWS + 1, 1)
        with pytest.raises(ParameterError):
            mechanism.check(10, MOST_UNIT + 1)


def test_classes_that_cannot_be_carried_out_are_refused_by_their_size():
    wide = Literals.named(*(f"x{i}" for i in range(60)))
    parities = Parities(wide)
    with pytest.raises(ParameterError, match="no sampler"):
        ExponentialMechanism(parities, Fraction(1), Neighbours.REPLACE_ONE).check(100)
    with pytest.raises(CapacityError, match="queries"):
        ReportNoisyMin(parities, Fraction(1), Neighbours.REPLACE_ONE).check(100)
    formulas = ReadOnceFormulas(Literals.named(*"abc"))
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        formulas, epsilon=Fraction(1), neighbours=Neighbours.REPLACE_ONE, oracle=BranchAndBoundOracle()
    )
    with pytest.raises(ParameterError, match="does not serve"):
        mechanism.check(100)


def test_sums_of_conditions_are_exact_up_to_the_gate():
    rng = np.random.default_rng(3)
    records = rng.integers(0, 2, (50, 5)).astype(np.uint8)
    packed = PackedRecords.of(records)
    weights = rng.integers(-(2**47), 2**47, 50)
    family = Conditions(5, 3)
    sums = family.sums(packed, weights)
    for index in range(family.size):
        held = [all(record[c] == wanted for c, wanted in family[index]) for record in records.tolist()]
        assert sums[index] == sum(int(w) for w, holds in zip(weights, held, strict=True) if holds)
    with pytest.raises(CapacityError):
        family.sums(
            PackedRecords.of(records), np.full(50, 2**62)
        )  # the sum of the absolute values wraps to a small number


@given(st.lists(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9), min_size=1, max_size=5))
def test_class_weights_become_small_integers(weights):
    whole = whole_weights(weights)
    assert all(type(weight) is int and 1 <= weight <= MOST_UNIT for weight in whole)
    largest = max(weights)
    for given_weight, weight in zip(weights, whole, strict=True):
        assert abs(Fraction(weight, max(whole)) - given_weight / largest) <= Fraction(1, MOST_UNIT)


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**6))
def test_a_rate_is_only_ever_rounded_down(rate):
    short = short_rate(rate)
    assert 0 < short <= rate
    assert short >= rate * (1 - Fraction(1, 2**20))
    assert max(short.numerator, short.denominator) < 2**63
