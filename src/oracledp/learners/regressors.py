"""Private regression for a target between public bounds: a tree under pure ε, a card under (ε, δ)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import column_or_1d

from oracledp.classes.decision_trees import MOST_DEPTH, DecisionTrees
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import Exact, exact, positive, probability, whole_or_none
from oracledp.learners.cuts import Bounds, as_numbers
from oracledp.learners.encoding import Encoder, each_alone
from oracledp.learners.estimator import PrivateEstimator
from oracledp.learners.fitting import Fitted, LabelledRows, Prepared
from oracledp.learners.given import row_weights
from oracledp.learners.rule_sets import RuleSet
from oracledp.learners.values import ValueRules
from oracledp.learning.aimed_cards import AimedCards
from oracledp.mechanisms.private_trees import PrivateTrees, usual_depth
from oracledp.mechanisms.value_trees import GRID, LEVELS, LeafMeans, ValueTrees, level_values
from oracledp.oracles.base import Certificate, Trust
from oracledp.privacy.door import Facts, Mechanism
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness

DEPTH = 3  # of trees where none is asked for
LEAF_SHARE = "0.25"


@dataclass(frozen=True)
class FittedValues(Fitted):
    """A card, or a tree with the number that each of its leaves predicts, as shares of the range."""

    leaf_shares: tuple[float, ...] | None = None


@dataclass(frozen=True)
class ValueTreeFitting:
    """A tree of levels, then the means of its leaves: ``epsilon`` covers both (proofs/regression.md)."""

    trees: ValueTrees
    means: LeafMeans
    epsilon: Fraction
    name: str = "value-tree"

    @property
    def guarantee(self) -> Guarantee:
        """Tree and means together."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.means.neighbours, proof="regression")

    def check(self, facts: Facts) -> None:
        """What the tree and the means refuse."""
        self.trees.check(facts.rows_bound)
        self.means.check()

    def run(self, data: LabelledRows, source: Randomness) -> FittedValues:
        """One tree and its leaves; the labels of the rows are values on the grid."""
        trees, values = self.trees.tree.trees, data.labels.astype(np.int64)
        parts = self.trees.run(data.records, values, source)
        levels = np.array([level_values()[label] for _, label in trees.leaves(parts)], dtype=np.int64)
        means = self.means.run(trees.leaf(parts, data.records), values, levels, source)
        certificate = Certificate(Trust.PROVED, self.name)
        return FittedValues((trees.query(*parts),), certificate, leaf_shares=tuple((means / GRID).tolist()))


@dataclass(frozen=True)
class CardFitting:
    """A logistic card for shares of the range (proofs/regression.md)."""

    cards: AimedCards

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return "gradients"

    @property
    def guarantee(self) -> Guarantee:
        """Of count and card together."""
        return self.cards.guarantee

    def check(self, facts: Facts) -> None:
        """What the gradients refuse."""
        self.cards.check(facts.rows_bound)

    def run(self, data: LabelledRows, source: Randomness) -> FittedValues:
        """One card."""
        found = self.cards.run(data.records, data.labels.astype(np.int64), GRID, data.weights, source)
        return FittedValues(found.queries, found.certificate, found.logit)


