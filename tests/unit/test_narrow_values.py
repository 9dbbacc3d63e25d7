"""The sums over sets of one to three literals against evaluating query by query."""

import numpy as np
import pytest

from oracledp.classes import Conjunctions, Disjunctions
from oracledp.classes.tables import parts_of
from oracledp.data.literals import Literals
from oracledp.oracles import narrow
from oracledp.oracles.batch import data_values, whole_table
from oracledp.oracles.problem import WeightedProblem

LITERALS = Literals.named(*(f"x{number}" for number in range(30)))


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("kind", [Conjunctions, Disjunctions])
def test_every_query_has_its_value(kind: type[Conjunctions] | type[Disjunctions], width: int) -> None:
    chance = np.random.default_rng(width)
    records = chance.integers(0, 2, (9000, 30), dtype=np.uint8)
    weights = chance.integers(-(2**35), 2**35, 9000)
    problem = WeightedProblem.build(kind(LITERALS, max_width=width), records, weights)
    table = whole_table(problem.query_class)
    expected = problem.query_class.coverage(table, problem.records) @ problem.weights
    assert np.array_equal(narrow.narrow_values(problem, table), expected)
    assert np.array_equal(data_values(problem, table), expected)


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("honest", [True, False])
@pytest.mark.parametrize("kind", [Conjunctions, Disjunctions])
def test_negations_are_read_off_the_records(
    kind: type[Conjunctions] | type[Disjunctions], honest: bool, width: int
) -> None:
    chance = np.random.default_rng(5)
    positive = chance.integers(0, 2, (500, 30), dtype=np.uint8)
    records = np.hstack([positive, 1 - positive if honest else chance.integers(0, 2, (500, 30), dtype=np.uint8)])
    literals = LITERALS.with_negations()
    problem = WeightedProblem.build(kind(literals, max_width=width), records, chance.integers(-9, 10, 500))
    table = whole_table(problem.query_class)
    expected = problem.query_class.coverage(table, problem.records) @ problem.weights
    assert np.array_equal(narrow.narrow_values(problem, table), expected)


def test_weights_that_a_double_would_round_are_summed_in_integers() -> None:
    records = np.random.default_rng(0).integers(0, 2, (50, 30), dtype=np.uint8)
    weights = np.where(np.arange(50) % 3 == 0, -(2**55) - 1, 2**55 + 3)
    problem = WeightedProblem.build(Conjunctions(LITERALS, max_width=2), records, weights)
    table = whole_table(problem.query_class)
    assert narrow.narrow_serves(problem, table)
    expected = [problem.value(parts_of(row)) for row in table]  # in Python integers
    assert data_values(problem, table).tolist() == expected


def test_a_query_is_evaluated_once_however_often_the_noise_is_redrawn() -> None:
    records = np.random.default_rng(1).integers(0, 2, (50, 30), dtype=np.uint8)
    problem = WeightedProblem.build(Conjunctions(LITERALS, max_width=2), records, np.ones(50, dtype=np.int64))
    again = problem.with_noise(np.full(30, 7), np.zeros(3, dtype=np.int64))
    assert again.value((1, 2)) == problem.value((1, 2)) + 14
    assert again.evaluated is problem.evaluated
    assert list(problem.evaluated) == [(1, 2)]
