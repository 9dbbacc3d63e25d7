"""Oracles that are not the library's own: used, never believed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import index
from typing import Any, ClassVar

from numpy.typing import NDArray

from oracledp.classes.base import Query
from oracledp.classes.tables import Parts
from oracledp.oracles.base import (
    NO_ANSWER,
    NO_QUERY,
    OUT_OF_MEMORY,
    RAISED,
    Answer,
    Certificate,
    Failed,
    Oracle,
    Solution,
    Trust,
)
from oracledp.oracles.guarded import Ending, guarded
from oracledp.oracles.problem import WeightedProblem


@dataclass(frozen=True, eq=False)
class OutsideOracle:
    """A stranger behind a guard. Whatever it declares, it counts as CLAIMED at best, as partial, its ties as free.

    Its name is read off its class and its trust once, here, before it is shown any data of this run. Of an answer
    only integers come through: the query is built anew from its parts in the problem's own class, the certificate
    from public words. However else a call ends, it is a failure with a fixed phrase.
    """

    inner: Oracle
    name: str = field(init=False)
    trust: Trust = field(init=False)
    total: ClassVar[bool] = False
    fixed_ties: ClassVar[bool] = False

    def __post_init__(self) -> None:
        declared = guarded(lambda: self.inner.trust)
        believed = declared is Trust.PROVED or declared is Trust.CLAIMED
        object.__setattr__(self, "name", name_of(type(self.inner)))
        object.__setattr__(self, "trust", Trust.CLAIMED if believed else Trust.GUESSED)

    def solve(self, problem: WeightedProblem) -> Answer:
        """The stranger's answer in our own words, or a failure."""
        found = guarded(lambda: _plain(self.inner.solve(_shown(problem)), problem))
        if isinstance(found, Ending):
            return Failed(OUT_OF_MEMORY if found is Ending.OUT_OF_MEMORY else RAISED)
        if isinstance(found, Failed):
            return found
        parts, value, trust = found
        counted = self.trust if self.trust.weaker(trust) else trust
        return Solution(Query(problem.query_class, parts), value, Certificate(counted, self.name))


def name_of(kind: type) -> str:
    """The name that a class was written with: a constant ``name``, else what the class is called.

    A property may answer with anything, at any time, so it is not asked.
    """
    declared = next((vars(base)["name"] for base in kind.__mro__ if "name" in vars(base)), None)
    return declared if type(declared) is str else kind.__name__


def _shown(problem: WeightedProblem) -> WeightedProblem:
    """The problem with arrays that cannot be written to, and no memory of values that an oracle could forge."""
    return replace(
        problem,
        weights=_read_only(problem.weights),
        part_costs=_read_only(problem.part_costs),
        size_costs=_read_only(problem.size_costs),
        evaluated={},
    )


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _plain(answer: Any, problem: WeightedProblem) -> Failed | tuple[Parts, int, Trust]:
    """Parts, value and declared trust of an answer, as objects of our own making."""
    if isinstance(answer, Failed):
        return Failed(NO_ANSWER)
    trust = answer.certificate.trust
    if not isinstance(answer, Solution) or not isinstance(trust, Trust):
        return Failed(NO_ANSWER)
    if problem.query_class != answer.query.owner:
        return Failed(NO_QUERY)
    return _integers(answer.query.parts, problem.query_class.part_count), _integer(answer.value), trust


def _integers(numbers: Iterable[Any], most: int) -> Parts:
    return tuple(_integer(number) for number in islice(numbers, most + 1))


def _integer(number: Any) -> int:
    """A plain integer: no float, no truth value of a subclass with ways of its own."""
    return int.__index__(index(number))
