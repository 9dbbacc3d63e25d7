"""How a fit is chosen: thinned counts, released factors, and what they say of strong and of absent dependence."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.chosen_fit import Trial, fit_mixture
from oracledp.synthesis.copula import Factors, _learn, _loadings
from oracledp.synthesis.fitting import Fit, Pull, Towards
from oracledp.synthesis.measurements import Meter, NoisyTable, Records
from oracledp.synthesis.measuring import Measured, measure
from oracledp.synthesis.thinning import thinned

ORDERED = 30


def released(codes: Integers, rho: Fraction = Fraction(1, 40)) -> tuple[Measured, Records]:
    unique, counts = np.unique(codes, axis=0, return_counts=True)
    columns = codes.shape[1]
    records = Records(unique, counts, (ORDERED,) * columns, (True,) * columns, (False,) * columns)
    return measure(Meter(records, GaussianBudget(rho), Neighbours.ADD_REMOVE, SeededRandomness(1)), 3), records


def one_factor(strength: float, rows: int = 3000, columns: int = 6) -> Integers:
    rng = np.random.default_rng(3)
    common = rng.standard_normal((rows, 1))
    mixed = strength * common + (1 - strength**2) ** 0.5 * rng.standard_normal((rows, columns))
    return np.asarray(np.clip(np.round(mixed * 5 + 15), 0, ORDERED - 1), dtype=np.int64)


def correlations(weights: Floats, parts: Floats, measured: Measured) -> Floats:
    """Of the bins' numbers, by the mixture alone."""
    columns, starts = len(measured.bins), np.cumsum([0, *(b.size for b in measured.bins)])
    means = np.stack([parts[:, starts[c] : starts[c + 1]] @ np.arange(measured.bins[c].size) for c in range(columns)])
    squares = [
        weights @ (parts[:, starts[c] : starts[c + 1]] @ np.arange(measured.bins[c].size) ** 2) for c in range(columns)
    ]
    joint = (means * weights) @ means.T
    centre = means @ weights
    np.fill_diagonal(joint, squares)
    spread = joint - np.outer(centre, centre)
    return np.asarray(spread / np.sqrt(np.outer(np.diag(spread), np.diag(spread))))


def test_thinned_halves_have_independent_noise_of_the_stated_variances() -> None:
    """60,000 counts of zero: each variance to 2.5 %, the covariance to 2.5 % of its scale; chance of failing < 1e-6."""
    table = NoisyTable((0,), (0,), np.zeros(60_000, dtype=np.int64), Fraction(400))
    rng = np.random.default_rng(0)
    noisy = replace(table, values=np.rint(20 * rng.standard_normal(60_000)).astype(np.int64))
    measured, _ = released(one_factor(0.5, 200, 2))
    seen, kept = thinned(replace(measured, tables=(noisy,), parities=()), Fraction(3, 10), rng)
    one, two = seen.tables[0], kept.tables[0]
    assert (one.variance, two.variance) == (Fraction(4000, 7), Fraction(4000, 3))
    for half in (one, two):
        assert half.values.var() == pytest.approx(float(half.variance), rel=0.03)
    covariance = float(np.mean(one.values * two.values))
    assert abs(covariance) < 0.03 * float(one.variance * two.variance) ** 0.5


def test_factors_show_where_columns_move_together_and_only_there() -> None:
    rng = np.random.default_rng(1)
    for strength, expected in ((0.9, 0.81), (0.0, 0.0)):
        measured, records = released(one_factor(strength))
        logits = Factors.of(measured, records.in_order).logits(300, rng)
        parts = np.exp(logits)
        found = correlations(np.full(300, 1 / 300), parts, measured)
        off = found[np.triu_indices(len(found), 1)]
        assert np.abs(off - expected).mean() < 0.08


@pytest.mark.parametrize("strength", [0.9, 0.0])
def test_evidence_decides_how_strongly_columns_are_kept_apart(strength: float) -> None:
    measured, records = released(one_factor(strength))
    pull = Trial.of(measured, records.in_order, np.random.default_rng(2)).pull()
    if strength:
        assert pull is not None
        assert pull.towards is Towards.ORDER
    else:
        assert pull is None


def amounts(rows: int = 20_000) -> Integers:
    """Two columns that are zero together, four rows of five, and go each its own way elsewhere; and a third that is
    a little larger where they are not zero."""
    rng = np.random.default_rng(9)
    paid = rng.random(rows) < 0.2
    columns = [np.where(paid, 1 + rng.integers(0, ORDERED - 1, rows), 0) for _ in range(2)]
    third = np.clip(np.round(rng.normal(14 + 3 * paid, 5)), 0, ORDERED - 1)
    return np.stack([*columns, third], axis=1).astype(np.int64)


def where_paid(parts: Floats, measured: Measured) -> float:
    """The correlation of two columns' bins under even components, given that neither is zero."""
    first, second = measured.bins[0].size, measured.bins[1].size
    joint = parts[:, 1:first].T @ parts[:, first + 1 : first + second]
    joint /= joint.sum()
    one, two = np.arange(first - 1), np.arange(second - 1)
    centred = joint * np.outer(one - one @ joint.sum(1), two - two @ joint.sum(0))
    spreads = [mass @ place**2 - (mass @ place) ** 2 for mass, place in ((joint.sum(1), one), (joint.sum(0), two))]
    return float(centred.sum() / (spreads[0] * spreads[1]) ** 0.5)


