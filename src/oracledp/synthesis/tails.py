"""How far a column reaches beyond what stands out from the noise: generalised Pareto tails, as likely as they are.

Excesses over a high threshold tend to a generalised Pareto law whatever the column's own (Pickands 1975; Balkema, de
Haan 1974): bounded, exponential or heavy by one number. What noisy counts say of that number and of the scale is
little, so no tail is chosen: the counts are the mean over all of them. Post-processing: floating point is allowed here.
"""

from __future__ import annotations

from math import erfc

import numpy as np

from oracledp.synthesis.bins import Floats

_SHAPES = np.array([-0.8, -0.4, -0.2, 0.0, 0.1, 0.2, 0.3])  # from a bound near by to tails with little variance left
_SCALES = 40  # tried, from half a step to the whole reach
_ANCHOR = 8.0  # standard deviations of the noise: the records, at least, whose excesses say how a tail goes on
_MISFIT = 0.1  # of a count: how far a law may be off where noise is small
_LEAST = 1e-300  # below which no double is divided by


def pareto_shares(edges: Floats) -> Floats:
    """The mass of each cell between ``edges``, which begin at 0, under every shape and scale; a line for each.

    What lies beyond the last edge is in the last cell, as values beyond a bound are.

    >>> shares = pareto_shares(np.array([0.0, 1, 2, 4, 8]))
    >>> shares.shape, bool(np.allclose(shares.sum(axis=1), 1))
    ((280, 4), True)
    """
    scales = np.geomspace(0.5, max(float(edges[-1]), 1.0), _SCALES)
    shape = np.where(_SHAPES == 0, 1e-9, _SHAPES)[:, None, None]
    above = np.maximum(1 + shape * (edges / scales[:, None]), 0.0) ** (-1 / shape)
    above[..., -1] = 0.0
    return np.asarray(-np.diff(above, axis=-1)).reshape(-1, len(edges) - 1)


def tail_counts(counts: Floats, deviation: Floats, edges: Floats, known: int) -> Floats:
    """What the cells from ``known`` on hold, given noisy counts of all cells from the threshold on.

    Every positive size of a tail is as likely as any other before the counts are seen, and so is every law.
    """
    shares = pareto_shares(edges - edges[0])
    spread = deviation**2 + (_MISFIT * np.maximum(counts, 0.0)) ** 2
    precision = np.maximum((shares**2 / spread).sum(axis=1), _LEAST)
    size = (shares * counts / spread).sum(axis=1) / precision
    away = size * precision**0.5
    positive = np.maximum([erfc(-z / 2**0.5) / 2 for z in away.tolist()], _LEAST)
    likely = away**2 / 2 + np.log(positive) - np.log(precision) / 2
    likely = np.exp(likely - likely.max())
    hazard = np.exp(-np.minimum(away**2, 1400) / 2) / ((2 * np.pi) ** 0.5 * positive)
    mean = np.maximum(size + hazard / precision**0.5, 0.0)  # of a normal number, given that it is positive
    return np.asarray((likely * mean) @ shares[:, known:] / likely.sum())


def with_tails(counts: Floats, deviation: Floats, edges: Floats, first: int, last: int) -> Floats:
    """Counts whose cells from ``first`` to before ``last`` stand as they are; those on either side die away.

    ``deviation`` is that of each count's noise; ``edges`` say from where to where each cell reaches, on the axis of
    the values.

    >>> counts = np.array([900.0, 500, 240, 30, -12, 8, 3])
    >>> with_tails(counts, np.full(7, 20.0), np.arange(8.0), 0, 3).round().tolist()[:3]
    [900.0, 500.0, 240.0]
    """
    above = _one_side(counts[first:], deviation[first:], edges[first:], last - first)
    below = _one_side(counts[:last][::-1], deviation[:last][::-1], -edges[: last + 1][::-1], last - first)[::-1]
    return np.concatenate([below, counts[first:last], above])


def _one_side(counts: Floats, deviation: Floats, edges: Floats, known: int) -> Floats:
    """The counts beyond the first ``known``, by those of them that are just enough to say how they die away."""
    if known == len(counts):
        return np.zeros(0)
    held, noise = np.cumsum(counts[:known][::-1]), np.cumsum(deviation[:known][::-1] ** 2) ** 0.5
    enough = np.flatnonzero(held > _ANCHOR * noise)
    anchor = known - 1 - int(enough[0]) if len(enough) else 0
    return tail_counts(counts[anchor:], deviation[anchor:], edges[anchor:], known - anchor)
