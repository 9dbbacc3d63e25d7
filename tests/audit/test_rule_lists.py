"""Override lists and the automatic choice: the exact law of the whole sequence of selections on tiny data sets."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from oracledp.audit.exact_law import compare, neighbour_pairs
from oracledp.audit.law import Law
from oracledp.audit.permute_and_flip import permute_and_flip_law
from oracledp.classes.separation import all_records
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.learning import OverrideLists, Sample, values_of
from oracledp.learning.conditions import Conditions, holds
from oracledp.learning.single_rules import SingleRules
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.choice import exponential_law

NAMES = Literals.named("a")
RECORDS = all_records(2)  # one feature and the label


def sample_of(data, weights=(1, 1)):
    counts = np.array(data, dtype=np.int64)
    kept = counts > 0
    return Sample.of(NAMES, RECORDS[kept][:, :1], RECORDS[kept][:, 1] == 1, counts=counts[kept], weights=weights)


def law_of_lists(mechanism, sample):
    """Every sequence of choices with the product of its conditional probabilities."""
    rate = mechanism.rate(sample.unit)

    def choices(scores):
        law = permute_and_flip_law(tuple(range(len(scores))), np.asarray(scores, dtype=np.int64), rate)
        return zip(law.outputs, law.low, law.high, strict=True)

    def rounds(prefix, predicted, left):
        if left == 0:
            return [(prefix, np.longdouble(1), np.longdouble(1))]
        found = []
        for index, low, high in choices(mechanism.changes(sample, predicted)):
            step = mechanism.step(index)
            after = predicted if step is None else np.where(holds(step[0], sample.packed), step[1], predicted)
            found += [(p, low * a, high * b) for p, a, b in rounds((*prefix, index), after, left - 1)]
        return found

    paths = []
    for index, low, high in choices(mechanism.first_errors(sample)):
        condition, label = mechanism.first_step(index)
        start = np.where(holds(condition, sample.packed), label, not label)
        paths += [(p, low * a, high * b) for p, a, b in rounds((index,), start, mechanism.rounds - 1)]
    outputs, lows, highs = zip(*paths, strict=True)
    return Law(outputs, np.array(lows), np.array(highs))


def finding(mechanism, claimed, rows, weights=(1, 1)):
    pairs = [
        (first, second)
        for first, second in neighbour_pairs(len(RECORDS), rows, claimed.neighbours)
        if sum(first) and sum(second)
    ]
    laws = {data: law_of_lists(mechanism, sample_of(data, weights)) for data in {d for pair in pairs for d in pair}}
    return compare("override-list", claimed, ((laws[a], laws[b]) for a, b in pairs))


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(2)])
@pytest.mark.parametrize("weights", [(1, 1), (1, 3)])
def test_the_whole_list_keeps_its_epsilon(epsilon, neighbours, weights):
    mechanism = OverrideLists(NAMES, 3, epsilon, neighbours, width=1)
    found = finding(mechanism, mechanism.guarantee, 2, weights)
    assert found.pairs > 0
    assert found.holds
    assert found.epsilon_high > 0.3 * float(epsilon)


class _SpendsEveryRound(OverrideLists):
    """A mutant: each round is run at the whole ε."""

    def rate(self, unit):
        return self.epsilon / (self.neighbours.comparison_sensitivity * unit)


class _ForgetsTheWeights(OverrideLists):
    """A mutant: class weights do not lower the rate."""

    def rate(self, unit):
        return super().rate(1)


@pytest.mark.parametrize(("mutant", "weights"), [(_SpendsEveryRound, (1, 1)), (_ForgetsTheWeights, (1, 3))])
def test_the_audit_catches_a_wrong_rate(mutant, weights):
    mechanism = mutant(NAMES, 3, Fraction(1), Neighbours.REPLACE_ONE, width=1)
    assert finding(mechanism, mechanism.guarantee, 2, weights).broken


@pytest.mark.parametrize(("columns", "width"), list(product((1, 2, 3, 5), (0, 1, 2, 3))))
def test_condition_sums_are_the_sums_of_their_records(columns, width):
    rng = np.random.default_rng(columns * 10 + width)
    records = PackedRecords.of(rng.integers(0, 2, (20, columns)).astype(np.uint8))
    weights = rng.integers(-9, 9, 20)
    family = Conditions(columns, width)
    every = [family[index] for index in range(family.size)]
    assert len(set(every)) == len(every)
    assert family.sums(records, weights).tolist() == [weights[holds(c, records)].sum() for c in every]


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("disjunctions", [False, True])
@pytest.mark.parametrize("weights", [(1, 1), (3, 2)])
def test_a_single_rule_keeps_its_epsilon(neighbours, disjunctions, weights):
    mechanism = SingleRules(NAMES, 1, Fraction(1), neighbours, disjunctions)
    assert mechanism.name == "exponential"  # the law below

    def law(data):
        sample = sample_of(data, weights)
        errors = mechanism.errors(sample)
        rate = mechanism.epsilon / (neighbours.comparison_sensitivity * sample.unit)
        return Law.from_fractions(tuple(range(len(errors))), exponential_law(errors, rate))

    pairs = [
        (first, second) for first, second in neighbour_pairs(len(RECORDS), 2, neighbours) if sum(first) and sum(second)
    ]
    found = compare("single rule", mechanism.guarantee, ((law(a), law(b)) for a, b in pairs))
    assert found.holds
    assert found.epsilon_high > 0.3


@pytest.mark.parametrize("disjunctions", [False, True])
def test_the_errors_of_single_rules_are_those_of_their_queries(disjunctions):
    rng = np.random.default_rng(8)
    literals = Literals.named("a", "b", "c")
    records, label = rng.integers(0, 2, (50, 3)).astype(np.uint8), rng.integers(0, 2, 50) == 1
    sample = Sample.of(literals, records, label, weights=(2, 5))
    mechanism = SingleRules(literals, 2, Fraction(1), Neighbours.REPLACE_ONE, disjunctions)
    for index, error in enumerate(mechanism.errors(sample)):
        query = mechanism.query(mechanism.conditions[index])
        said = query(values_of(records, literals, query.owner.literals))
        assert error == 5 * np.sum(label & ~said) + 2 * np.sum(~label & said)


def test_a_list_predicts_what_its_steps_say():
    rng = np.random.default_rng(9)
    literals = Literals.named("a", "b", "c", "d")
    records = rng.integers(0, 2, (60, 4)).astype(np.uint8)
    mechanism = OverrideLists(literals, 4, Fraction(1), Neighbours.REPLACE_ONE)
    for _ in range(50):
        steps = [mechanism.first_step(int(rng.integers(2 * mechanism.first_conditions.size)))]
        steps += [mechanism.step(int(rng.integers(1, 2 * mechanism.conditions.size + 1))) for _ in range(3)]
        expected = np.full(len(records), not steps[0][1])
        for condition, answer in steps:
            expected = np.where(holds(condition, PackedRecords.of(records)), answer, expected)
        query = mechanism._worded(steps)
        assert np.array_equal(query(values_of(records, literals, query.owner.literals)), expected)


@pytest.mark.parametrize(
    "steps", list(product([((), True), ((), False), (((0, True),), True), (((1, False),), False)], repeat=3))
)
def test_the_list_says_what_its_overrides_say_one_after_the_other(steps):
    """Rules behind one that always holds are left out, and no other."""
    names = Literals.named("a", "b")
    lists = OverrideLists(names, 3, Fraction(1), Neighbours.DEFAULT)
    records = all_records(2)
    predicted = np.full(len(records), not steps[0][1])
    for condition, label in steps:
        predicted = np.where(holds(condition, PackedRecords.of(records)), label, predicted)
    query = lists._worded(list(steps))
    assert query(values_of(records, names, query.owner.literals)).astype(bool).tolist() == predicted.tolist()
