"""How a part comes by its list: from every query, from around an oracle's answer, or by a function of the caller's.

Whatever is done here may look at one part's records, and at nothing else. A list pairs queries with eighths of a vote.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts, parts_of, parts_table
from oracledp.data.packed_records import PackedRecords
from oracledp.mechanisms.objective import BranchProblem, Objective
from oracledp.mechanisms.votes.approval import GRADES
from oracledp.oracles.base import Failed, Oracle
from oracledp.oracles.batch import values, whole_table
from oracledp.oracles.door import ask

Records = PackedRecords
Counts = NDArray[np.int64]
Function = Callable[[NDArray[np.uint8], Counts], Iterable[Hashable] | Hashable]
Graded = list[tuple[Any, int]]

LOST = 2  # eighths of a vote that the last answer of a list lacks
AT_ONCE = 32  # queries whose surroundings are looked at together
MOST_LOOKS = 1 << 14  # queries that one part looks at around an answer: a deterministic limit of work
MOST_TREES = 1 << 11  # the same where each is a decision tree, which takes longer to look at


class Ballot(Protocol):
    """One part's list, the answer it likes best first."""

    def __call__(self, records: Records, counts: Counts) -> Graded:
        """The answers, each with eighths of a vote."""
        ...


@dataclass(frozen=True)
class BestListed:
    """The queries of least value, by going through all of them: ties go to the first in the class's order."""

    queries: QueryClass
    most: int
    sign: int = 1

    def __call__(self, records: Records, counts: Counts) -> Graded:
        """The best ``most`` queries of the part."""
        return best_listed(Objective.of(self.queries, records, self.sign * counts, resolution=0), self.most)


@dataclass(frozen=True)
class Around:
    """What an oracle answers, and the best queries that are found by single changes of it, the best changed first.

    So a solver, which has one answer, and a heuristic, whose answer may be poor, hand in lists of the same kind.
    """

    queries: QueryClass
    oracle: Oracle
    most: int
    sign: int = 1

    def __call__(self, records: Records, counts: Counts) -> Graded:
        """At most ``most`` answers, by their values on the part."""
        objective = Objective.of(self.queries, records, self.sign * counts, resolution=0)
        return best_around(objective, self.oracle, self.most)


@dataclass(frozen=True)
class Called:
    """A function of the caller's: rows in; out a list of answers, or one. Rows come each as often as it is there."""

    function: Function
    most: int

    def __call__(self, records: Records, counts: Counts) -> Graded:
        """What the function says, as far as it can be counted; each answer has a whole vote."""
        said = self.function(np.repeat(np.asarray(records), counts, axis=0), np.ones(int(counts.sum()), dtype=np.int64))
        answers = said if isinstance(said, list | Iterator) else [] if said is None else [said]
        return [(answer, GRADES) for answer in islice(answers, self.most)]


def best_listed(objective: Objective, most: int) -> Graded:
    """The queries of least value; ties go to the first in the class's order."""
    losses = objective.all_values()
    edge = np.partition(losses, most - 1)[most - 1] if most < len(losses) else losses.max()
    near = np.flatnonzero(losses <= edge)  # ties at the edge are settled by the order
    best = near[np.argsort(losses[near], kind="stable")][:most]
    queries = [_parts_at(objective, int(index)) for index in best]
    return list(zip(queries, graded(losses[best]), strict=True))


def best_around(objective: Objective, oracle: Oracle, most: int) -> Graded:
    """The best of what is found around an oracle's answers, one for each branch of the class."""
    found: dict[Parts, int] = {}
    for piece in objective.pieces:
        answer = ask(oracle, piece.problem)
        if not isinstance(answer, Failed):
            around = _explored(piece, answer.query.parts, most)
            found.update({(*parts, *piece.branch.extra): value for parts, value in around.items()})
    best = nsmallest(most, found, key=lambda parts: (found[parts], parts))
    return list(zip(best, graded(np.array([found[parts] for parts in best])), strict=True))


def graded(losses: NDArray[np.int64]) -> list[int]:
    """Eighths of a vote for answers by increasing loss: a whole vote for the best, three quarters for the last.

    >>> graded(np.array([10, 10, 15, 19, 20])), graded(np.array([3, 3]))
    ([8, 8, 7, 6, 6], [8, 8])
    """
    if not len(losses):
        return []
    least, spread = int(losses[0]), max(int(losses[-1] - losses[0]), 1)
    return [GRADES - (LOST * (int(loss) - least) + spread // 2) // spread for loss in losses]


def _explored(piece: BranchProblem, start: Parts, most: int) -> dict[Parts, int]:
    """The value of every query looked at, until the best ``most`` have all been changed or enough were looked at."""
    problem, queries = piece.problem, piece.problem.query_class
    found, changed = {start: problem.value(start)}, set[Parts]()
    looks = MOST_LOOKS if queries.as_decision_trees() is None else MOST_TREES
    while len(found) < looks:
        best = nsmallest(most, found, key=found.__getitem__)
        turn = [parts for parts in best if parts not in changed][:AT_ONCE]
        if not turn:
            break
        changed.update(turn)
        near = (other for parts in turn for other in islice(queries.changed(parts), looks))
        new = [parts for parts in dict.fromkeys(near) if parts not in found]
        if new:
            total = values(problem, parts_table(new)) + problem.constant
            found.update(zip(new, total.tolist(), strict=True))
    return found


def _parts_at(objective: Objective, index: int) -> Parts:
    for piece in objective.pieces:
        if index < piece.branch.base.size:
            return (*parts_of(whole_table(piece.branch.base)[index]), *piece.branch.extra)
        index -= piece.branch.base.size
    raise IndexError("no query of the class has this number")
