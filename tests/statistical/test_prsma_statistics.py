"""PRSMA's own randomness against its exact laws; unseeded, the file errs with probability below 1e-6."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from oracledp.audit.prsma_law import Behaviour, Sampled
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.runs import Array, Run, ThisProcess
from oracledp.mechanisms.robust.subsampling import answer_after_tests
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.randomness.noise import uniform
from oracledp.randomness.partition import label_counts
from oracledp.randomness.source import Randomness, SystemRandomness

pytestmark = pytest.mark.statistical
ALPHA = 1e-7


def a_design(threshold: int = 4) -> Design:
    return Design(
        epsilon=Fraction(2),
        delta=Fraction(1, 2),
        rows=600,
        parts=6,
        runs_per_part=5,
        epsilon_inner=Fraction(1, 100),
        pass_probabilities=laplace_table(6, Fraction(1, 3), threshold),
        theorem=TwoSamples(Fraction(1, 6)),
    )


class ToyBase:
    """A run is 0, 1 or fails; a sample's only count says with which probability, in hundredths, it fails."""

    def draw(self, runs: int, source: Randomness) -> Array:
        return uniform(100, 2 * runs, source).reshape(runs, 2)

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        return lambda noise: None if noise[0] < counts[0] else int(noise[1] < 30)


def outcomes(failures: list[int], repeats: int) -> list[int]:
    """How often the mechanism said 1, 0 and ⊥ when each sample is one of these kinds, all equally likely."""
    source, design = SystemRandomness(), a_design()
    kinds = [(np.array([i]), np.array([failure])) for i, failure in enumerate(failures)]
    said = []
    for _ in range(repeats):
        samples = (kinds[kind] for kind in uniform(len(kinds), 7, source).tolist())
        said.append(answer_after_tests(design, ToyBase(), samples, source, ThisProcess()))
    return [said.count(1), said.count(0), said.count(None)]


def exact_law(failures: list[int], threshold: int) -> list[float]:
    samples = [(Fraction(1, len(failures)), Behaviour(Fraction(f, 100), Fraction(3, 10))) for f in failures]
    law = Sampled.of(samples, 5).law(a_design(threshold).pass_probabilities)
    return [float(p) for p in (law.inside, law.outside, law.bottom)]


@pytest.mark.parametrize("failures", [[0] * 6, [0, 0, 5, 10, 20, 40]])
def test_the_mechanism_has_its_exact_law(failures: list[int]) -> None:
    """Chi-square on the three outputs, with the power to see a threshold that is off by one."""
    repeats = 12_000
    right, wrong = (np.array(exact_law(failures, threshold)) for threshold in (4, 5))
    shift = repeats * ((wrong - right) ** 2 / right).sum()
    assert stats.ncx2.cdf(stats.chi2.isf(ALPHA, 2), 2, shift) < ALPHA
    assert stats.chisquare(outcomes(failures, repeats), repeats * right).pvalue > ALPHA


def test_with_a_perfect_oracle_bottom_is_as_rare_as_stated() -> None:
    """Binomial, with the power to see the paper's quarter where 1/12 is stated."""
    repeats, beta = 12_000, float(a_design().beta)
    found = outcomes([0] * 6, repeats)[2]
    assert beta == pytest.approx(1 / 12)
    assert stats.binomtest(found, repeats, beta).pvalue > ALPHA
    assert stats.binom.cdf(stats.binom.isf(ALPHA / 2, repeats, beta), repeats, 1 / 4) < ALPHA


def test_labels_are_uniform_and_independent() -> None:
    """Sums of multinomial counts over many draws, and the variance of one label's count."""
    source, parts, rows, repeats = SystemRandomness(), 5, 40, 20_000
    counts = np.array([label_counts(rows, parts, source) for _ in range(repeats)])
    assert stats.chisquare(counts.sum(axis=0)).pvalue > ALPHA
    observed = np.bincount(counts[:, 0], minlength=rows + 1)
    expected = stats.binom.pmf(np.arange(rows + 1), rows, 1 / parts) * repeats
    kept = expected > 20
    cells = [*observed[kept], observed[~kept].sum()]
    assert stats.chisquare(cells, [*expected[kept], expected[~kept].sum()]).pvalue > ALPHA
