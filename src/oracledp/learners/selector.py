"""One private choice among several estimators: trained on some rows, compared on the others, one charge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact, positive
from oracledp.learners.base import PrivateClassifier
from oracledp.learners.encoding import Encoder
from oracledp.learners.fitting import Fitted, LabelledRows
from oracledp.learners.persons import Persons, bounded
from oracledp.learners.rule_sets import RuleSet
from oracledp.mechanisms.subsampling import random_rows
from oracledp.privacy.door import Facts, Mechanism, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.persons import refuse_counted_persons, row_delta, row_epsilon
from oracledp.randomness.choice import permute_and_flip_choice
from oracledp.randomness.source import Randomness

TRAINING = Fraction(2, 3)  # of the rows; the others compare
NOT_SEARCHED = {"epsilon", "delta", "neighbours", "ledger", "classes", "random_state", "strict", "subsample", "target"}


@dataclass(frozen=True)
class Candidate:
    """One estimator's calibrated fit, and what turns its queries into predictions."""

    fitting: Mechanism[LabelledRows, Fitted]
    encoder: Encoder
    classes: tuple[Any, ...]

    def errors(self, fitted: Fitted, data: LabelledRows) -> int:
        """How many of these rows it predicts wrongly; private."""
        rules = RuleSet(self.classes, fitted.queries, self.encoder, fitted.logit, fitted.band_shares, fitted.clip)
        return int(np.count_nonzero(rules.predict_records(data.records) != data.labels))


@dataclass(frozen=True)
class Selecting:
    """K fits at ε/K each on a random part of the rows, then permute-and-flip at ε on their errors on the rest.

    A record is in one of the two parts, so the whole costs ε (proofs/private-choice.md).
    """

    candidates: tuple[Candidate, ...]
    guarantee: Guarantee
    name: str = "private-selector"

    def check(self, facts: Facts) -> None:
        """What every candidate checks."""
        for candidate in self.candidates:
            candidate.fitting.check(facts)

    def run(self, data: Sequence[LabelledRows], source: Randomness) -> tuple[int, Fitted]:
        """The number of the chosen candidate, and what it learned. ``data`` holds each candidate's view of the rows."""
        rows, neighbours = len(data[0]), self.guarantee.neighbours
        inside = np.zeros(rows, dtype=bool)
        inside[random_rows(rows, TRAINING, neighbours, source)] = True
        fitted, errors = [], []
        for candidate, view in zip(self.candidates, data, strict=True):
            fitted.append(candidate.fitting.run(view.only(inside), source))
            errors.append(candidate.errors(fitted[-1], view.only(~inside)))
        rate = self.guarantee.epsilon / neighbours.comparison_sensitivity
        index = permute_and_flip_choice(np.array(errors, dtype=np.int64), rate, source)
        return index, fitted[index]


