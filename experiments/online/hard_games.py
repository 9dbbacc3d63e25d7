"""Games on which best responses teach almost nothing: payoffs 0, 1/4, 3/4 and 1, after Hazan and Koren.

The construction and its proof (docs/barrier.md) start from a function on the hypercube with a single local minimum
at the end of a long walk (Aldous). A best response to a mixed strategy is always a *successor* (the lowest
neighbour) of some vertex in its support, so an oracle call on s vertices can be answered from s(d+1) values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]

PAYOFFS = (0.0, 0.25, 0.75, 1.0)
VALUE = 0.25  # of every hard game: both players at the minimum


@dataclass(frozen=True, eq=False)
class HardGame:
    """A 2^d × 2^d zero-sum game, given by the heights of a function with one local minimum.

    The row player minimises. G(i,j) = 0 if i is j's successor, 1 if j is i's, else 1/4 if i is not higher
    than j, else 3/4. (v*, v*) is a saddle point of value 1/4, and a row strategy that is 1/4-optimal must
    put half of its weight on v*.
    """

    dimension: int
    heights: Indices
    successors: Indices = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.heights) != 1 << self.dimension:
            raise ParameterError("a hard game needs one height per vertex of the hypercube")
        object.__setattr__(self, "successors", _lowest_neighbours(self.dimension, self.heights))
        if int((self.successors == np.arange(self.size)).sum()) != 1:
            raise ParameterError("the heights have more than one local minimum")

    @classmethod
    def random(cls, dimension: int, *, seed: int, steps: int | None = None) -> HardGame:
        """A random walk of 2^{d/2} steps (or ``steps``); a vertex is lower the later it was last visited.

        The walk flips none of the last few coordinates again, so that it seldom turns back. Off the walk the height
        is the distance to its start. From any vertex of the walk the walk itself leads to one visited later, so
        its end is the only local minimum.
        """
        rng = np.random.default_rng(seed)
        length = int(2 ** (dimension / 2)) if steps is None else steps
        start = int(rng.integers(1 << dimension))
        walk = np.bitwise_xor.accumulate(np.array([start, *(1 << bit for bit in _flips(rng, dimension, length))]))
        heights = np.bitwise_count(np.arange(1 << dimension) ^ start).astype(np.int64)
        heights[walk] = -np.arange(length + 1)  # a later visit overwrites an earlier one
        return cls(dimension, heights)

    @property
    def size(self) -> int:
        """N = 2^d."""
        return 1 << self.dimension

    @property
    def minimum(self) -> int:
        """v*, the vertex that players have to find."""
        return int(np.argmin(self.heights))

    def payoff(self, rows: Indices, columns: Indices) -> Floats:
        """G(i, j) for arrays that broadcast against each other."""
        base = np.where(self.heights[rows] <= self.heights[columns], 0.25, 0.75)
        base = np.where((self.successors[columns] == rows) & (rows != columns), 0.0, base)
        return np.asarray(np.where((self.successors[rows] == columns) & (rows != columns), 1.0, base))

    def matrix(self) -> Floats:
        """The whole game, for small d."""
        if self.dimension > 11:
            raise ParameterError("the matrix of a hard game is built up to dimension 11")
        vertices = np.arange(self.size)
        return self.payoff(vertices[:, None], vertices[None, :])

    # ---- best responses: candidates are the successors of the support -----------------------------------
    def row_response(self, columns: Indices, weights: Floats) -> int:
        """A row that minimises the weighted payoff, found among the support's successors; ties go to the highest."""
        found, place = np.unique(self.successors[columns], return_inverse=True)
        here = np.zeros(len(found))
        np.add.at(here, place, np.where(self.successors[columns] != columns, weights, 0.0))  # 0 instead of 1/4
        lower = _weight_below(self.heights[columns], weights, self.heights[found])
        onward = _weight_at(columns, weights, self.successors[found]) * (self.successors[found] != found)
        return self._first_highest(found, 0.5 * lower - 0.25 * here + 0.25 * onward)

    def column_response(self, rows: Indices, weights: Floats) -> int:
        """A column that maximises the weighted payoff, likewise."""
        found, place = np.unique(self.successors[rows], return_inverse=True)
        here = np.zeros(len(found))
        np.add.at(here, place, np.where(self.successors[rows] != rows, weights, 0.0))  # 1 instead of 3/4
        higher = weights.sum() - _weight_below(self.heights[rows], weights, self.heights[found] + 1)
        onward = _weight_at(rows, weights, self.successors[found]) * (self.successors[found] != found)
        return self._first_highest(found, -(0.5 * higher + 0.25 * here - 0.25 * onward))

    def _first_highest(self, candidates: Indices, values: Floats) -> int:
        best = candidates[values <= values.min() + 1e-12]
        return int(best[np.argmax(self.heights[best])])

    # ---- how far a strategy is from optimal ---------------------------------------------------------------
    def row_gap(self, rows: Indices, weights: Floats) -> float:
        """How much more than the value the row strategy may have to pay."""
        answer = self.column_response(rows, weights)
        return float(self.payoff(rows, np.array(answer)) @ weights / weights.sum()) - VALUE


def _flips(rng: np.random.Generator, dimension: int, length: int) -> list[int]:
    """The coordinates that a walk flips, each different from the few before it."""
    memory, found = min(dimension // 2, 6), list[int]()
    for _ in range(length):
        recent = found[len(found) - memory :] if memory else []
        found.append(int(rng.choice([bit for bit in range(dimension) if bit not in recent])))
    return found


def _lowest_neighbours(dimension: int, heights: Indices) -> Indices:
    """Each vertex's lowest neighbour, or itself where it is lower than all of them."""
    vertices = np.arange(1 << dimension)
    best = vertices.copy()
    for bit in range(dimension):
        neighbours = vertices ^ (1 << bit)
        best = np.where(heights[neighbours] < heights[best], neighbours, best)
    return np.asarray(best, dtype=np.int64)


def _weight_below(levels: Indices, weights: Floats, at: Indices) -> Floats:
    """The weight of support points that lie strictly lower than each of ``at``."""
    order = np.argsort(levels)
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(sums[np.searchsorted(levels[order], at, side="left")])


def _weight_at(vertices: Indices, weights: Floats, at: Indices) -> Floats:
    """The weight that the support puts on each vertex of ``at``."""
    found, place = np.unique(vertices, return_inverse=True)
    sums = np.zeros(len(found))
    np.add.at(sums, place, weights)
    spot = np.minimum(np.searchsorted(found, at), len(found) - 1)
    return np.asarray(np.where(found[spot] == at, sums[spot], 0.0))
