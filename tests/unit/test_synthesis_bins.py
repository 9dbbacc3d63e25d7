"""Nested bins, signed features and denoised marginals: all from released masses."""

from __future__ import annotations

import numpy as np
import pytest

from oracledp.synthesis.basis import column_sets, signed_features
from oracledp.synthesis.bins import levels_within, nested_bins
from oracledp.synthesis.denoise import haar, probabilities, to_simplex


@pytest.mark.parametrize("ordered", [True, False])
def test_bins_are_nested_and_heavy_enough(ordered: bool) -> None:
    masses = np.random.default_rng(0).dirichlet(np.full(60, 0.3))
    bins = nested_bins(masses, ordered, [0.01, 0.05, 0.2])
    for level, threshold in enumerate([0.01, 0.05, 0.2]):
        held = np.bincount(bins.grouping(level), weights=masses)
        assert held.min() >= threshold
        assert len(held) >= 2
    for finer, coarser in ((0, 1), (1, 2)):
        parents = {(int(a), int(b)) for a, b in zip(bins.grouping(finer), bins.grouping(coarser), strict=True)}
        assert len(parents) == bins.sizes()[finer], "a finer bin lies in one coarser bin"


def test_ordered_bins_are_intervals_and_missing_stays_alone() -> None:
    masses = np.array([0.3, 0.001, 0.001, 0.3, 0.397, 0.001])
    bins = nested_bins(masses, True, [0.01, 0.4], missing=True)
    for level in (0, 1):
        grouping = bins.grouping(level)
        assert np.all(np.diff(grouping[:-1]) >= 0)
        assert np.count_nonzero(grouping == grouping[-1]) == 1
    without = nested_bins(masses, True, [0.01, 0.4])
    assert np.count_nonzero(without.grouping(0) == without.grouping(0)[-1]) > 1


def test_levels_respect_the_cap_where_they_can() -> None:
    assert levels_within([[50, 20, 5], [3, 2, 2]], 10_000) == (0, 0)
    levels = levels_within([[50, 20, 5], [40, 20, 4]], 100)
    assert [[50, 20, 5], [40, 20, 4]][0][levels[0]] * [[50, 20, 5], [40, 20, 4]][1][levels[1]] <= 100
    assert levels_within([[2], [2]], 1) == (0, 0)


@pytest.mark.parametrize(("size", "features"), [(1, 0), (2, 1), (3, 2), (4, 3), (9, 3)])
def test_features_tell_groups_apart(size: int, features: int) -> None:
    masses = np.full(size, 1 / size)
    bins = nested_bins(masses, True, [0.0])
    found = signed_features([bins], [masses], 4)
    assert len(found) == features
    patterns = np.unique(np.array(found.signs).reshape(features, size), axis=1)
    assert patterns.shape[1] == min(size, 4)
    assert set(np.unique(patterns)) <= {-1, 1}
    assert found.resolved == (size <= 4,)


def test_subsets_take_one_feature_of_each_column() -> None:
    masses = [np.full(4, 0.25), np.full(2, 0.5), np.full(3, 1 / 3)]
    bins = [nested_bins(mass, False, [0.0]) for mass in masses]
    found = signed_features(bins, masses, 4)
    subsets = found.subsets(column_sets(3, 2))
    assert len(subsets) == 3 * 1 + 3 * 2 + 1 * 2
    assert np.all(found.columns[subsets[:, 0]] < found.columns[subsets[:, 1]])


def test_simplex_projection_is_nearest() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        point = rng.normal(0.2, 0.5, 6)
        nearest = to_simplex(point)
        assert nearest.sum() == pytest.approx(1)
        assert nearest.min() >= 0
        others = rng.dirichlet(np.ones(6), 200)
        assert np.all(((others - point) ** 2).sum(1) >= ((nearest - point) ** 2).sum() - 1e-12)


def test_haar_keeps_spikes_and_drops_noise() -> None:
    rng = np.random.default_rng(2)
    truth = np.full(50, 100.0)
    truth[20] = 2000.0
    noisy = truth + rng.normal(0, 10, 50)
    smooth = haar(noisy, 25.0)
    assert np.abs(smooth - truth).mean() < 0.6 * np.abs(noisy - truth).mean()
    assert abs(smooth[20] - 2000) < 60
    assert smooth.sum() == pytest.approx(noisy.sum(), rel=0.02)


def test_probabilities_never_vanish() -> None:
    mass = probabilities(np.array([900.0, -40.0, 100.0]), 1000.0, 10.0, 0)
    assert mass.min() > 0
    assert mass.sum() == pytest.approx(1)
