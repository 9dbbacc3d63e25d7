"""Rows from the model with less noise than independent draws: systematic counts, then swaps towards the two-ways."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracledp import _engine
from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.mixture import Mixture

_GOLDEN = (5**0.5 - 1) / 2


def draw_rows(
    mixture: Mixture, marginals: Sequence[Floats], rows: int, generator: np.random.Generator, sweeps: int = 3
) -> Integers:
    """``rows`` records of value codes whose one- and two-way counts follow the model's as closely as integers allow."""
    bins, component = stratified(mixture, rows, generator)
    _polish(bins, component, mixture, sweeps, generator)
    return np.asarray(_values(bins, mixture, marginals, generator)[generator.permutation(rows)])


def rows_within(
    mixture: Mixture, marginals: Sequence[Floats], components: Integers, generator: np.random.Generator
) -> Integers:
    """A record of value codes for each of these components, in their order."""
    counts = np.bincount(components, minlength=len(mixture.weights))
    codes = np.empty((len(components), len(mixture.layout.bins)), dtype=np.int64)
    within = _within(mixture, counts, generator)
    codes[np.argsort(components, kind="stable")] = _values(within, mixture, marginals, generator)
    return codes


def _values(bins: Integers, mixture: Mixture, marginals: Sequence[Floats], generator: np.random.Generator) -> Integers:
    codes = np.empty_like(bins)
    for column in range(bins.shape[1]):
        codes[:, column] = _spread(bins[:, column], mixture.layout.bins[column].fine, marginals[column], generator)
    return codes


def stratified(mixture: Mixture, rows: int, generator: np.random.Generator) -> tuple[Integers, Integers]:
    """Rows of fine bins with systematic counts per component and column, and each row's component."""
    counts = systematic(mixture.weights[None], np.array([rows]), np.array([generator.random()]))[0]
    return _within(mixture, counts, generator), np.repeat(np.arange(len(counts)), counts)


def _within(mixture: Mixture, counts: Integers, generator: np.random.Generator) -> Integers:
    """So many rows of fine bins of each component, one component after the other."""
    rows, component = int(counts.sum()), np.repeat(np.arange(len(counts)), counts)
    out = np.empty((rows, len(mixture.layout.bins)), dtype=np.int64)
    for column, block in enumerate(mixture.layout.blocks()):
        # golden-ratio offsets: the roundings of different components cancel in the column's total
        offsets = np.asarray((generator.random() + _GOLDEN * np.arange(len(counts))) % 1.0, dtype=np.float64)
        held = systematic(mixture.parts[:, block], counts, offsets)
        values = np.repeat(np.tile(np.arange(held.shape[1]), len(counts)), held.ravel())
        out[np.argsort(generator.random(rows) + component), column] = values
    return out


def systematic(probabilities: Floats, totals: Integers, offsets: Floats) -> Integers:
    """For each row of probabilities, integers that sum to its total, each within one of its expectation.

    >>> systematic(np.array([[0.25, 0.5, 0.25]]), np.array([10]), np.array([0.3]))
    array([[2, 5, 3]])
    """
    share = np.cumsum(probabilities, axis=1)
    share /= share[:, -1:]
    edges = np.floor(share * totals[:, None] + offsets[:, None]).astype(np.int64)
    edges[:, -1] = totals
    edges = np.minimum(edges, totals[:, None])
    return np.diff(edges, axis=1, prepend=0)


def _polish(rows: Integers, component: Integers, mixture: Mixture, sweeps: int, generator: np.random.Generator) -> None:
    """Swap values between rows of one component wherever that brings the two-way counts closer to the model's."""
    layout = mixture.layout
    excess = -mixture.two_ways() * len(rows)
    for one, (block, size) in enumerate(zip(layout.blocks(), layout.sizes, strict=True)):
        for two, (other, length) in enumerate(zip(layout.blocks(), layout.sizes, strict=True)):
            counts = np.bincount(rows[:, one] * length + rows[:, two], minlength=int(size * length))
            excess[block, other] += counts.reshape(size, length)
    strata = np.searchsorted(component, np.arange(len(mixture.weights) + 1))
    seed = int(generator.integers(2**63))
    _engine.swap_towards(rows, strata, layout.starts, excess.astype(np.float32), sweeps, seed)


def _spread(bins: Integers, fine: Integers, mass: Floats, generator: np.random.Generator) -> Integers:
    """Values inside bins, systematically by the column's own distribution."""
    values = np.empty_like(bins)
    for number in np.unique(bins):
        inside, where = np.flatnonzero(fine == number), np.flatnonzero(bins == number)
        held = systematic(mass[None, inside], np.array([len(where)]), np.array([generator.random()]))[0]
        values[generator.permutation(where)] = np.repeat(inside, held)
    return values
