"""The exponential mechanism sampled from a tree has the law of the enumerated one.

Chi-square against exact cell probabilities at alpha = 1e-7 per test (four tests), and the same test rejects a rate
that is 10 % too large: its power is shown on draws from that wrong law.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from oracledp.classes import Conjunctions, Disjunctions
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import all_values
from oracledp.randomness.source import SystemRandomness

ALPHA = 1e-7
DRAWS = 4000
pytestmark = pytest.mark.statistical


def forest(queries: QueryClass) -> list[WeightedProblem]:
    """Two branches with weights of opposite signs, as a class closed under negation has."""
    rng = np.random.default_rng(5)
    records, weights = rng.integers(0, 2, (40, 5)).astype(np.uint8), rng.integers(-9, 10, 40)
    return [WeightedProblem.build(queries, records, sign * weights, 3 * sign) for sign in (1, -1)]


def statistic(problems: list[WeightedProblem], rate: Fraction, claimed: Fraction) -> tuple[float, float]:
    scores = np.concatenate([all_values(problem) for problem in problems])
    law = np.exp(-float(claimed) * (scores - scores.min()))
    law /= law.sum()
    names = [(b, parts) for b, problem in enumerate(problems) for parts in problem.query_class.all_parts()]
    place = {name: index for index, name in enumerate(names)}
    seen = np.zeros(len(names))
    for _ in range(DRAWS):
        seen[place[sample_exponential(problems, rate, SystemRandomness())]] += 1
    order = np.argsort(law)
    cells = np.cumsum(law[order]) * DRAWS // 20  # cells of at least twenty expected draws
    grouped = [order[cells == cell] for cell in np.unique(cells)]
    value = sum((seen[g].sum() - DRAWS * law[g].sum()) ** 2 / (DRAWS * law[g].sum()) for g in grouped)
    return value, float(chi2.isf(ALPHA, len(grouped) - 1))


@pytest.mark.parametrize("width", [2, None])
@pytest.mark.parametrize("kind", [Conjunctions, Disjunctions])
def test_the_law_is_that_of_the_exponential_mechanism(kind: type[QueryClass], width: int | None) -> None:
    rate = Fraction(1, 6)
    value, limit = statistic(forest(kind(Literals.named(*"abcde"), max_width=width)), rate, rate)
    assert value < limit


def test_the_same_test_rejects_a_wrong_rate() -> None:
    problems = forest(Conjunctions(Literals.named(*"abcde")))
    value, limit = statistic(problems, Fraction(1, 4), Fraction(1, 6))
    assert value > limit
