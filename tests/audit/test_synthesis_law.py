"""Whole synthesis runs are exactly as private as they claim (broken ones: test_mutants.py)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracledp.audit.synthesis_law import QUERIES, SCHEMA, Run, findings, honest, noisy_counts
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SystemRandomness
from oracledp.synthesis.measurements import Meter, Records


def test_runs_of_no_one_and_two_rounds_keep_their_promise() -> None:
    found = findings()
    assert len(found) == 6
    for finding in found:
        assert finding.holds, finding
    assert max(finding.used for finding in found) > 0.9  # the budget is used, not hoarded


def test_laws_are_laws() -> None:
    for neighbours in Neighbours:
        law = Run(1, neighbours, Fraction(20), Fraction(1, 1000)).law((1, 1))
        assert float(law.low.sum()) == pytest.approx(1, abs=1e-10)


@pytest.mark.statistical
def test_the_audited_counts_are_those_of_the_meter() -> None:
    """50,000 noisy counts against the law's grid: chi-square, error rate 1e-6; a variance off by 10 % surely shows."""
    from scipy.stats import chi2

    records = Records(np.array([[0], [1]]), np.array([1, 1]), (2,), (False,), (False,))
    rho, draws = Fraction(1, 4), 50_000
    exact = honest(records, Fraction(10), Neighbours.ADD_REMOVE).total(rho)
    grid, law = noisy_counts((exact[0],), exact[1], 0)
    meter = Meter(records, rho * draws, Neighbours.ADD_REMOVE, SystemRandomness())
    seen = np.array([meter.total(rho)[0] for _ in range(draws)])
    expected = law[0].astype(np.float64) * draws
    wide = expected >= 10
    observed = np.array([(seen == value).sum() for value in grid[wide]])
    statistic = (((observed - expected[wide]) ** 2) / expected[wide]).sum()
    assert statistic < chi2.ppf(1 - 1e-6, wide.sum())


def test_the_audited_selection_is_the_one_that_is_drawn() -> None:
    records = Records(np.array([[1]]), np.array([900]), (2,), (False,), (False,))
    meter = honest(records, Fraction(10), Neighbours.ADD_REMOVE)
    query = meter.select(QUERIES, SCHEMA, np.array([[0]]), 900, Fraction(1))
    assert str(query) in ("x", "not (x)")
    assert meter.spent == 1
