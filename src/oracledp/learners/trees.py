"""Private decision trees for two classes or more, with class counts in the leaves if they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from oracledp.classes.decision_trees import MOST_DEPTH, DecisionTrees
from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact, positive, whole_or_none
from oracledp.learners.base import Given, PrivateClassifier
from oracledp.learners.cuts import Bounds
from oracledp.learners.fitting import Fitted, LabelledRows, Prepared
from oracledp.learners.given import CLASSES_READ
from oracledp.learners.tree_rules import TreeRules
from oracledp.mechanisms.leaf_counts import LeafCounts
from oracledp.mechanisms.private_trees import PrivateTrees, usual_depth
from oracledp.mechanisms.subsampling import inner_epsilon, random_rows
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class FittedTree(Fitted):
    """A tree, and the noisy number of rows of each class in each of its leaves where that was paid for."""

    leaf_counts: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class TreeFitting:
    """One tree for all classes at once, then perhaps the counts of its leaves: ``epsilon`` covers both.

    proofs/private-trees.md; with ``share`` below one the rows are a secret sample (proofs/subsampling.md).
    """

    tree: PrivateTrees
    leaves: LeafCounts | None
    epsilon: Fraction
    weights: tuple[int, ...]
    share: Fraction = Fraction(1)
    heaviest: int = 1
    name: str = "private-tree"

    @property
    def unit(self) -> int:
        """No row weighs more."""
        return max(self.weights) * self.heaviest

    @property
    def guarantee(self) -> Guarantee:
        """Tree and counts together."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.tree.neighbours, proof="private-trees")

    def check(self, facts: Facts) -> None:
        """What the tree and the counts refuse."""
        self.tree.check(facts.rows_bound, self.unit)
        if self.leaves is not None:
            self.leaves.check()

    def run(self, data: LabelledRows, source: Randomness) -> FittedTree:
        """One tree; where there is one class there is nothing to learn."""
        if self.share < 1:
            data = data.only(random_rows(len(data), self.share, self.tree.neighbours, source))
        data = data.known()
        if len(self.weights) < 2:
            return FittedTree((), None)
        parts = self._tree(data, source)
        counts = None if self.leaves is None else self._counted(self.leaves, parts, data, source)
        certificate = Certificate(Trust.PROVED, self.tree.name)
        return FittedTree((self.tree.trees.query(*parts),), certificate, leaf_counts=counts)

    def _tree(self, data: LabelledRows, source: Randomness) -> Parts:
        packed, own = PackedRecords.of(data.records), 1 if data.weights is None else data.weights
        equal = packed.equal()
        columns = [equal.totals(np.where(data.labels == c, weight * own, 0)) for c, weight in enumerate(self.weights)]
        return self.tree.run(packed[equal.first()], np.stack(columns, axis=1), source, unit=self.unit)

    def _counted(self, counts: LeafCounts, parts: Parts, data: LabelledRows, source: Randomness) -> NDArray[np.int64]:
        trees = self.tree.trees
        leaves = len(trees.leaves(parts))
        return counts.run(trees.leaf(parts, data.records), data.labels, leaves, len(self.weights), source)


