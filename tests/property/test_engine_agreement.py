"""Every total search against enumeration on 23,040 problems: ties, zeros, equal, opposite and constant
columns, no data, and numbers just below the limit; and what is above the limit is refused, never wrapped."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential
from oracledp.oracles.base import Solution
from oracledp.oracles.problem import LIMIT, WeightedProblem
from oracledp.oracles.registry import total_oracles
from oracledp.oracles.values import relative_values
from oracledp.randomness.source import SeededRandomness

FIVE, FOUR, THREE = (Literals.named(*names) for names in ("abcde", "abcd", "abc"))
CLASSES: dict[str, QueryClass] = {
    "conjunctions": Conjunctions(FIVE),
    "conjunctions-narrow": Conjunctions(FIVE, max_width=2),
    "disjunctions": Disjunctions(FIVE),
    "disjunctions-narrow": Disjunctions(FIVE, max_width=3),
    "parities": Parities(FIVE),
    "parities-narrow": Parities(FIVE, max_width=2),
    "halfspaces": Halfspaces(FOUR),
    "halfspaces-points": Halfspaces(THREE, weights=(-2, 1, Fraction(1, 2)), thresholds=(0, 1)),
    "halfspaces-sparse": Halfspaces(FIVE, max_nonzero=2, thresholds=(-1, 0, 1)),
    "lists": DecisionLists(FOUR, length=2),
    "lists-long": DecisionLists(THREE, length=3),
    "lists-wide": DecisionLists(THREE, length=2, width=2),
}
DATA, REDRAWS = 240, 8  # of each class: 23,040 problems, each put to every search that serves it


def odd_records(rng: np.random.Generator, columns: int) -> NDArray[np.uint8]:
    """Few rows, now and then none, with equal, opposite or constant columns."""
    records: NDArray[np.uint8] = (
        rng.random((int(rng.choice([0, 1, 3, 12])), columns)) < rng.choice([0.1, 0.5, 0.9])
    ).astype(np.uint8)
    for _ in range(int(rng.integers(0, 3))):
        one, other = rng.integers(0, columns, 2)
        records[:, one] = rng.choice([0, 1]) if rng.random() < 0.3 else records[:, other] ^ rng.integers(0, 2)
    return records


def numbers(rng: np.random.Generator, count: int, most: int) -> NDArray[np.int64]:
    """Of either sign, many of them zero."""
    drawn: NDArray[np.int64] = rng.integers(-most, most + 1, count) * (rng.random(count) < 0.8)
    return drawn


@pytest.mark.parametrize("name", CLASSES)
def test_all_searches_agree_with_enumeration(name: str) -> None:
    queries = CLASSES[name]
    rng = np.random.default_rng(list(CLASSES).index(name))
    oracles = [oracle for oracle in total_oracles(queries, 12) if oracle.name != "exhaustive"]
    assert oracles
    parts = list(queries.all_parts())
    for index in range(DATA):
        records = odd_records(rng, queries.dimension)
        entries = len(records) + queries.part_count + queries.dummies + 1
        most = (1, 2, 50, (LIMIT - 1) // entries)[index % 4]  # the last: all together stay just below 2^62
        plain = WeightedProblem.build(queries, records, numbers(rng, len(records), most), int(rng.integers(-9, 10)))
        for draw in range(REDRAWS):
            noise = most if draw else 0
            problem = plain.with_noise(
                numbers(rng, queries.part_count, noise), numbers(rng, len(plain.size_costs), noise * int(draw % 3 == 2))
            )
            values = relative_values(problem)
            first = int(values.argmin())
            for oracle in oracles:
                answer = oracle.solve(problem)
                assert isinstance(answer, Solution)
                assert (answer.value, answer.query.parts) == (int(values[first]) + problem.constant, parts[first])


@pytest.mark.parametrize("name", CLASSES)
def test_what_could_wrap_is_refused(name: str) -> None:
    queries = CLASSES[name]
    records = np.eye(2, queries.dimension, dtype=np.uint8)
    halves = np.array([LIMIT // 2, LIMIT // 2])
    with pytest.raises(CapacityError, match=r"2\^62"):
        WeightedProblem.build(queries, records, halves)
    fits = WeightedProblem.build(queries, records, halves - 1)
    costs = np.zeros(queries.part_count, dtype=np.int64)
    costs[-1] = 2
    with pytest.raises(CapacityError, match=r"2\^62"):
        fits.with_noise(costs)
    if name not in ("halfspaces", "halfspaces-points", "lists-wide"):  # these have no sampler
        with pytest.raises(CapacityError, match=r"2\^61"):
            sample_exponential([fits], Fraction(1), SeededRandomness(0))
