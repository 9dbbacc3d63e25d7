"""What every estimator shares, whatever it learns: one charge per fit, rows read by public definitions, copies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from oracledp.data.schema import Schema
from oracledp.data.table.table import VALUES_IN_SCHEMA
from oracledp.data.table.unit import Unit
from oracledp.errors import DataError, ParameterError
from oracledp.exact.numbers import MOST_SEED, Exact, positive, whole
from oracledp.learners.cuts import TRUTH_VALUES, Bounds, CutEncoder, TruthEncoder
from oracledp.learners.encoding import Encoder, SchemaEncoder, as_given
from oracledp.learners.fitting import Prepared
from oracledp.learners.given import Question, columns_of, names_of, question
from oracledp.learners.lineage import Lineage
from oracledp.learners.persons import Persons, bounded
from oracledp.learners.showing import Shown
from oracledp.mechanisms.subsampling import sampled_share
from oracledp.privacy.door import release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.persons import refuse_counted_persons, row_delta, row_epsilon
from oracledp.randomness.source import Randomness, SeededRandomness, SystemRandomness

AS_THEY_ARE: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}  # no value of a row is refused


class PrivateEstimator(Shown):
    """A fit through the one door, and rows in any form. Parameters are public; what ``fit`` is given is private."""

    epsilon: Exact
    schema: Schema | None
    neighbours: Neighbours | str
    ledger: Ledger | None
    bounds: Bounds | None
    cuts: Any
    subsample: Exact | None
    random_state: Any
    strict: bool
    target: str | None
    max_sample_weight: Exact | None

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        person: Any = None,
        rows_per_person: int | None = None,
    ) -> Any:
        """Learn from private rows. The whole of ε is charged before anything is sampled.

        ``sample_weight`` belongs to the rows and is as private as they are; ``max_sample_weight`` bounds it. ``person``
        names the column of ``X`` that tells persons apart, or holds an id for each row: at most ``rows_per_person``
        rows (one by default) of each are learned from, and the guarantee speaks of persons (proofs/persons.md). A fit
        that is refused or stopped leaves the estimator as it was.
        """
        before = dict(vars(self))
        try:
            return self._fit(X, y, sample_weight, Persons(person, rows_per_person))
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    @property
    def person_(self) -> str | None:
        """The column that told persons apart in the last fit, or in the one that was saved; None if rows count."""
        return self.guarantee_.unit.person

    def _fit(self, X: Any, y: Any, sample_weight: Any, persons: Persons) -> Any:
        given = bounded(self, X, y, sample_weight, persons)
        refuse_counted_persons(Neighbours.parse(self.neighbours), given.unit)
        with self._per_row(given.unit):
            ready = self.prepare(given.X, given.y, sample_weight=given.sample_weight)
        facts = replace(ready.facts, unit=given.unit)
        released = release(ready.fitting, ready.data, facts, ledger=self.ledger, source=self.source())
        lineage: Lineage | None = getattr(self, "_lineage", None)
        promised = released.guarantee if lineage is None else lineage.after(released.guarantee, self.ledger)
        return self.settle(ready, released.result, promised)

    @contextmanager
    def _per_row(self, unit: Unit) -> Iterator[None]:
        """The share of ε and δ that a row has of its person's, for as long as a mechanism is calibrated to it."""
        own = {name: getattr(self, name) for name in ("epsilon", "delta") if hasattr(self, name)}
        share = row_epsilon(self.epsilon, unit)
        try:
            if unit.rows > 1:
                self.epsilon = share
                if own.get("delta") is not None:
                    self.delta: Any = row_delta(own["delta"], share, unit)
            yield
        finally:
            vars(self).update(own)

    def prepare(self, X: Any, y: Any, part: Fraction = Fraction(1), *, sample_weight: Any = None) -> Prepared:
        """All of a fit that comes before the charge, to be carried out on ``part`` of the rows."""
        raise NotImplementedError

    def settle(self, ready: Prepared, fitted: Any, promised: Guarantee) -> Any:
        """Take what was released for one's own."""
        raise NotImplementedError

    def __sklearn_clone__(self) -> Any:
        """A copy without what was learned; it knows its relatives, so that a search cannot hide what it spent."""
        self._lineage = getattr(self, "_lineage", None) or Lineage()
        copy = super().__sklearn_clone__()  # type: ignore[misc]
        copy._lineage = self._lineage
        return copy

    def source(self) -> Randomness:
        """Where the noise comes from: the operating system, unless ``random_state`` is given."""
        if self.random_state is None:
            return SystemRandomness()
        if isinstance(self.random_state, Randomness):
            return self.random_state
        if isinstance(self.random_state, int | np.integer):
            return SeededRandomness(whole(self.random_state, "random_state", least=0, most=MOST_SEED))
        raise ParameterError("random_state must be None, or an integer for a fit that is not private")

    def _assumed(self) -> tuple[str, ...]:
        """What a guarantee takes for granted about rows whose kinds nobody declared, or that may be refused."""
        if self.schema is not None:
            return (VALUES_IN_SCHEMA,) if self.strict else ()
        return (TRUTH_VALUES,) if self.bounds is None else ()

    def _share(self, rows: int) -> Fraction:
        """The chance of a row to be looked at."""
        if self.subsample is None:
            return Fraction(1)
        return sampled_share(rows, positive(self.subsample, "subsample"), Neighbours.parse(self.neighbours))

    def _encode_training(self, X: Any, y: Any) -> tuple[Encoder, NDArray[np.uint8], Question]:
        asked = question(X, y, self.schema, self.target)
        if asked.schema is None:
            values = validate_data(self, X=as_given(asked.rows), **AS_THEY_ARE, **self._fewest())
            names = tuple(getattr(self, "feature_names_in_", [f"x{i}" for i in range(values.shape[1])]))
            encoder: Encoder = CutEncoder.evenly(names, (0, 1) if self.bounds is None else self.bounds, self.cuts)
            if self.bounds is None and len(encoder.literals) > len(names):
                raise ParameterError("cuts need bounds: say between which numbers they lie")
            if self.bounds is None:
                encoder = TruthEncoder.checked(names, values)
            return encoder, encoder.encode(values), asked
        encoder = SchemaEncoder(asked.schema, self.strict)
        self.n_features_in_ = len(encoder.schema.names)
        self.feature_names_in_ = np.array(encoder.schema.names, dtype=object)
        return encoder, encoder.encode(asked.rows), asked

    def _fewest(self) -> dict[str, int]:
        """Under add/remove-one a table without rows is as good as any other, and must not be told apart."""
        return {} if Neighbours.parse(self.neighbours) is Neighbours.REPLACE_ONE else {"ensure_min_samples": 0}

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "rules_")
        return self._values(X, self.rules_.encoder) if isinstance(self.rules_.encoder, CutEncoder) else X

    def _values(self, X: Any, encoder: CutEncoder) -> NDArray[Any]:
        """The rows as an array, without target and ids; a loaded model knows its columns by number only."""
        others = {self.target, self.person_} & set(names_of(X))
        if others and set(encoder.names) <= set(names_of(X)):
            X = columns_of(X, encoder.names)
        if hasattr(self, "n_features_in_"):
            return np.asarray(validate_data(self, X=as_given(X), reset=False, **AS_THEY_ARE))
        values = np.asarray(check_array(as_given(X), **AS_THEY_ARE))
        if values.shape[1] != len(encoder.names):
            raise DataError(f"the model was fitted on {len(encoder.names)} columns")
        return values