class TreeClassifier(PrivateClassifier):
    """A decision tree for any number of classes: the exponential mechanism over all trees (proofs/private-trees.md).

    ``depth`` is the greatest number of tests on a path; by default 4, or what so many literals and classes bear. With
    more than two classes ε is not divided. ``leaf_share`` of ε, if it is given, counts the rows of each class in each
    leaf, with noise: ``predict_proba`` tells their shares.

    >>> X = np.tile([[0, 1], [1, 0], [1, 1], [0, 0]], (500, 1)); y = 2 * X[:, 0] + X[:, 1]
    >>> model = TreeClassifier(epsilon=2, bounds=(0, 1), classes=[0, 1, 2, 3], depth=2).fit(X, y)
    >>> model.guarantee_.robust, bool((model.predict(X) == y).all())
    (True, True)
    """

    model_kind = "tree"
    rules_kind = TreeRules

    def __init__(
        self,
        *,
        epsilon: Exact,
        depth: int | None = None,
        leaf_share: Exact | None = None,
        schema: Schema | None = None,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        ledger: Ledger | None = None,
        classes: Any = None,
        class_weight: Mapping[Any, Any] | None = None,
        bounds: Bounds | None = None,
        cuts: int | Mapping[str, int] = 1,
        subsample: Exact | None = None,
        random_state: Any = None,
        strict: bool = False,
        target: str | None = None,
        max_sample_weight: Exact | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.depth = depth
        self.leaf_share = leaf_share
        self.schema = schema
        self.neighbours = neighbours
        self.ledger = ledger
        self.classes = classes
        self.class_weight = class_weight
        self.bounds = bounds
        self.cuts = cuts
        self.subsample = subsample
        self.random_state = random_state
        self.strict = strict
        self.target = target
        self.max_sample_weight = max_sample_weight

    def plot(self, ax: Any = None) -> Any:
        """The fitted tree as a picture, which notebooks show and ``.save("tree.svg")`` writes: free of charge.

        With ``ax``, a bar for each leaf is drawn there instead, as other rules are.

        >>> X = np.tile([[0, 1], [1, 0]], (500, 1))
        >>> model = TreeClassifier(epsilon=2, classes=[0, 1], depth=1).fit(X, X[:, 0])
        >>> model.plot().svg[:4]
        '<svg'
        """
        check_is_fitted(self, "rules_")
        return cast(TreeRules, self.rules_).drawing() if ax is None else super().plot(ax)

    @property
    def guarantee(self) -> Guarantee:
        """What one fit will promise, whatever the rows."""
        relation = Neighbours.parse(self.neighbours)
        own = Guarantee(epsilon=positive(self.epsilon, "epsilon"), neighbours=relation, proof="private-trees")
        read = () if self.classes is not None else (CLASSES_READ,)
        return own.assuming(*read, *self._assumed())

    def _fitting(self, given: Given, part: Fraction) -> TreeFitting:
        """``part`` changes nothing, since no setting follows the rows."""
        literals, weights, share = given.encoder.literals, given.weights, self._share(len(given.data))
        if len(literals) == 0:
            raise ParameterError("there is no column to learn from")
        relation, epsilon = Neighbours.parse(self.neighbours), positive(self.epsilon, "epsilon")
        spent = inner_epsilon(epsilon, share)
        for_leaves = spent * self._leaf_share()
        depth = whole_or_none(self.depth, "depth", most=MOST_DEPTH) or usual_depth(len(literals), len(weights))
        trees = DecisionTrees(literals, depth=depth, labels=len(weights))
        counts = LeafCounts(for_leaves, relation) if for_leaves else None
        tree = PrivateTrees(trees, spent - for_leaves, relation)
        return TreeFitting(tree, counts, epsilon, weights, share, given.data.heaviest)

    def _leaf_share(self) -> Fraction:
        if self.leaf_share is None:
            return Fraction(0)
        share = positive(self.leaf_share, "leaf_share")
        if share >= 1:
            raise ParameterError("leaf_share must be less than 1: the tree needs a share of epsilon too")
        return share

    def settle(self, ready: Prepared, fitted: Fitted, promised: Guarantee) -> TreeClassifier:
        """Take what was released for one's own."""
        super().settle(ready, fitted, promised)
        counts = getattr(fitted, "leaf_counts", None)
        held = None if counts is None else tuple(tuple(row) for row in counts.tolist())
        self.rules_ = TreeRules(self.rules_.classes, self.rules_.queries, self.rules_.encoder, leaf_counts=held)
        return self

    @available_if(lambda self: _has_counts(self))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Each class's share in the leaf of each row, from the noisy counts that ``leaf_share`` paid for."""
        rows = self._checked(X)
        return cast(TreeRules, self.rules_).shares(rows)


def _has_counts(model: TreeClassifier) -> bool:
    rules = getattr(model, "rules_", None)
    return rules.leaf_counts is not None if rules is not None else model.leaf_share is not None
