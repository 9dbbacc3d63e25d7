"""How a part makes its list: from every query, from an oracle asked several times, or by a function of the caller's.

Whatever is done here may look at one part's records and at fresh randomness, and at nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts, parts_of
from oracledp.mechanisms.objective import Objective
from oracledp.oracles.base import Failed, Oracle
from oracledp.oracles.batch import whole_table
from oracledp.oracles.door import ask

Records = NDArray[np.uint8]
Counts = NDArray[np.int64]
Function = Callable[[Records, Counts], Iterable[Hashable]]


class Ballot(Protocol):
    """One part's list, the answer it likes best first."""

    @property
    def seeded(self) -> bool:
        """Whether it draws anything itself."""
        ...

    def __call__(self, records: Records, counts: Counts, seed: int) -> list[Any]:
        """The list; ``seed`` is fresh for every part."""
        ...


@dataclass(frozen=True)
class BestListed:
    """The queries of least value, by going through all of them: ties go to the first in the class's order."""

    queries: QueryClass
    most: int
    sign: int = 1
    seeded: ClassVar[bool] = False

    def __call__(self, records: Records, counts: Counts, seed: int) -> list[Parts]:
        """The best ``most`` queries of the part."""
        objective = Objective.of(self.queries, records, self.sign * counts, resolution=0)
        values = objective.all_values()
        edge = np.partition(values, self.most - 1)[self.most - 1] if self.most < len(values) else values.max()
        near = np.flatnonzero(values <= edge)  # ties at the edge are settled by the order
        best = near[np.argsort(values[near], kind="stable")][: self.most]
        return [_parts_at(objective, int(index)) for index in best]


@dataclass(frozen=True)
class Restarts:
    """An oracle asked again and again, each time with a little noise on the parts: its distinct answers, best first.

    The first question has no noise. The noise is public randomness of this part alone; it makes a solver, which has
    one answer, and a heuristic, which has many, hand in lists of the same kind.
    """

    queries: QueryClass
    oracle: Oracle
    most: int
    sign: int = 1
    patience: int = 3  # questions in a row that bring nothing new
    seeded: ClassVar[bool] = True

    def __call__(self, records: Records, counts: Counts, seed: int) -> list[Parts]:
        """At most ``most`` answers, in the order of their true values on the part."""
        chance, found, idle = np.random.default_rng(seed), dict[Parts, int](), 0
        pieces = Objective.of(self.queries, records, self.sign * counts, resolution=4).pieces
        spread = max(1, int(counts.sum()) << 4) // 200 + 1
        while len(found) < self.most and idle < self.patience:
            before = len(found)
            for piece in pieces:
                costs = (
                    chance.integers(0, spread, piece.problem.part_costs.shape) if found else piece.problem.part_costs
                )
                answer = ask(self.oracle, piece.problem.with_noise(costs.astype(np.int64)))
                if not isinstance(answer, Failed):
                    found[(*answer.query.parts, *piece.branch.extra)] = piece.problem.value(answer.query.parts)
            idle = 0 if len(found) > before else idle + 1
        return sorted(found, key=lambda parts: (found[parts], parts))[: self.most]


@dataclass(frozen=True)
class Called:
    """A function of the caller's: rows in, answers out. Rows come as they are, each as often as it is there."""

    function: Function
    most: int
    seeded: ClassVar[bool] = False

    def __call__(self, records: Records, counts: Counts, seed: int) -> list[Hashable]:
        """What the function says, as far as it can be counted."""
        answers = self.function(np.repeat(records, counts, axis=0), np.ones(int(counts.sum()), dtype=np.int64))
        return list(answers)[: self.most]


def _parts_at(objective: Objective, index: int) -> Parts:
    for piece in objective.pieces:
        if index < piece.branch.base.size:
            return (*parts_of(whole_table(piece.branch.base)[index]), *piece.branch.extra)
        index -= piece.branch.base.size
    raise IndexError("no query of the class has this number")
