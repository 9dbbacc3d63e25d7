"""Best decision trees, proved: dynamic programming over the sets of literals that paths test (proofs/engine.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import best_tree
from oracledp.classes.base import Query, QueryClass
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.errors import CapacityError
from oracledp.oracles.base import Answer, Certificate, Solution, Trust
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.work import MOST_TREE_CELLS, tree_cells

Costs = list[list[int]]

PERFECT_SHARE = 8  # cells of all trees for one step of the search for a tree without errors: some 5 % of the time


@dataclass(frozen=True)
class DecisionTreeSearchOracle:
    """The first best tree, with costs on its parts or without: every node that a path can come to is looked at once.

    >>> from oracledp.data.literals import Literals
    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    >>> trees = DecisionTrees(Literals.named("a", "b"), depth=2)
    >>> answer = DecisionTreeSearchOracle().solve(WeightedProblem.build(trees, rows, np.array([3, -2, -2, 3])))
    >>> str(answer.query), answer.value
    ('if a then (if b then 0 else 1) else (if b then 1 else 0)', -4)
    """

    name: ClassVar[str] = "decision-tree-search"
    trust: ClassVar[Trust] = Trust.PROVED
    total: ClassVar[bool] = True
    fixed_ties: ClassVar[bool] = True

    def supports(self, query_class: QueryClass, record_count: int = 0) -> bool:
        """Trees whose nodes are not too many, at every place where they might have costs of their own."""
        trees = query_class.as_decision_trees()
        if trees is None:
            return False
        return tree_cells(trees.dimension, trees.depth, trees.labels) << trees.depth <= 16 * MOST_TREE_CELLS

    def solve(self, problem: WeightedProblem) -> Answer:
        """The first minimiser in the order of the class."""
        trees = problem.query_class.as_decision_trees()
        if trees is None or not self.supports(trees):
            raise CapacityError("the search serves decision trees whose nodes are not too many")
        weights = np.stack([np.maximum(problem.weights, 0), np.maximum(-problem.weights, 0)], axis=1)
        groups = [min(label, 1) for label in range(trees.labels)]
        labels, tests = _costs(trees, problem.part_costs)
        soon = tree_cells(trees.dimension, trees.depth, 1) // PERFECT_SHARE
        least, options = best_tree(problem.packed, weights, trees.depth, trees.decided, groups, labels, tests, soon)
        certificate = Certificate(Trust.PROVED, "every tree was valued, or none can have fewer errors")
        query = Query(problem.query_class, _parts(trees, options))
        return Solution(query, problem.constant - int(weights[:, 1].sum()) + least, certificate)


def _parts(trees: DecisionTrees, options: list[int]) -> tuple[int, ...]:
    """One part for each place; -1 stands for the last option, nothing."""
    ends = pairwise(trees.starts)
    return tuple(end - 1 if option < 0 else start + option for option, (start, end) in zip(options, ends, strict=True))


def _costs(trees: DecisionTrees, part_costs: NDArray[np.int64]) -> tuple[Costs, Costs]:
    """Costs by level and from left to right; a leaf pays for the nothing at all places below it."""
    if not np.any(part_costs):
        return [], []
    nothing = [int(part_costs[end - 1]) for end in trees.starts[1:]]
    labels: Costs = [[] for _ in range(trees.depth + 1)]
    tests: Costs = [[] for _ in range(trees.depth)]
    for place, level in _by_level(trees.depth):
        start, left = trees.starts[place], trees.depth - level
        below = sum(nothing[place + 1 : place + (2 << left) - 1])
        labels[level] += [int(cost) + below for cost in part_costs[start : start + trees.labels]]
        if left:
            tests[level] += part_costs[start + trees.labels : start + trees.labels + trees.dimension].tolist()
    return labels, tests


def _by_level(depth: int, place: int = 0, level: int = 0) -> Iterator[tuple[int, int]]:
    """All places in preorder with their levels: on each level that is from left to right."""
    yield place, level
    if level < depth:
        yield from _by_level(depth, place + 1, level + 1)
        yield from _by_level(depth, place + (1 << (depth - level)), level + 1)
