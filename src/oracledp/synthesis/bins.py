"""Nested bins: how a long column is cut into fewer and fewer groups of values, from noisy masses only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnBins:
    """One column's nested groupings. Level 0 is the finest; its bins are contiguous inside those of every later level.

    ``fine`` maps a value to its bin on level 0; ``starts[level]`` holds the first fine bin of each bin of a level.
    A long column was counted in stages before it had bins: ``stages`` hold the first value of each of their cells.
    """

    fine: Integers
    starts: tuple[Integers, ...]
    stages: tuple[Integers, ...] = ()

    @property
    def size(self) -> int:
        """How many bins the finest level has."""
        return len(self.starts[0])

    def sizes(self) -> list[int]:
        """How many bins each level has."""
        return [len(start) for start in self.starts]

    def widths(self, level: int) -> Integers:
        """How many fine bins each bin of a level holds."""
        return np.diff(np.append(self.starts[level], self.size))

    def grouping(self, level: int) -> Integers:
        """The bin of a level that each value falls into; -1 are the values themselves, -2, -3, … the stages."""
        if level == -1:
            return np.arange(len(self.fine))
        if level < -1:
            return cells_of(self.stages[-2 - level], len(self.fine))
        return np.repeat(np.arange(len(self.starts[level])), self.widths(level))[self.fine]


def cells_of(starts: Integers, values: int) -> Integers:
    """The cell of each value, given the first value of each cell."""
    return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, values)))


def nested_bins(masses: Floats, ordered: bool, thresholds: Sequence[float], missing: bool = False) -> ColumnBins:
    """Merge light values, the lightest first, until every bin of a level holds at least that level's threshold.

    In an ordered column a bin merges with its lighter neighbour, elsewhere with the next lightest bin. At least
    two bins are left (one if the column has one value). With ``missing`` the last code of an ordered column stands
    outside the order and keeps a bin of its own.

    >>> nested_bins(np.array([0.5, 0.01, 0.02, 0.47]), True, [0.03]).fine
    array([0, 1, 1, 2])
    """
    alone = int(ordered and missing)
    groups = [[value] for value in range(len(masses) - alone)]
    weights = np.asarray(masses, dtype=np.float64)[: len(groups)].copy()
    levels: list[list[int]] = []
    for threshold in thresholds:
        while len(groups) > 2 - alone and weights.min() < threshold:
            first, second = _lightest_pair(weights, ordered)
            groups[first] = groups[first] + groups.pop(second)
            weights[first] += weights[second]
            weights = np.delete(weights, second)
        levels.append([group[0] for group in groups] + [len(masses) - 1] * alone)
    order = np.array([value for group in groups for value in group] + [len(masses) - 1] * alone, dtype=np.int64)
    return _as_column(order, levels)


def grouped_bins(masses: Floats, kinds: Integers, alone: float, thresholds: Sequence[float]) -> ColumnBins:
    """The bins of a column without order whose values of one kind go together first; -1 is no kind.

    A value that holds at least ``alone`` stays so. Then bins merge by weight, as those of other columns do.

    >>> grouped_bins(np.array([0.5, 0.01, 0.23, 0.02, 0.24]), np.array([-1, 0, 1, 0, 1]), 0.1, [0.02]).fine.tolist()
    [0, 3, 1, 3, 2]
    """
    together = (masses < alone) & (kinds >= 0)
    cell = np.where(together, len(masses) + kinds, np.arange(len(masses)))
    _, group = np.unique(cell, return_inverse=True)
    coarse = nested_bins(np.bincount(group, weights=masses).astype(np.float64), False, thresholds)
    return ColumnBins(coarse.fine[group], coarse.starts)


def _lightest_pair(weights: Floats, ordered: bool) -> tuple[int, int]:
    lightest = int(weights.argmin())
    if ordered:
        beside = [other for other in (lightest - 1, lightest + 1) if 0 <= other < len(weights)]
        partner = min(beside, key=lambda other: float(weights[other]))
    else:
        rest = weights.copy()
        rest[lightest] = np.inf
        partner = int(rest.argmin())
    return min(lightest, partner), max(lightest, partner)


def _as_column(order: Integers, levels: list[list[int]]) -> ColumnBins:
    """Turn a final order of the values and each level's first values into contiguous bins."""
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    heads = [np.sort(position[np.array(level)]) for level in levels]
    fine = np.searchsorted(heads[0], position, side="right") - 1
    return ColumnBins(fine, tuple(np.searchsorted(heads[0], head) for head in heads))


def levels_within(sizes: Sequence[Sequence[int]], cap: int) -> tuple[int, ...]:
    """The finest level of each column such that their table has at most ``cap`` cells, coarsening the longest first.

    >>> levels_within([[50, 20, 5], [3, 2, 2]], 70)
    (1, 0)
    """
    levels = [0] * len(sizes)

    def cells() -> int:
        return int(np.prod([column[level] for column, level in zip(sizes, levels, strict=True)]))

    while cells() > cap:
        free = [i for i, column in enumerate(sizes) if levels[i] + 1 < len(column) and column[levels[i]] > 2]
        if not free:
            break
        levels[max(free, key=lambda i: sizes[i][levels[i]])] += 1
    return tuple(levels)
