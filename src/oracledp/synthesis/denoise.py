"""Noisy one-way counts made into probabilities. Post-processing: floating point is allowed here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracledp.synthesis.bins import Floats
from oracledp.synthesis.tails import with_tails

FLOOR = 1e-7  # no value is impossible: a noisy zero is no proof of absence
HEAVY = 4.0  # standard deviations of the noise that show that records are there
_WINDOWS = (4, 16)  # neighbours that may show together what none shows alone
FINE_FLOOR = 1e-10  # the same for values at a resolution, whose tails have traces of their own


def to_simplex(values: Floats) -> Floats:
    """The nearest probability vector.

    >>> to_simplex(np.array([0.9, 0.3, -0.2]))
    array([0.8, 0.2, 0. ])
    """
    ordered = np.sort(values)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(values) + 1)
    last = int(np.flatnonzero(ordered > excess)[-1])
    return np.asarray(np.maximum(values - excess[last], 0.0))


def in_proportion(values: Floats) -> Floats:
    """A probability vector that keeps zeros: what the sum lacks is made up for where something is."""
    held = np.maximum(values, 0.0)
    return np.asarray(held / held.sum() if held.any() else np.full(len(values), 1 / len(values)))


def probabilities(counts: Floats, total: float, deviation: float, smooth: int) -> Floats:
    """A column's distribution from its noisy counts; the first ``smooth`` codes are denoised along their order."""
    values = counts + (total - counts.sum()) / len(counts)
    if smooth:
        values = np.concatenate([haar(values[:smooth], 2.5 * deviation), values[smooth:]])
    mass = to_simplex(values / max(total, 1.0)) + FLOOR
    return np.asarray(mass / mass.sum())


def fine_probabilities(counts: Floats, deviation: float, smooth: int) -> Floats:
    """The same for a column at its resolution, whose values matter: thin tails, and nothing where nothing shows."""
    first, last = bulk(counts[:smooth], deviation)
    middle = haar(counts[:smooth], 2.5 * deviation)[first:last]
    around = np.concatenate([counts[:first], middle, counts[last:smooth]])
    shaped = with_tails(around, np.full(smooth, deviation), np.arange(smooth + 1.0), first, last)
    mass = in_proportion(np.concatenate([shaped, counts[smooth:]])) + FINE_FLOOR
    return np.asarray(mass / mass.sum())


def bulk(counts: Floats, deviation: float, windows: Sequence[int] = _WINDOWS) -> tuple[int, int]:
    """From where to where records certainly lie: single counts or sums of neighbours stand out from the noise.

    >>> bulk(np.array([0.0, 1, 90, 40, -3, 2, 0, 0]), 5.0)
    (2, 4)
    """
    shown = counts > HEAVY * deviation
    for width in windows:
        if width < len(counts):
            unseen = np.where(shown, 0.0, counts)
            sums = np.lib.stride_tricks.sliding_window_view(unseen, width).sum(axis=1)
            for start in np.flatnonzero(sums > HEAVY * deviation * width**0.5).tolist():
                shown[start : start + width] = True
    where = np.flatnonzero(shown)
    return (int(where[0]), int(where[-1]) + 1) if len(where) else (0, len(counts))


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


def details(values: Floats, threshold: float) -> int:
    """How many differences of neighbours, on all scales, are larger than the threshold: how much there is to explain.

    >>> details(np.array([5.0, 5, 5, 5, 0, 0, 0, 0]), 1.0)
    1
    """
    length = 1 << max(int(np.ceil(np.log2(len(values)))), 1)
    mean, found = np.pad(values, (0, length - len(values)), mode="symmetric"), 0
    while len(mean) > 1:
        found += int((np.abs(mean[::2] - mean[1::2]) > threshold * np.sqrt(2)).sum())
        mean = (mean[::2] + mean[1::2]) / np.sqrt(2)
    return found
