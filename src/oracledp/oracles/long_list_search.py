"""Exact search over decision lists of many rules: depth first over what a prefix leaves, each remainder once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.classes.base import QueryClass
from oracledp.classes.decision_lists import DecisionLists
from oracledp.data.packed_records import PackedRecords
from oracledp.exact.numbers import whole
from oracledp.oracles.base import Answer, Failed
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.work import LimitedSearch, most_work

MOST_CONDITIONS = 4096
MOST_POSITIONS = 64


@dataclass(frozen=True)
class LongListSearchOracle(LimitedSearch):
    """The first best list of up to 64 rules, proved (docs/engine.md, proofs/engine-cells.md).

    It always ends, but how soon depends on the data: minutes or more where rules cost nothing and no noise speaks
    for some of them, so ``oracle="auto"`` does not take it; ask for ``"long-lists"``. It is at its best where every
    rule costs the same (:func:`rule_penalty`): then a rule must be right about as much as it costs, which rules most
    of them out. ``work_limit`` counts sums over blocks of rows, never time, and makes the oracle partial.

    >>> from oracledp.data.literals import Literals
    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    >>> lists = DecisionLists(Literals.named("a", "b"), length=3)
    >>> problem = WeightedProblem.build(lists, rows, np.array([3, -4, 2, 1]))
    >>> str(LongListSearchOracle().solve(problem.with_noise(rule_penalty(lists, 2))).query)
    'if b then 1; else 0'
    """

    name: ClassVar[str] = "long-list-search"

    def supports(self, query_class: QueryClass, record_count: int) -> bool:
        """Decision lists of at most 64 rules over at most 4096 conditions."""
        lists = query_class.as_decision_lists()
        return lists is not None and lists.positions <= MOST_POSITIONS and len(lists.conditions) <= MOST_CONDITIONS

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the class."""
        lists = problem.query_class.as_decision_lists()
        if lists is None or not self.supports(lists, len(problem.packed)):
            return Failed("class not supported")
        rows: _engine.ListRows | None = problem.cache.get(self.name)
        if rows is None:
            holds = PackedRecords.of(lists.condition_bits(problem.records)[:-1].T)
            rows = problem.cache[self.name] = _engine.ListRows(holds, problem.weights)
        costs = np.ascontiguousarray(problem.part_costs, dtype=np.int64)
        found = _engine.best_long_list(rows, lists.positions, costs, most_work(self.work_limit))
        return self.answer(problem, found, "every prefix was extended or bounded")


def rule_penalty(lists: DecisionLists, penalty: int) -> NDArray[np.int64]:
    """Costs of parts that make every rule cost ``penalty``, and skips and defaults nothing: public, so they may be
    added to any noise.

    >>> from oracledp.data.literals import Literals
    >>> rule_penalty(DecisionLists(Literals.named("a"), length=2), 5).tolist()
    [5, 5, 0, 5, 5, 0, 0, 0]
    """
    costs = np.full(lists.part_count, whole(penalty, "penalty", least=0, most=1 << 50), dtype=np.int64)
    costs[lists.stride - 1 : -2 : lists.stride] = 0
    costs[-2:] = 0
    return costs
