"""The exponential mechanism sampled set of columns by set of columns has the law of the enumerated one.

Chi-square against exact cell probabilities at alpha = 1e-7 per test (four tests), and the same test rejects a rate
that is half as large again: its power is shown on draws from that wrong law.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from oracledp.classes import DecisionLists, Halfspaces
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import all_values
from oracledp.randomness.source import SystemRandomness

ALPHA = 1e-7
DRAWS = 4000
pytestmark = pytest.mark.statistical

CLASSES: list[QueryClass] = [
    DecisionLists(Literals.named(*"abcd"), length=2),
    DecisionLists(Literals.named(*"ab").with_negations(), length=3),
    Halfspaces(Literals.named(*"abcd"), max_nonzero=2, thresholds=(0, 1, 2)),
]


def statistic(queries: QueryClass, rate: Fraction, claimed: Fraction) -> tuple[float, float]:
    rng = np.random.default_rng(5)
    records = rng.integers(0, 2, (40, queries.dimension)).astype(np.uint8)
    weights = rng.integers(-9, 10, 40)
    problems = [WeightedProblem.build(queries, records, sign * weights, 3 * sign) for sign in (1, -1)]
    scores = np.concatenate([all_values(problem) for problem in problems])
    law = np.exp(-float(claimed) * (scores - scores.min()))
    law /= law.sum()
    names = [(branch, parts) for branch in (0, 1) for parts in queries.all_parts()]
    place = {name: index for index, name in enumerate(names)}
    seen = np.zeros(len(names))
    for _ in range(DRAWS):
        seen[place[sample_exponential(problems, rate, SystemRandomness())]] += 1
    order = np.argsort(law)
    cells = np.cumsum(law[order]) * DRAWS // 20  # cells of at least twenty expected draws
    grouped = [order[cells == cell] for cell in np.unique(cells)]
    value = sum((seen[g].sum() - DRAWS * law[g].sum()) ** 2 / (DRAWS * law[g].sum()) for g in grouped)
    return value, float(chi2.isf(ALPHA, len(grouped) - 1))


@pytest.mark.parametrize("queries", CLASSES, ids=repr)
def test_the_law_is_that_of_the_exponential_mechanism(queries: QueryClass) -> None:
    value, limit = statistic(queries, Fraction(1, 12), Fraction(1, 12))
    assert value < limit


def test_the_same_test_rejects_a_wrong_rate() -> None:
    value, limit = statistic(CLASSES[0], Fraction(1, 8), Fraction(1, 12))
    assert value > limit