class PrivateSelector(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fits several private classifiers and keeps one, chosen privately: what ``GridSearchCV`` cannot do.

    ``candidates`` are estimators of this module with any parameters; their ``epsilon``, ``neighbours`` and ``ledger``
    give way to those of the selector, which speaks of add/remove-one unless told otherwise. The whole costs ε and is
    charged once (proofs/private-choice.md).

    >>> from oracledp.learners import ConjunctionClassifier, DisjunctionClassifier
    >>> X = np.tile([[0, 1], [1, 0], [1, 1], [0, 0]], (500, 1)); y = X[:, 0] | X[:, 1]
    >>> options = [ConjunctionClassifier(epsilon=1), DisjunctionClassifier(epsilon=1)]
    >>> chosen = PrivateSelector(options, epsilon=5, classes=[0, 1]).fit(X, y)
    >>> chosen.best_index_, str(chosen.guarantee_.epsilon)
    (1, '5')
    """

    def __init__(
        self,
        candidates: Sequence[PrivateClassifier],
        *,
        epsilon: Exact,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        classes: Any = None,
        ledger: Ledger | None = None,
        random_state: Any = None,
    ) -> None:
        self.candidates = candidates
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.classes = classes
        self.ledger = ledger
        self.random_state = random_state

    @property
    def guarantee(self) -> Guarantee:
        """What one fit will promise, whatever the rows; ``guarantee_`` is what the last one did."""
        promises = [candidate.guarantee for candidate in self._made()]
        return _whole(promises, positive(self.epsilon, "epsilon"))

    def fit(self, X: Any, y: Any = None, *, person: Any = None, rows_per_person: int | None = None) -> PrivateSelector:
        """Train and choose; the whole of ε is charged before anything is sampled. Persons as for any estimator."""
        given = bounded(self._made()[0], X, y, None, Persons(person, rows_per_person))
        refuse_counted_persons(Neighbours.parse(self.neighbours), given.unit)
        epsilon, made = row_epsilon(self.epsilon, given.unit), self._made(given.unit)
        prepared = [one.prepare(given.X, given.y, TRAINING) for one in made]
        candidates = tuple(Candidate(p.fitting, p.encoder, tuple(p.classes.tolist())) for p in prepared)
        whole = Selecting(candidates, _whole([candidate.fitting.guarantee for candidate in candidates], epsilon))
        claims = dict.fromkeys(claim for p in prepared for claim in p.facts.assumes)
        facts, source = replace(prepared[0].facts, assumes=tuple(claims), unit=given.unit), made[0].source()
        released = release(whole, [p.data for p in prepared], facts, ledger=self.ledger, source=source)
        index, fitted = released.result
        self.best_index_ = index
        self.best_estimator_ = made[index].settle(prepared[index], fitted, released.guarantee)
        self.classes_ = self.best_estimator_.classes_
        self.guarantee_ = released.guarantee
        return self

    def _made(self, unit: Unit = ROWS) -> list[PrivateClassifier]:
        """The candidates with the selector's own parameters, each at its share of ε."""
        if not self.candidates or not all(isinstance(one, PrivateClassifier) for one in self.candidates):
            raise ParameterError("candidates must be estimators of oracledp.learners, at least one")
        share = row_epsilon(self.epsilon, unit)
        return [self._prepared(one, share / len(self.candidates), share, unit) for one in self.candidates]

    def _prepared(
        self, candidate: PrivateClassifier, epsilon: Fraction, whole: Fraction, unit: Unit
    ) -> PrivateClassifier:
        parameters = {**candidate.get_params(deep=False), "epsilon": epsilon, "neighbours": self.neighbours}
        if parameters.get("delta") is not None:
            parameters["delta"] = row_delta(parameters["delta"], whole, unit)
        parameters |= {"classes": self.classes, "ledger": None, "random_state": self.random_state}
        return type(candidate)(**parameters)

    def predict(self, X: Any) -> NDArray[Any]:
        """The chosen estimator's predictions."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    @available_if(lambda self: hasattr(getattr(self, "best_estimator_", None), "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chosen estimator's probabilities, where it has them."""
        return np.asarray(self.best_estimator_.predict_proba(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The chosen estimator's scores."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(X)

    def save(self, path: Any) -> None:
        """Write the chosen estimator with the guarantee of the whole choice."""
        check_is_fitted(self, "best_estimator_")
        self.best_estimator_.save(path)

    def __str__(self) -> str:
        return str(self.best_estimator_) if hasattr(self, "best_estimator_") else repr(self)


class PrivateGridSearch(PrivateSelector):
    """One estimator under every combination of some parameters, of which one is kept: ``GridSearchCV`` made private.

    The same mechanism and the same single charge as :class:`PrivateSelector`, which divides ε by the number of
    combinations: keep grids small. Parameters that privacy hangs on cannot be searched over.

    >>> from oracledp.learners import DecisionListClassifier
    >>> X = np.tile([[0, 1], [1, 0], [1, 1], [0, 0]], (500, 1)); y = X[:, 0] | X[:, 1]
    >>> search = PrivateGridSearch(DecisionListClassifier(epsilon=1, bounds=(0, 1)), {"size": [1, 2]}, epsilon=5)
    >>> sorted(search.set_params(classes=[0, 1]).fit(X, y).best_params_)
    ['size']
    """

    def __init__(
        self,
        estimator: PrivateClassifier,
        param_grid: Mapping[str, Sequence[Any]],
        *,
        epsilon: Exact,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        classes: Any = None,
        ledger: Ledger | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.classes = classes
        self.ledger = ledger
        self.random_state = random_state

    @property
    def candidates(self) -> list[PrivateClassifier]:  # type: ignore[override]
        """One copy of the estimator for each combination, in the order of scikit-learn's ``ParameterGrid``."""
        if not isinstance(self.estimator, PrivateClassifier):
            raise ParameterError("estimator must be one of oracledp.learners")
        known = self.estimator.get_params(deep=False)
        for name in self.param_grid:
            if name not in known or name in NOT_SEARCHED:
                raise ParameterError(f"param_grid cannot search over {name!r} of {type(self.estimator).__name__}")
        return [type(self.estimator)(**{**known, **more}) for more in ParameterGrid(dict(self.param_grid))]

    def fit(
        self, X: Any, y: Any = None, *, person: Any = None, rows_per_person: int | None = None
    ) -> PrivateGridSearch:
        """Train every combination and choose; the whole of ε is charged before anything is sampled."""
        super().fit(X, y, person=person, rows_per_person=rows_per_person)
        self.best_params_: dict[str, Any] = list(ParameterGrid(dict(self.param_grid)))[self.best_index_]
        return self


def _whole(promises: Sequence[Guarantee], epsilon: Fraction) -> Guarantee:
    """What the fits and the choice promise together; it stands on what each fit stands on."""
    claims = dict.fromkeys(claim for promise in promises for claim in promise.assumes)
    delta, neighbours = sum((promise.delta for promise in promises), Fraction(0)), promises[0].neighbours
    return Guarantee(epsilon=epsilon, delta=delta, neighbours=neighbours, proof="private-choice").assuming(*claims)
