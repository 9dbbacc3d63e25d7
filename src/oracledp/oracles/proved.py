"""A solver's answer turned into a proved one: our own search starts from it and leaves nothing to believe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from oracledp.classes.base import QueryClass
from oracledp.oracles.base import Answer, Failed, Oracle, Solution, Trust
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.door import ask
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.registry import admit, owned


@dataclass(frozen=True)
class ProvedOracle:
    """Whatever the inner oracle finds, proved: the search over conjunctions and disjunctions starts from its answer.

    The search shows that nothing comes before its own answer, which is the first minimiser whatever the inner oracle
    said: that one is worth time, and is not believed. If it fails, the search starts from nothing. ``work_limit``
    counts the search's steps and makes the oracle partial; ``verify`` has the proof checked by code that shares nothing
    with the search. ``oracle="cp-sat:proved"`` names this one around CP-SAT, and so for every solver.

    >>> import numpy as np
    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> from oracledp.oracles.heuristics import HeuristicOracle
    >>> rows = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.uint8)
    >>> problem = WeightedProblem.build(Conjunctions(Literals.named("a", "b")), rows, np.array([5, -3, 2]))
    >>> answer = ProvedOracle(HeuristicOracle()).solve(problem)
    >>> answer.value, answer.certificate.trust.value
    (-3, 'proved')
    """

    inner: Oracle
    work_limit: int | None = None
    verify: bool = False

    trust: ClassVar[Trust] = Trust.PROVED
    fixed_ties: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", admit(self.inner))

    @property
    def name(self) -> str:
        """That of the inner oracle, and what is made of its answers."""
        return f"{self.inner.name}:proved"

    @property
    def total(self) -> bool:
        """Where the search is, if the inner oracle is the library's own: a stranger may never come back."""
        return self._search.total and owned(self.inner)

    @property
    def _search(self) -> BranchAndBoundOracle:
        return BranchAndBoundOracle(self.work_limit, self.verify)

    def supports(self, query_class: QueryClass, record_count: int = 0) -> bool:
        """What the search does: conjunctions and disjunctions."""
        return self._search.supports(query_class, record_count)

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser, proved; or that the work limit was reached."""
        if not self.supports(problem.query_class):
            return Failed("class not supported")
        own_memory = problem.cache.setdefault(
            "proved", {}
        )  # what the search prepares is out of the inner oracle's reach
        guess = ask(self.inner, replace(problem, cache=own_memory))
        return self._search.solve_from(problem, guess.query.parts if isinstance(guess, Solution) else ())
