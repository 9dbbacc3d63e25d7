"""Permute-and-flip drawn without enumeration has its exact law, for every kind of tree.

Chi-square against the exact law (an integral of a polynomial, by Gauss-Legendre nodes that integrate it exactly up to
floating point) at alpha = 1e-7 per test (twelve tests). The same statistic on the same number of draws rejects the
exponential mechanism's law: that is its power. Two more tests look at what trees hardly ever do: many rejected trials
among few queries, and two queries looked up in the same stretch of time. They see a sampler that forgets which queries
failed, or that forgets the events drawn for the first query, with probability above 0.99 (measured on such samplers).
"""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.sampling.permute_sampler import _Intervals, first_success, sample_permute_and_flip
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential
from oracledp.mechanisms.sampling.trials import BITS, ONE, Draw, keep
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import all_values
from oracledp.randomness.source import Randomness, SystemRandomness, below

ALPHA = 1e-7
DRAWS = 3000
pytestmark = pytest.mark.statistical

CLASSES: list[QueryClass] = [
    Conjunctions(Literals.named(*"abcd"), max_width=2),
    Disjunctions(Literals.named(*"abc")),
    Parities(Literals.named(*"abcde"), max_width=2),
    DecisionLists(Literals.named(*"abc"), length=2),
    Halfspaces(Literals.named(*"abcd"), max_nonzero=2, thresholds=(0, 1)),
]


def two_branches(queries: QueryClass) -> list[WeightedProblem]:
    rng = np.random.default_rng(5)
    records = rng.integers(0, 2, (40, queries.dimension)).astype(np.uint8)
    weights = rng.integers(-4, 5, 40)
    return [WeightedProblem.build(queries, records, sign * weights, 3 * sign) for sign in (1, -1)]


def permute_and_flip_law(scores: NDArray[np.int64], rate: Fraction) -> NDArray[np.float64]:
    """w_i ∫ prod over the others of (1 - w_j z) dz over [0, 1]."""
    weights = np.exp(-float(rate) * (scores - scores.min()))
    nodes, shares = np.polynomial.legendre.leggauss(len(scores) // 2 + 1)
    at = (nodes + 1) / 2
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.outer(weights, at))
    law: NDArray[np.float64] = weights * (np.exp(logs.sum(axis=0) - logs) @ shares) / 2
    return law


def statistic(problems: list[WeightedProblem], drawn: list[tuple[int, tuple[int, ...]]], rate: Fraction) -> float:
    """Chi-square over cells of at least twenty expected draws, over its limit: above one is a rejection."""
    law = permute_and_flip_law(np.concatenate([all_values(problem) for problem in problems]), rate)
    assert abs(law.sum() - 1) < 1e-9
    names = [(b, parts) for b, problem in enumerate(problems) for parts in problem.query_class.all_parts()]
    place = {name: index for index, name in enumerate(names)}
    seen = np.zeros(len(names))
    for name in drawn:
        seen[place[name]] += 1
    order = np.argsort(law)
    cells = np.cumsum(law[order]) * DRAWS // 20
    grouped = [order[cells == cell] for cell in np.unique(cells)]
    value = sum((seen[g].sum() - DRAWS * law[g].sum()) ** 2 / (DRAWS * law[g].sum()) for g in grouped)
    return float(value / chi2.isf(ALPHA, len(grouped) - 1))


@pytest.mark.parametrize("queries", CLASSES, ids=repr)
@pytest.mark.parametrize("rate", [Fraction(1, 12), Fraction(1, 2)], ids=str)
def test_the_law_is_that_of_permute_and_flip(queries: QueryClass, rate: Fraction) -> None:
    problems = two_branches(queries)
    least = min(int(all_values(problem).min()) for problem in problems)
    drawn = [sample_permute_and_flip(problems, rate, least, SystemRandomness()) for _ in range(DRAWS)]
    assert statistic(problems, drawn, rate) < 1


def test_the_same_test_tells_the_exponential_mechanism_apart() -> None:
    problems, rate = two_branches(CLASSES[0]), Fraction(1, 2)
    drawn = [sample_exponential(problems, rate, SystemRandomness()) for _ in range(DRAWS)]
    assert statistic(problems, drawn, rate) > 1


class FewQueries:
    """Trials over a handful of values, two thirds of which end nowhere."""

    def __init__(self, distances: list[int], rate: Fraction) -> None:
        self.distances, self.rate, self.origin = distances, rate, 0
        self.heights = [exp_enclosure(rate * distance, BITS)[1] for distance in distances]

    def total(self) -> int:
        return 3 * sum(self.heights)

    def trial(self, source: Randomness) -> Draw | None:
        number = below(source, self.total())
        for index, (distance, height) in enumerate(zip(self.distances, self.heights, strict=True)):
            if number < height:
                kept = keep(self.rate * distance, ONE, height, source)
                return Draw(0, (index,), distance) if kept else None
            number -= height
        return None


def test_few_queries_and_many_rejected_trials() -> None:
    rate, draws, distances = Fraction(1, 2), 100_000, [1, 2, 2, 3]
    trials = FewQueries(distances, rate)
    seen = np.zeros(len(distances))
    for _ in range(draws):
        seen[first_success(trials, rate, 1, SystemRandomness()).parts[0]] += 1
    expected = draws * permute_and_flip_law(np.array(distances), rate)
    assert float(((seen - expected) ** 2 / expected).sum()) < chi2.isf(ALPHA, len(distances) - 1)


def test_two_queries_looked_up_in_the_same_interval() -> None:
    """Events of two processes of rate 2 before one of rate 3: i and j with probability C(i+j,i) 3·2^(i+j)/7^(i+j+1)."""
    draws, most = 40_000, 3
    seen = np.zeros((most + 1, most + 1))
    for _ in range(draws):
        interval, source = _Intervals(3), SystemRandomness()
        first, second = interval.arrivals(2, source), interval.arrivals(2, source)
        seen[min(first, most), min(second, most)] += 1
    joint = np.array([[comb(i + j, i) * 3 * 2.0 ** (i + j) / 7.0 ** (i + j + 1) for j in range(90)] for i in range(90)])
    law = np.add.reduceat(np.add.reduceat(joint, range(most + 1), axis=0), range(most + 1), axis=1)
    assert float(((seen - draws * law) ** 2 / (draws * law)).sum()) < chi2.isf(ALPHA, law.size - 1)
