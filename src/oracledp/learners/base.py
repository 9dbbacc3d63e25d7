"""What all estimators share: parameters, fitting once per class, predicting, printing, saving."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d, validate_data

from oracledp.data.schema import Schema
from oracledp.data.table.table import VALUES_IN_SCHEMA
from oracledp.errors import DataError, ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import MOST_SEED, Exact, positive, whole, whole_or_none
from oracledp.learners.encoding import CutEncoder, Encoder, SchemaEncoder, as_given, feature_schema, plain
from oracledp.learners.fitting import UNKNOWN, Fitted, Fitting, Prepared, problems
from oracledp.learners.lineage import Lineage
from oracledp.learners.rule_sets import RuleSet
from oracledp.learning import Learner, promise, rule_learner, whole_weights
from oracledp.mechanisms.subsampling import inner_epsilon, sampled_share
from oracledp.oracles.base import Oracle
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness, SeededRandomness, SystemRandomness

AS_THEY_ARE: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}  # no value of a row is refused
CLASSES_READ = "the set of labels in y is public (declare it with classes=)"


class NotPrivateWarning(UserWarning):
    """A figure was computed from rows as they are: it is not differentially private."""


class PrivateClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The common part of the estimators. Parameters are public; only ``X`` and ``y`` of ``fit`` are private.

    epsilon: the privacy parameter of one ``fit``, exact (``"0.1"``, a Fraction, a number). There is no default.
    schema: what the columns may hold; needed for texts, categories and missing values.
    bounds, cuts: without a schema, every column is a number that is compared with ``cuts`` even thresholds
        between ``bounds``; values outside are as good as clipped, and what is no number is as good as the lower bound.
        Never read from the data.
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
    random_state: an integer makes a fit repeatable and **not private**; for tests and demonstrations.
    """

    model_kind: ClassVar[str]

    def __init__(
        self,
        *,
        epsilon: Exact,
        schema: Schema | None = None,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        oracle: str | Oracle = "auto",
        size: int | None = None,
        mechanism: str | None = None,
        ledger: Ledger | None = None,
        classes: Any = None,
        class_weight: Mapping[Any, Any] | None = None,
        bounds: tuple[Any, Any] = (0, 1),
        cuts: int = 1,
        rows: int | None = None,
        subsample: Exact | None = None,
        random_state: Any = None,
        strict: bool = False,
    ) -> None:
        self.epsilon = epsilon
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

    @property
    def guarantee(self) -> Guarantee:
        """What one fit will promise, whatever the rows; ``guarantee_`` is what the last one did."""
        promised = promise(
            self._model(),
            epsilon=positive(self.epsilon, "epsilon"),
            neighbours=Neighbours.parse(self.neighbours),
            rows=self.rows,
            size=self.size,
            mechanism=self.mechanism,
        )
        read = () if self.classes is not None else (CLASSES_READ,)
        return promised.assuming(*read, *((VALUES_IN_SCHEMA,) if self.strict and self.schema is not None else ()))

    # ---- fitting ---------------------------------------------------------------------------------
    def fit(self, X: Any, y: Any) -> PrivateClassifier:
        """Learn from private rows. The whole of ε is charged before anything is sampled.

        A fit that is refused or stopped leaves the estimator as it was.
        """
        before = dict(vars(self))
        try:
            return self._fit(X, y)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(self, X: Any, y: Any) -> PrivateClassifier:
        ready = self.prepare(X, y)
        released = release(ready.fitting, ready.data, ready.facts, ledger=self.ledger, source=self.source())
        lineage: Lineage | None = getattr(self, "_lineage", None)
        promised = released.guarantee if lineage is None else lineage.after(released.guarantee, self.ledger)
        return self.settle(ready, released.result, promised)

    def prepare(self, X: Any, y: Any, part: Fraction = Fraction(1)) -> Prepared:
        """All of a fit that comes before the charge, to be carried out on ``part`` of the rows.

        The result holds private rows: it is for a mechanism, not for the eye.
        """
        relation = Neighbours.parse(self.neighbours)
        encoder, records = self._encode_training(X, y)
        classes, labels = self._labels(y, len(records))
        share, weights = self._share(len(records)), self._weights(classes)
        learner = self._learner(encoder, len(records), share, weights, part)
        fitting = Fitting(learner, encoder.literals, positive(self.epsilon, "epsilon"), weights, share)
        read = () if self.classes is not None else (CLASSES_READ,)
        rows = len(records) if relation is Neighbours.REPLACE_ONE else None
        facts = Facts(rows, assumes=(*read, *encoder.assumes))
        return Prepared(fitting, encoder, classes, facts, (records, labels))

    def settle(self, ready: Prepared, fitted: Fitted, promised: Guarantee) -> PrivateClassifier:
        """Take what was released for one's own."""
        self.classes_ = ready.classes
        self.guarantee_: Guarantee = promised
        self.certificate_ = fitted.certificate
        self.rules_ = RuleSet(tuple(ready.classes.tolist()), fitted.queries, ready.encoder)
        self.rule_ = fitted.queries[0] if len(fitted.queries) == 1 else fitted.queries
        return self

    def __sklearn_clone__(self) -> PrivateClassifier:
        """A copy without what was learned; it knows its relatives, so that a search cannot hide what it spent."""
        self._lineage = getattr(self, "_lineage", None) or Lineage()
        copy: PrivateClassifier = super().__sklearn_clone__()
        copy._lineage = self._lineage
        return copy

    def _share(self, rows: int) -> Fraction:
        """The chance of a row to be looked at."""
        if self.subsample is None:
            return Fraction(1)
        return sampled_share(rows, positive(self.subsample, "subsample"), Neighbours.parse(self.neighbours))

    def _encode_training(self, X: Any, y: Any) -> tuple[Encoder, NDArray[np.uint8]]:
        if y is None:
            raise ValueError("This classifier requires y to be passed, but the target y is None.")
        if self.schema is None:
            values = validate_data(self, X=as_given(X), **AS_THEY_ARE, **self._fewest())
            names = tuple(getattr(self, "feature_names_in_", [f"x{i}" for i in range(values.shape[1])]))
            encoder: Encoder = CutEncoder.evenly(names, self.bounds, self.cuts)
            return encoder, encoder.encode(values)
        encoder = SchemaEncoder(feature_schema(self.schema, X, getattr(y, "name", None)), self.strict)
        self.n_features_in_ = len(encoder.schema.names)
        return encoder, encoder.encode(X)

    def _fewest(self) -> dict[str, int]:
        """Under add/remove-one a table without rows is as good as any other, and must not be told apart."""
        return {} if Neighbours.parse(self.neighbours) is Neighbours.REPLACE_ONE else {"ensure_min_samples": 0}

    def _labels(self, y: Any, rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """The classes, and the number of each row's; a label that is not among declared classes has none."""
        labels = column_or_1d(plain(y), warn=True)
        if len(labels) != rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(labels)]}")
        if self.classes is None:
            check_classification_targets(labels)
            classes = unique_labels(labels)
        else:
            classes = np.unique(np.asarray(self.classes))
            if len(classes) == 0:
                raise ParameterError("classes must name at least one label")
        place = {label: number for number, label in enumerate(classes.tolist())}
        return classes, np.array([place.get(label, UNKNOWN) for label in labels.tolist()], dtype=np.intp)

    def _learner(
        self, encoder: Encoder, rows: int, share: Fraction, weights: tuple[int, ...], part: Fraction
    ) -> Learner:
        relation = Neighbours.parse(self.neighbours)
        given = whole_or_none(self.rows, "rows", most=MOST_ROWS)
        public = given if given is not None or relation is not Neighbours.REPLACE_ONE else rows
        return rule_learner(
            self._model(),
            encoder.literals,
            rows=None if public is None else max(1, int(public * share * part)),
            epsilon=inner_epsilon(positive(self.epsilon, "epsilon"), share),
            problems=problems(len(weights)),
            neighbours=relation,
            size=self.size,
            mechanism=self.mechanism,
            oracle=self.oracle,
            blocks=encoder.blocks,
            rows_bound=relation.public_rows(rows),
            unit=max(weights),
        )

    def _model(self) -> str:
        return self.model_kind

    def source(self) -> Randomness:
        """Where the noise comes from: the operating system, unless ``random_state`` is given."""
        if self.random_state is None:
            return SystemRandomness()
        if isinstance(self.random_state, Randomness):
            return self.random_state
        if isinstance(self.random_state, int | np.integer):
            return SeededRandomness(whole(self.random_state, "random_state", least=0, most=MOST_SEED))
        raise ParameterError("random_state must be None, or an integer for a fit that is not private")

    def _weights(self, classes: NDArray[Any]) -> tuple[int, ...]:
        """The class weights as integers on one scale."""
        if self.class_weight is None:
            return (1,) * len(classes)
        if not isinstance(self.class_weight, Mapping):
            raise ParameterError("class_weight must be a dictionary: weights read off the data would not be private")
        given = [positive(self.class_weight.get(label, 1), "class_weight") for label in classes.tolist()]
        return whole_weights(given)

    # ---- using -----------------------------------------------------------------------------------
    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted label of each row. Rows passed here are not the training data and cost no budget."""
        rows = self._checked(X)
        return np.asarray(self.classes_[self.rules_.predict(rows)])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Each row's distance from a card's threshold, or ±1 for a rule: read off the released rule, so it is free."""
        rows = self._checked(X)
        return self.rules_.margins(rows)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "rules_")
        return self._values(X, self.rules_.encoder) if isinstance(self.rules_.encoder, CutEncoder) else X

    def _values(self, X: Any, encoder: CutEncoder) -> NDArray[Any]:
        """The rows as an array; a loaded model knows its columns by number only."""
        if hasattr(self, "n_features_in_"):
            return np.asarray(validate_data(self, X=as_given(X), reset=False, **AS_THEY_ARE))
        values = np.asarray(check_array(as_given(X), **AS_THEY_ARE))
        if values.shape[1] != len(encoder.names):
            raise DataError(f"the model was fitted on {len(encoder.names)} columns")
        return values

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on these rows, read as they are: warns, since the figure is not private."""
        warnings.warn("score reads the rows as they are: the figure is not private", NotPrivateWarning, stacklevel=2)
        return float(super().score(X, plain(y), sample_weight))

    def get_rules(self) -> Any:
        """The rule as a pandas frame: one row per literal, list entry or weight."""
        from oracledp.extras import optional

        check_is_fitted(self, "rules_")
        columns = ["class", "order", "condition", "value"]
        return optional("pandas", extra="frames").DataFrame(self.rules_.rules(), columns=columns)

    def __str__(self) -> str:
        return f"{self.rules_}\n{self.guarantee_}" if hasattr(self, "rules_") else repr(self)

    def save(self, path: Any) -> None:
        """Write the fitted model as JSON: rules, schema and guarantee, nothing of the training rows."""
        from oracledp.learners.saving import save_model

        save_model(self, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = True  # a missing number is as good as one below every cut
        tags.input_tags.string = True  # and so is a text that says no number
        return tags