class PrivateRegressor(PrivateEstimator, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The common part: a target between ``target_bounds``, read on a grid of a thousand steps."""

    rules_kind: ClassVar[type[RuleSet]] = ValueRules
    target_bounds: tuple[Any, Any]
    subsample = None
    classes = None

    def _range(self) -> tuple[Fraction, Fraction]:
        try:
            low, high = (exact(bound, "target_bounds") for bound in self.target_bounds)
        except (TypeError, ValueError):
            raise ParameterError("target_bounds must be two numbers (low, high)") from None
        if low >= high:
            raise ParameterError("target_bounds must be two numbers (low, high) with low < high")
        return low, high

    def prepare(self, X: Any, y: Any, part: Fraction = Fraction(1), *, sample_weight: Any = None) -> Prepared:
        """All of a fit that comes before the charge; the result holds private rows."""
        low, high = self._range()
        encoder, records, asked = self._encode_training(X, y)
        rows = row_weights(sample_weight, len(records), self.max_sample_weight)
        data = LabelledRows(records, _on_grid(asked.labels, len(records), low, high), rows.of_rows, rows.heaviest)
        public = len(data) if Neighbours.parse(self.neighbours) is Neighbours.REPLACE_ONE else None
        facts = Facts(public, assumes=(*encoder.assumes, *rows.assumes))
        return Prepared(self._fitting(encoder, data), encoder, np.zeros(0), facts, data)

    def _fitting(self, encoder: Encoder, data: LabelledRows) -> Mechanism[LabelledRows, Fitted]:
        raise NotImplementedError

    def settle(self, ready: Prepared, fitted: Fitted, promised: Guarantee) -> Any:
        """Take what was released for one's own."""
        low, high = map(float, self._range())
        shares = getattr(fitted, "leaf_shares", None)
        leaves = None if shares is None else tuple(low + (high - low) * share for share in shares)
        self.guarantee_, self.certificate_ = promised, fitted.certificate
        shown = (), fitted.queries, ready.encoder, fitted.logit
        self.rules_ = ValueRules(*shown, low=low, high=high, leaf_values=leaves)
        self.rule_ = fitted.queries[0]
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number predicted for each row. Rows passed here are not the training data and cost no budget."""
        rows = self._checked(X)
        return cast(ValueRules, self.rules_).values(rows)


def _on_grid(given: Any, rows: int, low: Fraction, high: Fraction) -> NDArray[np.intp]:
    """Each target by itself as steps from the lower bound; what is no number counts as the middle."""
    values = as_numbers(column_or_1d(each_alone(given), warn=True))
    if len(values) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(values)]}")
    held = np.clip(np.nan_to_num(values, nan=float(low + high) / 2), float(low), float(high))
    return np.clip(np.rint((held - float(low)) * (GRID / float(high - low))), 0, GRID).astype(np.intp)


class TreeRegressor(PrivateRegressor):
    """A tree with a number in each leaf, under pure ε (proofs/regression.md).

    The tree is drawn by the exponential mechanism over all trees of ``depth`` tests on a path (3) whose leaves predict
    one of eight levels, by squared error; ``leaf_share`` of ε (a quarter) then measures the mean of each leaf.

    >>> X = np.tile([[0, 1], [1, 0], [1, 1], [0, 0]], (500, 1)); y = 20 + 40.0 * X[:, 0]
    >>> model = TreeRegressor(epsilon=2, target_bounds=(0, 100), bounds=(0, 1), depth=1).fit(X, y)
    >>> model.guarantee_.robust, bool(abs(model.predict(X) - y).max() < 5)
    (True, True)
    """

    model_kind = "value-tree"

    def __init__(
        self,
        *,
        epsilon: Exact,
        target_bounds: tuple[Any, Any],
        depth: int | None = None,
        leaf_share: Exact = LEAF_SHARE,
        schema: Schema | None = None,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        ledger: Ledger | None = None,
        bounds: Bounds | None = None,
        cuts: int | Mapping[str, int] = 1,
        random_state: Any = None,
        strict: bool = False,
        target: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.target_bounds = target_bounds
        self.depth = depth
        self.leaf_share = leaf_share
        self.schema = schema
        self.neighbours = neighbours
        self.ledger = ledger
        self.bounds = bounds
        self.cuts = cuts
        self.random_state = random_state
        self.strict = strict
        self.target = target

    max_sample_weight = None

    @property
    def guarantee(self) -> Guarantee:
        """What one fit will promise, whatever the rows."""
        relation = Neighbours.parse(self.neighbours)
        own = Guarantee(epsilon=positive(self.epsilon, "epsilon"), neighbours=relation, proof="regression")
        return own.assuming(*self._assumed())

    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, *, person: Any = None, rows_per_person: int | None = None
    ) -> TreeRegressor:
        """Learn from private rows. The whole of ε is charged before anything is sampled."""
        return cast(TreeRegressor, super().fit(X, y, person=person, rows_per_person=rows_per_person))

    def _fitting(self, encoder: Encoder, data: LabelledRows) -> ValueTreeFitting:
        if len(encoder.literals) == 0:
            raise ParameterError("there is no column to learn from")
        relation, epsilon = Neighbours.parse(self.neighbours), positive(self.epsilon, "epsilon")
        share = positive(self.leaf_share, "leaf_share")
        if share >= 1:
            raise ParameterError("leaf_share must be less than 1: the tree needs a share of epsilon too")
        asked = whole_or_none(self.depth, "depth", most=MOST_DEPTH)
        depth = asked or min(DEPTH, usual_depth(len(encoder.literals), LEVELS))
        trees = DecisionTrees(encoder.literals, depth=depth, labels=LEVELS)
        tree = PrivateTrees(trees, epsilon * (1 - share), relation)
        return ValueTreeFitting(ValueTrees(tree), LeafMeans(epsilon * share, relation), epsilon)


class CardRegressor(PrivateRegressor):
    """A scoring card for a bounded number, under (ε, δ): a logistic curve between the bounds (proofs/regression.md).

    Noisy gradients, as for cards of classes, with the target's share of its range in place of a class.

    >>> X = np.tile([[0, 1], [1, 0], [1, 1], [0, 0]], (500, 1)); y = 20 + 40.0 * X[:, 0]
    >>> model = CardRegressor(epsilon=2, delta="1e-6", target_bounds=(0, 100), bounds=(0, 1)).fit(X, y)
    >>> model.guarantee_.robust, bool(abs(model.predict(X) - y).max() < 9)
    (True, True)
    """

    model_kind = "value-card"

    def __init__(
        self,
        *,
        epsilon: Exact,
        delta: Exact,
        target_bounds: tuple[Any, Any],
        schema: Schema | None = None,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        ledger: Ledger | None = None,
        bounds: Bounds | None = None,
        cuts: int | Mapping[str, int] = 1,
        rows: int | None = None,
        random_state: Any = None,
        strict: bool = False,
        target: str | None = None,
        max_sample_weight: Exact | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.target_bounds = target_bounds
        self.schema = schema
        self.neighbours = neighbours
        self.ledger = ledger
        self.bounds = bounds
        self.cuts = cuts
        self.rows = rows
        self.random_state = random_state
        self.strict = strict
        self.target = target
        self.max_sample_weight = max_sample_weight

    @property
    def guarantee(self) -> Guarantee:
        """What one fit will promise, whatever the rows."""
        return Guarantee(
            epsilon=positive(self.epsilon, "epsilon"),
            delta=probability(self.delta, "delta"),
            neighbours=Neighbours.parse(self.neighbours),
            proof="regression",
        ).assuming(*self._assumed())

    def _fitting(self, encoder: Encoder, data: LabelledRows) -> CardFitting:
        relation, given = Neighbours.parse(self.neighbours), whole_or_none(self.rows, "rows", most=MOST_ROWS)
        public = max(1, len(data)) if given is None and relation is Neighbours.REPLACE_ONE else given
        return CardFitting(
            AimedCards(
                encoder.literals,
                encoder.blocks,
                positive(self.epsilon, "epsilon"),
                probability(self.delta, "delta"),
                relation,
                public,
                data.heaviest,
            )
        )
