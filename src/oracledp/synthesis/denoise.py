"""Noisy one-way counts made into probabilities. Post-processing: floating point is allowed here."""

from __future__ import annotations

import numpy as np

from oracledp.synthesis.bins import Floats

_FLOOR = 1e-7  # no value is impossible: a noisy zero is no proof of absence


def to_simplex(values: Floats) -> Floats:
    """The nearest probability vector.

    >>> to_simplex(np.array([0.9, 0.3, -0.2]))
    array([0.8, 0.2, 0. ])
    """
    ordered = np.sort(values)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(values) + 1)
    last = int(np.flatnonzero(ordered > excess)[-1])
    return np.asarray(np.maximum(values - excess[last], 0.0))


def probabilities(counts: Floats, total: float, deviation: float, smooth: int) -> Floats:
    """A column's distribution from its noisy counts; the first ``smooth`` codes are denoised along their order."""
    values = counts + (total - counts.sum()) / len(counts)
    if smooth:
        values = np.concatenate([haar(values[:smooth], 2.5 * deviation), values[smooth:]])
    mass = to_simplex(values / max(total, 1.0)) + _FLOOR
    return np.asarray(mass / mass.sum())


def haar(values: Floats, threshold: float) -> Floats:
    """Translation-invariant Haar denoising: details smaller than the threshold are noise and are dropped."""
    length = 1 << max(int(np.ceil(np.log2(len(values)))), 1)
    padded = np.pad(values, (0, length - len(values)), mode="symmetric")
    shifts = np.unique(np.linspace(0, length - 1, 16).astype(np.int64))
    shifted = [np.roll(_haar_once(np.roll(padded, -shift), threshold), shift) for shift in shifts]
    return np.asarray(np.mean(shifted, axis=0)[: len(values)])


def _haar_once(values: Floats, threshold: float) -> Floats:
    if len(values) == 1:
        return values
    mean = (values[::2] + values[1::2]) / np.sqrt(2)
    detail = (values[::2] - values[1::2]) / np.sqrt(2)
    detail = np.where(np.abs(detail) > threshold, detail, 0.0)
    mean = _haar_once(mean, threshold)
    out = np.empty_like(values)
    out[::2], out[1::2] = (mean + detail) / np.sqrt(2), (mean - detail) / np.sqrt(2)
    return out
