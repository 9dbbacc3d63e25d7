"""Halves of long ordered columns counted once more: one number for each has far less noise than the sum of its cells.

What lies above the middle is a sum of many cells, whose noise adds up and moves means and medians. Counted as the
parity of one feature it has the noise of half a count (proofs/measured-synthesis.md). Post-processing of both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracledp.synthesis.basis import Features
from oracledp.synthesis.bins import ColumnBins, Floats, Integers
from oracledp.synthesis.denoise import FLOOR
from oracledp.synthesis.measurements import NoisyParities, NoisyTable

_WHOLE = 1e6  # how precisely the masses of groups add up to one
_LEAST = 1e-12  # the least mass that is divided by


def held_to_halves(
    masses: Sequence[Floats],
    bins: Sequence[ColumnBins],
    tables: Sequence[NoisyTable],
    features: Features,
    halves: NoisyParities,
    total: float,
) -> list[Floats]:
    """Each column's distribution, with as much in each group of its features as cells and parities say together."""
    found = list(masses)
    counted = {feature: value / total for (feature,), value in zip(halves.subsets, halves.values.tolist(), strict=True)}
    for column, binning in enumerate(bins):
        own = [feature for feature in features.of(column) if feature in counted]
        if own:
            signs = np.stack([features.signs[feature][binning.fine] for feature in own])
            cells = [table for table in tables if table.columns == (column,)]
            values = np.array([counted[feature] for feature in own])
            found[column] = _held(masses[column], binning, cells, signs, values, halves.deviation / total, total)
    return found


def _held(
    mass: Floats,
    binning: ColumnBins,
    tables: Sequence[NoisyTable],
    signs: Integers,
    values: Floats,
    noise: float,
    total: float,
) -> Floats:
    """Least squares over the masses of the groups that the signs tell apart; inside a group shares stay as they are."""
    kinds, group = np.unique(signs, axis=1, return_inverse=True)
    group = group.ravel()
    held = np.bincount(group, weights=mass)
    own = _noise_of_sums(group, binning, tables) / total
    design = np.concatenate([np.diag(1 / own), kinds / noise, np.full((1, len(held)), _WHOLE)])
    target = np.concatenate([held / own, values / noise, [_WHOLE]])
    settled = np.linalg.lstsq(design, target, rcond=None)[0]
    return np.asarray(mass * (np.maximum(settled, FLOOR) / np.maximum(held, _LEAST))[group])


def _noise_of_sums(group: Integers, binning: ColumnBins, tables: Sequence[NoisyTable]) -> Floats:
    """The standard deviation of what groups hold as sums of cells: their own, or the others' where these are fewer."""
    precision = np.zeros(int(group.max()) + 1)
    for table in tables:
        cells = binning.grouping(table.levels[0])
        many = np.array([len(np.unique(cells[group == number])) for number in range(len(precision))])
        precision += 1 / (float(table.variance) * np.maximum(np.minimum(many, many.sum() - many), 1))
    return np.asarray(precision**-0.5)