def test_zeros_apart_make_up_no_dependence_of_amounts() -> None:
    """One normal number behind a column of zeros and amounts says that amounts grow together where zeros do."""
    measured, records = released(amounts())
    found = [
        where_paid(np.exp(factors.logits(400, np.random.default_rng(1))), measured)
        for factors in (Factors.of(measured, records.in_order), Factors.apart(measured, records.in_order))
        if factors is not None
    ]
    assert found[0] > 0.3
    assert abs(found[1]) < 0.15


def test_evidence_sets_zeros_apart() -> None:
    measured, records = released(amounts())
    pull = Trial.of(measured, records.in_order, np.random.default_rng(2)).pull()
    assert pull is not None
    assert pull.towards is Towards.ATOMS


def test_a_sum_of_correlations_moves_those_that_are_unsure() -> None:
    found, variances = np.zeros((1, 2)), np.array([[1.0, 0.01]])
    _learn(found, variances, np.ones((1, 2)), 1.0, 0.01)
    assert found.round(2).tolist() == [[0.98, 0.01]]
    assert variances.round(4).tolist() == [[0.0196, 0.0099]]


@pytest.mark.slow
def test_strong_correlations_come_out_at_full_size() -> None:
    codes = one_factor(0.9)
    measured, records = released(codes)
    mixture = fit_mixture(measured, records.in_order, np.random.default_rng(4))
    off = correlations(mixture.weights, mixture.parts, measured)[np.triu_indices(codes.shape[1], 1)]
    assert off.mean() == pytest.approx(
        np.asarray(np.corrcoef(codes.T))[np.triu_indices(codes.shape[1], 1)].mean(), abs=0.05
    )


def test_independent_columns_stay_independent() -> None:
    codes = one_factor(0.0, rows=300)
    measured, records = released(codes, Fraction(1, 1000))
    mixture = fit_mixture(measured, records.in_order, np.random.default_rng(5))
    assert mixture.weights.tolist() == [1.0]


def test_misfit_is_least_at_the_truth() -> None:
    measured, records = released(one_factor(0.9), Fraction(1, 2))
    fit = replace(Fit.of(measured, records.in_order).centred(), pull=Pull()).begun(50, np.random.default_rng(6))
    apart = replace(fit, start=np.repeat(fit.marginals[None], 50, axis=0))
    rng = np.random.default_rng(7)
    together, asunder, ended = (
        float((fit.residuals(point) ** 2).sum())
        for point in (fit.first(rng), apart.first(rng), fit.run(fit.first(rng), 100))
    )
    assert ended < together < asunder


def test_a_single_column_is_one_component() -> None:
    measured, records = released(one_factor(0.5)[:, :1])
    mixture = fit_mixture(measured, records.in_order, np.random.default_rng(8))
    assert mixture.weights.tolist() == [1.0]


def test_columns_without_order_have_a_part_in_the_factors_and_keep_their_margins() -> None:
    """Two columns of five colours that mostly agree, in an order that says nothing, and one that has none of it."""
    rng = np.random.default_rng(5)
    colour = rng.choice(5, 4000, p=[0.3, 0.3, 0.2, 0.1, 0.1])
    same = np.array([3, 0, 4, 1, 2])[np.where(rng.random(4000) < 0.85, colour, rng.integers(0, 5, 4000))]
    codes = np.stack([colour, same, rng.integers(0, 5, 4000)], axis=1)
    unique, counts = np.unique(codes, axis=0, return_counts=True)
    records = Records(unique, counts, (5, 5, 5), (False,) * 3, (False,) * 3)
    meter = Meter(records, GaussianBudget(Fraction(1, 40)), Neighbours.ADD_REMOVE, SeededRandomness(2))
    measured = measure(meter, 2)
    factors = Factors.of(measured, records.in_order)
    assert factors.count >= 1
    parts = np.exp(factors.logits(400, np.random.default_rng(1)))
    assert np.allclose(parts.sum(axis=1), 3)
    margins = np.concatenate([measured.fine_marginal(column) for column in range(3)])
    assert np.abs(parts.mean(axis=0) - margins).max() < 0.01
    first, second, third = (parts[:, 5 * column : 5 * column + 5] for column in range(3))
    together, apart = (
        np.abs(first.T @ other / 400 - np.outer(first.mean(0), other.mean(0))) for other in (second, third)
    )
    assert together.sum() > 0.3
    assert apart.sum() < 0.05


def test_scores_of_light_bins_do_not_hide_what_others_have_in_common() -> None:
    """A pair that is known well, beside many of which little is known."""
    correlations, variances = np.zeros((2, 12, 12))
    correlations[0, 1] = correlations[1, 0] = 0.5
    variances[2:, 2:] = 4.0
    variances[:2, :2] = 0.0025
    variances[:2, 2:] = variances[2:, :2] = 0.1
    np.fill_diagonal(variances, 0.0)
    loadings = _loadings(correlations, variances)
    assert loadings.shape[1] == 1
    assert np.abs(loadings[:2]).min() > 0.4
    assert np.abs(loadings[2:]).max() < 0.1
