"""Counts of one ordered column at several nested levels, made into one set of counts: least squares on a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracledp.synthesis.bins import Floats, Integers


def combined_counts(
    counts: Floats, variance: float, levels: Sequence[tuple[Integers, Floats, float]]
) -> tuple[Floats, Floats]:
    """The least-squares counts of the values, given their own noisy counts and those of nested groups of them.

    Each level is (group of each value, noisy counts of the groups, variance), finest first, each group a union
    of groups of the level before. Going up, a group's sum meets its own count, weighed by precision; going down, what a
    group gained is shared among its parts in proportion to their variances.

    >>> pairs = np.array([0, 0, 1, 1])
    >>> combined_counts(np.array([4.0, 4, 1, 1]), 1.0, [(pairs, np.array([10.0, 2.0]), 1.0)])[0]
    array([4.66666667, 4.66666667, 1.        , 1.        ])
    """
    values, variances = counts.astype(np.float64), np.full(len(counts), variance)
    nodes = [(values, variances)]
    parents: list[Integers] = []
    below = np.arange(len(counts))
    for group, noisy, noise in levels:
        parent = _parents(below, group)
        total = np.bincount(parent, weights=values)
        spread = np.bincount(parent, weights=variances)
        share = spread / (spread + noise)
        parents.append(parent)
        values, variances = total + share * (noisy - total), spread * (1 - share)
        nodes.append((values, variances))
        below = group
    final = nodes[-1][0]
    for (lower, spread), parent in zip(reversed(nodes[:-1]), reversed(parents), strict=True):
        gained = final - np.bincount(parent, weights=lower)
        final = lower + spread / np.bincount(parent, weights=spread)[parent] * gained[parent]
    return final, nodes[0][1]


def _parents(below: Integers, group: Integers) -> Integers:
    """For each group of the level below, the group of this level that holds it."""
    parent = np.zeros(int(below.max()) + 1, dtype=np.int64)
    parent[below] = group
    return parent
