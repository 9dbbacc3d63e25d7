"""Many draws of the noise over the same data: what a batch of costs must satisfy, and what a search finds for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError, ParameterError
from oracledp.oracles.problem import LIMIT, WeightedProblem


@dataclass(frozen=True, eq=False)
class Redrawn:
    """The minimiser for each draw, as its place among the queries that were found at all; -1 where there is none.

    Values leave the problem's constant out, so they fit in 64 bits wherever its weights and costs do.

    >>> found = Redrawn.of([((0,), 5), None, ((0,), 7)])
    >>> found.queries, found.which.tolist(), found.listed(100)
    (((0,),), [0, -1, 0], [((0,), 105), None, ((0,), 107)])
    """

    queries: tuple[Parts, ...]
    which: NDArray[np.int64]
    values: NDArray[np.int64]

    @classmethod
    def of(cls, answers: Iterable[tuple[Parts, int] | None]) -> Redrawn:
        """From one answer, or none, for each draw."""
        places: dict[Parts, int] = {}
        which, values = [], []
        for answer in answers:
            which.append(-1 if answer is None else places.setdefault(answer[0], len(places)))
            values.append(0 if answer is None else answer[1])
        return cls(tuple(places), np.array(which, dtype=np.int64), np.array(values, dtype=np.int64))

    def listed(self, constant: int) -> list[tuple[Parts, int] | None]:
        """One answer, or none, for each draw."""
        both = zip(self.which.tolist(), self.values.tolist(), strict=True)
        return [None if place < 0 else (self.queries[place], value + constant) for place, value in both]


def check_batch(problem: WeightedProblem, part_costs: NDArray[np.int64], size_costs: NDArray[np.int64]) -> None:
    """One row per draw, one entry per part and size, and no sum that could wrap.

    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> queries = Conjunctions(Literals.named("a", "b"))
    >>> problem = WeightedProblem.build(queries, np.ones((1, 2), dtype=np.uint8), np.array([1]))
    >>> check_batch(problem, np.full((1, 2), 2**61), np.zeros((1, 3), dtype=np.int64))
    Traceback (most recent call last):
    ...
    oracledp.errors.CapacityError: weights and noise together exceed 2^62; use a coarser lattice or fewer rows
    """
    parts, sizes = len(problem.part_costs), len(problem.size_costs)
    if part_costs.shape != (len(part_costs), parts) or size_costs.shape != (len(part_costs), sizes):
        raise ParameterError("costs need one row per draw, with one entry per part and one per size")
    if problem.weight_total + parts * _greatest(part_costs) + sizes * _greatest(size_costs) < LIMIT:
        return
    for part_row, size_row in zip(part_costs.tolist(), size_costs.tolist(), strict=True):
        if problem.weight_total + sum(map(abs, part_row)) + sum(map(abs, size_row)) >= LIMIT:
            raise CapacityError("weights and noise together exceed 2^62; use a coarser lattice or fewer rows")


def without_flat_sizes(size_costs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The costs of sizes, or none when they are all zero: a search without them is simpler.

    >>> without_flat_sizes(np.zeros((5, 3), dtype=np.int64)).shape
    (0, 0)
    """
    return size_costs if size_costs.any() else np.zeros((0, 0), dtype=np.int64)


def _greatest(costs: NDArray[np.int64]) -> int:
    """The greatest absolute value, as a Python integer: numpy's abs wraps at the least int64."""
    return max(-int(costs.min(initial=0)), int(costs.max(initial=0)))
