"""What all classifiers share: parameters, fitting once per class, predicting, probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import column_or_1d

from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS, MOST_UNIT
from oracledp.exact.numbers import Exact, positive, probability, whole_or_none
from oracledp.learners.chances import SHARE as BAND_SHARE
from oracledp.learners.chances import BandCounts
from oracledp.learners.cuts import Bounds
from oracledp.learners.encoding import Encoder, each_alone, plain
from oracledp.learners.estimator import PrivateEstimator
from oracledp.learners.fitting import Counting, Fitted, Fitting, LabelledRows, Prepared, number_of_class, problems
from oracledp.learners.given import CLASSES_READ, row_weights
from oracledp.learners.rule_sets import RuleSet
from oracledp.learning import Learner, brings_odds, promise, rule_learner, whole_weights
from oracledp.mechanisms.subsampling import inner_epsilon
from oracledp.oracles.base import Oracle
from oracledp.privacy.door import Facts, Mechanism
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger


def _has_chances(model: Any) -> bool:
    """Whether the fitted rules tell probabilities; before a fit, whether they will."""
    if hasattr(model, "rules_"):
        return model.rules_.logit is not None or model.rules_.band_shares is not None
    return bool(model.probabilities or model._brings_odds(model._declared()))


@dataclass(frozen=True, eq=False)
class Given:
    """Labelled rows in the terms of a classifier: **private** but for encoder, classes, weights and assumptions."""

    encoder: Encoder
    classes: NDArray[Any]
    weights: tuple[int, ...]
    data: LabelledRows
    assumes: tuple[str, ...]


class PrivateClassifier(PrivateEstimator, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The common part of the estimators. Parameters are public; only ``X`` and ``y`` of ``fit`` are private.

    epsilon: the privacy parameter of one ``fit``, exact (``"0.1"``, a Fraction, a number). There is no default.
    delta: a second privacy parameter, where a mechanism can use it: a scoring card is then learned by noisy gradients
        (proofs/gradient-cards.md), all classes at once. Without it every guarantee is pure.
    schema: what the columns may hold; needed for texts, categories and missing values.
    bounds, cuts: without a schema, every column is a number that is compared with ``cuts`` even thresholds
        between ``bounds``: one pair, a dictionary by column, or one pair per column. Values outside are as good as
        clipped, and what is no number is as good as the lower bound. Never read from the data. Without bounds columns
        must hold truth values; others are refused, and the guarantee says so.
    target: the column of the frame ``X`` that is to be predicted, or a literal of the schema such as ``"age >= 40"``,
        instead of ``y``.
    max_sample_weight: the largest ``sample_weight`` that a row may have. Where it is absent it is read off the weights,
        and the guarantee says so.
    classes: the labels that may occur. Where absent they are read off ``y``, and the guarantee says so.
    class_weight: a dictionary of public weights per label. Ratios of integers up to 1000 are kept exactly, others
        are rounded to such.
    neighbours: which tables cannot be told apart: those with one record more or less (``"add-remove"``, the default),
        or with one record replaced (``"replace-one"``: twice the noise, and the number of rows is public).
    oracle, size, mechanism, ledger: as in the rest of the library.
    rows: about how many rows there are, if that may be known. Under add/remove-one their number is private, and where
        settings follow it a fiftieth of epsilon measures it (proofs/row-count.md).
    subsample: the share of the rows that is looked at, chosen at random and kept secret; what is learned there may
        then spend more than ε (proofs/subsampling.md). For classes too large to search on all rows.
    strict: refuse rows that the schema does not know instead of settling them by its rule (docs/schema.md). A refusal
        tells about the data, and the guarantee says so.
    probabilities: spend a tenth of ε on ``predict_proba``, by counting the classes in bands of the score
        (proofs/band-counts.md). A logistic card (``delta=``) tells probabilities without it.
    random_state: an integer makes a fit repeatable and **not private**; for tests and demonstrations.
    """

    model_kind: ClassVar[str]
    rules_kind: ClassVar[type[RuleSet]] = RuleSet

    def __init__(
        self,
        *,
        epsilon: Exact,
        delta: Exact | None = None,
        schema: Schema | None = None,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        oracle: str | Oracle = "auto",
        size: int | None = None,
        mechanism: str | None = None,
        ledger: Ledger | None = None,
        classes: Any = None,
        class_weight: Mapping[Any, Any] | None = None,
        bounds: Bounds | None = None,
        cuts: int | Mapping[str, int] = 1,
        rows: int | None = None,
        subsample: Exact | None = None,
        random_state: Any = None,
        strict: bool = False,
        probabilities: bool = False,
        target: str | None = None,
        max_sample_weight: Exact | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.schema = schema
        self.neighbours = neighbours
        self.oracle = oracle
        self.size = size
        self.mechanism = mechanism
        self.ledger = ledger
        self.classes = classes
        self.class_weight = class_weight
        self.bounds = bounds
        self.cuts = cuts
        self.rows = rows
        self.subsample = subsample
        self.random_state = random_state
        self.strict = strict
        self.probabilities = probabilities
        self.target = target
        self.max_sample_weight = max_sample_weight

    @property
    def guarantee(self) -> Guarantee:
        """What one fit will promise, whatever the rows; ``guarantee_`` is what the last one did."""
        promised = promise(
            self._model(),
            epsilon=positive(self.epsilon, "epsilon"),
            neighbours=Neighbours.parse(self.neighbours),
            problems=problems(self._declared()),
            rows=self.rows,
            size=self.size,
            mechanism=self.mechanism,
            delta=self._delta(),
        )
        if self._counted_share(self._declared()):
            promised = replace(promised, proof="band-counts")
        read = () if self.classes is not None else (CLASSES_READ,)
        return promised.assuming(*read, *self._assumed())

    # ---- fitting ---------------------------------------------------------------------------------
    def prepare(self, X: Any, y: Any, part: Fraction = Fraction(1), *, sample_weight: Any = None) -> Prepared:
        """All of a fit that comes before the charge, to be carried out on ``part`` of the rows.

        The result holds private rows: it is for a mechanism, not for the eye.
        """
        given = self._given(X, y, sample_weight)
        public = len(given.data) if Neighbours.parse(self.neighbours) is Neighbours.REPLACE_ONE else None
        facts = Facts(public, assumes=given.assumes)
        return Prepared(self._fitting(given, part), given.encoder, given.classes, facts, given.data)

    def _given(self, X: Any, y: Any, sample_weight: Any) -> Given:
        encoder, records, asked = self._encode_training(X, y)
        declared = self.classes if self.classes is not None else asked.classes
        classes, labels = _labels(asked.labels, len(records), declared)
        rows = row_weights(sample_weight, len(records), self.max_sample_weight)
        weights = self._weights(classes, MOST_UNIT // rows.heaviest)
        read = () if declared is not None else (CLASSES_READ,)
        data = LabelledRows(records, labels, rows.of_rows, rows.heaviest)
        return Given(encoder, classes, weights, data, (*read, *encoder.assumes, *rows.assumes))

    def _fitting(self, given: Given, part: Fraction) -> Mechanism[LabelledRows, Fitted]:
        share, heaviest = self._share(ceil(part * len(given.data))), given.data.heaviest
        learner = self._learner(given, share, part)
        counting = self._counting(given.encoder, given.classes, share)
        epsilon = positive(self.epsilon, "epsilon")
        return Fitting(learner, given.encoder.literals, epsilon, given.weights, share, counting, heaviest)

    def settle(self, ready: Prepared, fitted: Fitted, promised: Guarantee) -> PrivateClassifier:
        """Take what was released for one's own."""
        self.classes_ = ready.classes
        self.guarantee_: Guarantee = promised
        self.certificate_ = fitted.certificate
        self.rules_ = RuleSet(
            tuple(ready.classes.tolist()), fitted.queries, ready.encoder, fitted.logit, fitted.band_shares, fitted.clip
        )
        self.rule_ = fitted.queries[0] if len(fitted.queries) == 1 else fitted.queries
        return self

    def _learner(self, given: Given, share: Fraction, part: Fraction) -> Learner:
        relation, rows, encoder = Neighbours.parse(self.neighbours), len(given.data), given.encoder
        known = whole_or_none(self.rows, "rows", most=MOST_ROWS)
        public = known if known is not None or relation is not Neighbours.REPLACE_ONE else rows
        return rule_learner(
            self._model(),
            encoder.literals,
            rows=None if public is None else max(1, int(public * share * part)),
            epsilon=inner_epsilon(positive(self.epsilon, "epsilon"), share)
            * (1 - self._counted_share(len(given.classes))),
            problems=problems(len(given.weights)),
            neighbours=relation,
            size=self.size,
            mechanism=self.mechanism,
            oracle=self.oracle,
            blocks=encoder.blocks,
            rows_bound=relation.public_rows(rows),
            unit=max(given.weights) * given.data.heaviest,
            delta=self._delta(),
        )

    def _declared(self) -> int:
        """How many classes were declared; two where that is left to the rows."""
        return 2 if self.classes is None else len(np.unique(np.asarray(self.classes)))

    def _brings_odds(self, classes: int) -> bool:
        return brings_odds(self._model(), self.mechanism, self._delta(), problems(classes))

    def _counted_share(self, classes: int) -> Fraction:
        """The part of ε that counts classes in bands: none where nobody asks, or where a card brings its log odds."""
        return BAND_SHARE if self.probabilities and not self._brings_odds(classes) else Fraction(0)

    def _counting(self, encoder: Encoder, classes: NDArray[Any], share: Fraction) -> Counting | None:
        part = self._counted_share(len(classes))
        if part == 0:
            return None
        epsilon = inner_epsilon(positive(self.epsilon, "epsilon"), share) * part
        counts = BandCounts(epsilon, Neighbours.parse(self.neighbours))
        return Counting(counts, encoder, tuple(classes.tolist()))

    def _delta(self) -> Fraction | None:
        """δ as a fraction; a secret sample is accounted for in pure ε only."""
        if self.delta is None:
            return None
        if self.subsample is not None:
            raise ParameterError("subsample cannot be combined with delta: leave one of them out")
        return probability(self.delta, "delta")

    def _model(self) -> str:
        return self.model_kind

    def _weights(self, classes: NDArray[Any], most: int) -> tuple[int, ...]:
        """The class weights as integers of at most ``most``."""
        if self.class_weight is None:
            return (1,) * len(classes)
        if not isinstance(self.class_weight, Mapping):
            raise ParameterError("class_weight must be a dictionary: weights read off the data would not be private")
        given = [positive(self.class_weight.get(label, 1), "class_weight") for label in classes.tolist()]
        return whole_weights(given, most)

    # ---- using -----------------------------------------------------------------------------------
    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted label of each row. Rows passed here are not the training data and cost no budget."""
        rows = self._checked(X)
        return np.asarray(self.classes_[self.rules_.predict(rows)])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Each row's distance from a card's threshold, or ±1 for a rule: read off the released rule, so it is free."""
        rows = self._checked(X)
        return self.rules_.margins(rows)

    @available_if(_has_chances)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class: read off a logistic card, or counted with noise in bands of the score.

        A card has them with ``delta=``, everything else with ``probabilities=True``. To ask for them costs nothing.
        """
        return self.rules_.chances(self._checked(X))


def _labels(given: Any, rows: int, declared: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes, and the number of each row's; a label that is not among declared classes has none."""
    labels = column_or_1d(plain(given) if declared is None else each_alone(given), warn=True)
    if len(labels) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(labels)]}")
    if declared is None:
        check_classification_targets(labels)
        classes = unique_labels(labels)
    else:
        classes = np.unique(np.asarray(declared))
        if len(classes) == 0:
            raise ParameterError("classes must name at least one label")
    place = {label: number for number, label in enumerate(classes.tolist())}
    return classes, np.array([number_of_class(label, place) for label in labels.tolist()], dtype=np.intp)
