"""Gradients against finite differences, the rules, the fit and the rounding to rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.chosen_fit import fit_mixture
from oracledp.synthesis.layout import Layout
from oracledp.synthesis.measurements import Meter, Records
from oracledp.synthesis.measuring import Measured, measure
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.pair_terms import Pairs
from oracledp.synthesis.recipe import relative_noise, settings
from oracledp.synthesis.rounding import draw_rows, stratified, systematic
from oracledp.synthesis.terms import OneWays, Parities, State, Term

SIZES = (2, 3, 6, 20)


class Silent(Meter):
    """A meter that charges and draws as it should, and forgets its noise."""

    def _noisy(self, counts: Integers, squared_sensitivity: int, rho: Fraction) -> tuple[Integers, Fraction]:
        _, variance = super()._noisy(counts, squared_sensitivity, rho)
        return counts, variance


def dependent_codes(rows: int = 4000) -> Integers:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, rows)
    second = np.where(rng.random(rows) < 0.7, first, 2)
    third = (first + second + rng.integers(0, 3, rows)) % 6
    fourth = np.clip(rng.normal(6 + 6 * first, 3, rows).round().astype(np.int64), 0, 19)
    return np.stack([first, second, third, fourth], axis=1)


def measured(codes: Integers, rho: Fraction = Fraction(1, 2)) -> tuple[Measured, Records]:
    unique, counts = np.unique(codes, axis=0, return_counts=True)
    records = Records(unique, counts, SIZES, (False, False, False, True), (False,) * 4)
    return measure(Silent(records, GaussianBudget(rho), Neighbours.ADD_REMOVE, SeededRandomness(1)), 3), records


def losses(term: Term, parts: Floats, weights: Floats) -> float:
    """Half the weighted squared residuals, written out independently of the gradients."""
    two = parts.T @ (parts * weights[:, None])
    if isinstance(term, OneWays):
        return float(((weights @ parts - term.target) ** 2 * term.precision).sum() / 2)
    if isinstance(term, Pairs):
        cells = []
        for row, column, *shape, rows, columns in term.tables.tolist():
            edges = [term.edges[at : at + many + 1] for at, many in zip((rows, columns), shape, strict=True)]
            block = two[row : row + edges[0][-1], column : column + edges[1][-1]]
            cells.append(np.add.reduceat(np.add.reduceat(block, edges[0][:-1], axis=0), edges[1][:-1], axis=1).ravel())
        return float(((np.concatenate(cells) - term.target) ** 2 * term.precision).sum() / 2)
    assert isinstance(term, Parities)
    features = parts @ term.signs
    pairs = np.einsum("k,ki,kj->ij", weights, features, features)
    first, second = term.pairs
    triples = np.einsum("k,kp,kj->pj", weights, features[:, first] * features[:, second], features)
    by_pairs = ((pairs - term.two_target) ** 2 * term.two_precision).sum() / 2  # each pair stands there twice
    by_triples = ((triples - term.three_target) ** 2 * term.three_precision).sum() / 3  # each triple three times
    return float(by_pairs + by_triples) / 2


@pytest.mark.parametrize("kind", [OneWays, Pairs, Parities])
def test_gradients_are_the_derivatives(kind: type[Term]) -> None:
    found, _ = measured(dependent_codes())
    layout = Layout(found.bins)
    one = [t for t in found.tables if len(t.columns) == 1]
    two = [t for t in found.tables if len(t.columns) == 2]
    term: Term = {
        OneWays: lambda: OneWays.of(layout, one, found.total, 1e-3),
        Pairs: lambda: Pairs.of(layout, two, found.total, 1e-3),
        Parities: lambda: Parities.of(layout, found.features, found.parities, found.total, 1e-3),
    }[kind]()
    rng = np.random.default_rng(2)
    parts = np.concatenate([rng.dirichlet(np.ones(size), 5) for size in layout.sizes], axis=1)
    weights = rng.dirichlet(np.ones(5))
    state = State.at(parts.astype(np.float32), weights.astype(np.float32))
    term.add(state)
    step = 1e-5
    for _ in range(30):
        k, d = rng.integers(5), rng.integers(layout.width)
        up, down = parts.copy(), parts.copy()
        up[k, d] += step
        down[k, d] -= step
        slope = (losses(term, up, weights) - losses(term, down, weights)) / (2 * step)
        assert slope == pytest.approx(weights[k] * state.slope[k, d], rel=1e-4, abs=1e-6)
    for k in range(5):
        up, down = weights.copy(), weights.copy()
        up[k] += step
        down[k] -= step
        slope = (losses(term, parts, up) - losses(term, parts, down)) / (2 * step)
        assert slope == pytest.approx(state.pull[k], rel=1e-4, abs=1e-6)


def test_rules_follow_the_noise() -> None:
    sizes = [80, 9, 2, 2, 16, 40]
    loud, soft = settings(0.0003, 5_000, sizes), settings(0.02, 500_000, sizes)
    assert relative_noise(0.0003, 5_000, 6) > relative_noise(0.02, 500_000, 6)
    assert soft.thresholds[0] < loud.thresholds[0]
    assert soft.fine_cells > loud.fine_cells
    assert soft.groups == 4
    assert loud.groups == 1
    for rule in (loud, soft):
        assert sum(rule.shares) == pytest.approx(1)
        assert list(rule.thresholds) == sorted(rule.thresholds)
        assert (rule.shares[2] == 0) == (rule.groups == 1)
    assert settings(0.02, 500_000, sizes, order=2).groups == 1


@pytest.mark.parametrize("sizes", [[2], [5, 7], [2] * 3, [10_000, 2]])
def test_rules_for_odd_tables(sizes: list[int]) -> None:
    rule = settings(0.02, 1000, sizes)
    assert sum(rule.shares) == pytest.approx(1)


def test_the_fit_reaches_noiseless_measurements() -> None:
    codes = dependent_codes()
    found, records = measured(codes)
    mixture = fit_mixture(found, records.in_order, np.random.default_rng(3))
    assert mixture.weights.sum() == pytest.approx(1)
    rows = draw_rows(mixture, found.marginals, len(codes), np.random.default_rng(4))
    for a, b in ((0, 1), (0, 2), (1, 2), (0, 3)):
        real, made = (
            np.histogram2d(x[:, a], x[:, b], bins=[SIZES[a], SIZES[b]])[0] / len(codes) for x in (codes, rows)
        )
        independent = np.outer(real.sum(1), real.sum(0))
        assert np.abs(real - made).sum() < 0.1 * np.abs(real - independent).sum() + 0.02
    order = [codes, rows]
    by_sign = [np.mean((x[:, 0] * 2 - 1) * ((x[:, 1] == 2) * 2 - 1) * ((x[:, 3] > 9) * 2 - 1)) for x in order]
    assert by_sign[0] == pytest.approx(by_sign[1], abs=0.03)


def small_mixture(seed: int = 0) -> tuple[Mixture, Measured]:
    found, _ = measured(dependent_codes(500))
    layout = Layout(found.bins)
    rng = np.random.default_rng(seed)
    parts = np.concatenate([rng.dirichlet(np.ones(size), 8) for size in layout.sizes], axis=1)
    return Mixture(layout, rng.dirichlet(np.ones(8)), parts), found


def test_systematic_counts_are_within_one_and_add_up() -> None:
    rng = np.random.default_rng(5)
    shares = rng.dirichlet(np.ones(7), 40)
    totals = rng.integers(0, 50, 40)
    counts = systematic(shares, totals, rng.random(40))
    assert np.array_equal(counts.sum(1), totals)
    assert np.all(np.abs(counts - shares * totals[:, None]) < 1 + 1e-9)


def test_stratified_rows_follow_every_component() -> None:
    mixture, _ = small_mixture()
    rows, component = stratified(mixture, 1000, np.random.default_rng(6))
    for k in range(8):
        mine = rows[component == k]
        assert abs(len(mine) - 1000 * mixture.weights[k]) < 1 + 1e-9
        for column, block in enumerate(mixture.layout.blocks()):
            held = np.bincount(mine[:, column], minlength=block.stop - block.start)
            assert np.all(np.abs(held - len(mine) * mixture.parts[k, block]) < 1 + 1e-9)


def test_rows_follow_two_ways_better_than_independent_draws() -> None:
    mixture, found = small_mixture()

    def distance(rows: Integers) -> float:
        cells = np.zeros((len(rows), mixture.layout.width))
        for column, block in enumerate(mixture.layout.blocks()):
            fine = found.bins[column].fine[rows[:, column]]
            cells[np.arange(len(rows)), block.start + fine] = 1
        excess = cells.T @ cells - len(rows) * mixture.two_ways()
        for block in mixture.layout.blocks():
            excess[block, block] = 0
        return float((excess**2).sum())

    plain = draw_rows(mixture, found.marginals, 1000, np.random.default_rng(7), sweeps=0)
    better = draw_rows(mixture, found.marginals, 1000, np.random.default_rng(7), sweeps=3)
    assert distance(better) < 0.5 * distance(plain)
    independent = np.random.default_rng(8)
    component = independent.choice(8, 1000, p=mixture.weights)
    drawn = np.stack(
        [
            [independent.choice(b.stop - b.start, p=mixture.parts[k, b]) for k in component]
            for b in mixture.layout.blocks()
        ],
        axis=1,
    )
    inverse = [np.array([np.flatnonzero(b.fine == i)[0] for i in range(b.size)]) for b in found.bins]
    codes = np.stack([inverse[c][drawn[:, c]] for c in range(4)], axis=1)
    assert distance(plain) < distance(codes)
