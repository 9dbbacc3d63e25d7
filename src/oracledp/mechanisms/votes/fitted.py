"""Votes of models: an estimator of scikit-learn is fitted to every part, and a function turns it into an answer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.tables import Parts
from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.mechanisms.votes.ballots import Counts
from oracledp.oracles.heuristics import round_halfspace

SCALES = (1.0, 0.5, 2.0)  # of the steepest slope, in units of the heaviest weight

Matrix = NDArray[np.uint8]


@dataclass(frozen=True)
class Fitted:
    """What ``vote(answers=…)`` takes: ``turn(model)`` is the part's answer, or a list of answers.

    ``label`` is the column to predict, the last one as in every class of rules; the others are the features.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rows = np.repeat(np.array([[0, 1, 0], [1, 0, 1]], dtype=np.uint8), 20, axis=0)
    >>> most_telling = Fitted(DecisionTreeClassifier(max_depth=1, random_state=0), lambda tree: tree.tree_.feature[0])
    >>> int(most_telling(rows, np.ones(40, dtype=np.int64))) in (0, 1)
    True
    """

    estimator: Any
    turn: Callable[..., Hashable | list[Any]]
    label: int = -1

    def __call__(self, records: Matrix, counts: Counts) -> Hashable | list[Any]:
        """The answer of a fresh copy of the estimator, fitted to these rows alone."""
        model = optional("sklearn.base", extra="solvers").clone(self.estimator)
        features, labels = np.delete(records, self.label, axis=1), records[:, self.label]
        fitted = model.fit(features, labels)
        return self.turn(fitted, features, labels) if isinstance(self.turn, RoundedPoints) else self.turn(fitted)


@dataclass(frozen=True)
class RoundedPoints:
    """Turns a linear model into points of a class of halfspaces, or of their losses: at several scales, best first.

    Few of a model's many weights are kept, and its threshold does not fit those: where the part's rows are there, the
    threshold is chosen anew on them.
    """

    queries: QueryClass

    def __post_init__(self) -> None:
        if self.queries.without_target()[0].as_halfspaces() is None:
            raise ParameterError("RoundedPoints needs a class of halfspaces")

    def __call__(self, model: Any, features: Matrix | None = None, labels: Matrix | None = None) -> list[Parts]:
        """The nearest queries, those with the fewest errors on the rows first."""
        halfspaces = self.queries.without_target()[0].as_halfspaces()
        assert halfspaces is not None
        slope, threshold = model.coef_[0], -float(model.intercept_[0])
        rounded = [round_halfspace(halfspaces, slope, threshold, scale) for scale in SCALES]
        if features is None or labels is None or not halfspaces.free_intercept:
            return list(dict.fromkeys(rounded))
        chosen = [_with_best_threshold(halfspaces, parts, features, labels) for parts in rounded]
        telling = [found for found in chosen if len(found[0]) > 1] or chosen  # no points say the same on all parts
        return list(dict(sorted(telling, key=lambda found: found[1])))


def _with_best_threshold(halfspaces: Halfspaces, parts: Parts, features: Matrix, labels: Matrix) -> tuple[Parts, int]:
    """The same points with the threshold that makes the fewest errors on these rows, and how many it makes."""
    weights = np.zeros(features.shape[1])
    points = parts[:-1]
    for part in points:
        column, value = divmod(part, len(halfspaces.values))
        weights[column] = float(halfspaces.values[value])
    scores = features @ weights
    errors = [int(((scores >= float(t)) != (labels == 1)).sum()) for t in halfspaces.thresholds]
    best = int(np.argmin(errors))
    return (*points, halfspaces.first_threshold + best), errors[best]


@dataclass(frozen=True)
class SameTree:
    """Turns a decision tree of scikit-learn into the same tree of a class of trees, or of their losses.

    A leaf has its more frequent label; a split into leaves of one label is one leaf, so that equal trees are equal.
    """

    queries: QueryClass

    def __post_init__(self) -> None:
        if self.queries.without_target()[0].as_decision_trees() is None:
            raise ParameterError("SameTree needs a class of decision trees")

    def __call__(self, model: Any) -> Parts:
        """The tree as parts."""
        trees, tree = self.queries.without_target()[0].as_decision_trees(), model.tree_
        assert trees is not None

        def read(node: int) -> Any:
            if tree.children_left[node] < 0:
                return int(model.classes_[int(np.argmax(tree.value[node][0]))])
            holds, fails = read(tree.children_right[node]), read(tree.children_left[node])  # left is x <= 1/2
            return holds if holds == fails and isinstance(holds, int) else (int(tree.feature[node]), holds, fails)

        return trees.parts_of_tree(read(0))
