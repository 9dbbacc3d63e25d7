"""The mechanism takes trees where a class has them, for both methods, and what it returns is in the class."""

from fractions import Fraction

import numpy as np
import pytest

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities, Signed
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.errors import OracleFailure
from oracledp.mechanisms import exponential_mechanism as exponential
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.sampling.permute_sampler import sample_permute_and_flip
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import all_values
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

LETTERS = Literals.named(*"abcde")
CLASSES: list[QueryClass] = [
    Conjunctions(LETTERS, max_width=3),
    Disjunctions(LETTERS),
    Parities(LETTERS, max_width=2),
    DecisionLists(LETTERS, length=2),
    Halfspaces(LETTERS, max_nonzero=2),
    Signed(Literals.named(*"abcde"), Conjunctions(LETTERS)),
]


def objective(queries: QueryClass, *, scale: int = 1) -> Objective:
    rng = np.random.default_rng(1)
    records = rng.integers(0, 2, (30, queries.dimension)).astype(np.uint8)
    return Objective.of(queries, records, scale * rng.integers(-3, 4, 30), resolution=0)


@pytest.mark.parametrize("flip", [False, True], ids=["exponential", "permute-and-flip"])
@pytest.mark.parametrize("queries", CLASSES, ids=repr)
def test_trees_serve_both_methods(queries: QueryClass, flip: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponential, "ENUMERATE_UP_TO", 0)
    monkeypatch.setattr(exponential, "MOST_QUERIES", 0)  # enumeration would be refused
    mechanism = ExponentialMechanism(queries, Fraction(1), Neighbours.REPLACE_ONE, flip)
    made, source = objective(queries), SeededRandomness(3)
    drawn = [mechanism.run(made, source) for _ in range(30)]
    assert all(queries.contains(parts) for parts in drawn)
    assert len(set(drawn)) > 3
    strong = ExponentialMechanism(queries, Fraction(1000), Neighbours.REPLACE_ONE, flip)
    assert made.value(strong.run(made, source)) == made.all_values().min()


def test_large_classes_of_parities_need_no_list() -> None:
    queries = Parities(Literals.named(*(f"x{j}" for j in range(90))), max_width=3)
    made, source = objective(queries, scale=50), SeededRandomness(5)
    for flip in (False, True):
        parts = ExponentialMechanism(queries, Fraction(100), Neighbours.REPLACE_ONE, flip).run(made, source)
        assert len(parts) <= 3


def test_a_least_value_that_is_not_the_least_is_found_out() -> None:
    queries = Conjunctions(LETTERS)
    problem = objective(queries).pieces[0].problem
    assert isinstance(problem, WeightedProblem)
    wrong = int(all_values(problem).max())
    with pytest.raises(OracleFailure, match="least value"):
        sample_permute_and_flip([problem], Fraction(1), wrong, SeededRandomness(0))
