"""Two linked tables under person-level privacy: `LinkedSynthesizer` (proofs/linked-tables.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oracledp.data.output.conditions import Conditions
from oracledp.data.output.frames import FrameShape
from oracledp.data.schema import Integer, Schema
from oracledp.data.table.linked import MOST_CHILDREN, WHOLE, LinkedSchema, LinkedTable
from oracledp.data.table.unit import Unit
from oracledp.errors import ModelError, ParameterError
from oracledp.exact.capacity import DOUBLES, refuse_overflow
from oracledp.exact.numbers import MOST_SAMPLED, MOST_SEED, Exact, positive, probability, show, whole, whole_or_none
from oracledp.privacy.door import Facts, release
from oracledp.privacy.gaussian_accounting import GaussianBudget, gaussian_budget
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness, public_generator
from oracledp.synthesis.chosen_fit import Progress, fit_mixture, silent
from oracledp.synthesis.drawing import record_count
from oracledp.synthesis.linked_model import LinkedModel
from oracledp.synthesis.measurements import Meter
from oracledp.synthesis.measuring import Measured, measure
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.synthesizer import records_of, refuse_large

if TYPE_CHECKING:
    from oracledp.privacy.ledger import Ledger

_FOR_PARENTS = Fraction(1, 2)  # of the budget
_ORDER = 3  # marginals of up to so many columns are counted
Fitted = tuple[Measured, Mixture]


class LinkedSynthesizer:
    """Private synthetic versions of two tables: one row per person, and many rows (*children*) per person.

    (ε, δ)-DP under adding or removing one *person*: the row of the first table and all rows of the second with one
    value of the column ``person``. Robust. Of each person at most ``rows_per_person`` children are kept, by a fixed
    choice. Parents are measured with their numbers of children, and children beside their parents, where those of one
    person weigh as much as one record: the noise is that of one row per person however many are kept.

    >>> import pandas
    >>> from oracledp.randomness.source import SeededRandomness
    >>> people = pandas.DataFrame({"id": range(300), "smoker": [True, False, False] * 100})
    >>> visits = pandas.DataFrame({"id": [0, 0, 3, 4, 9] * 20, "urgent": [True, False] * 50})
    >>> schemas = Schema({"smoker": "boolean"}), Schema({"urgent": "boolean"})
    >>> linked = LinkedSynthesizer(*schemas, epsilon=1, delta="1e-6", rows_per_person=3)
    >>> linked = linked.fit(people, visits, person="id", source=SeededRandomness(1))
    >>> made, made_visits = linked.sample(50, seed=0)
    >>> made.columns.tolist(), made_visits.columns.tolist(), bool(made_visits["id"].isin(made["id"]).all())
    (['id', 'smoker'], ['id', 'urgent'], True)
    """

    def __init__(
        self,
        schema: Schema,
        children_schema: Schema,
        *,
        epsilon: Exact,
        delta: Exact,
        rows_per_person: int,
        ledger: Ledger | None = None,
        rows: int | None = None,
    ) -> None:
        self.schema = schema
        self.children_schema = children_schema
        self.epsilon = positive(epsilon, "epsilon")
        self.delta = probability(delta, "delta")
        self.rows_per_person = whole(rows_per_person, "rows_per_person", most=MOST_CHILDREN)
        self.ledger = ledger
        self.rows = whole_or_none(rows, "rows", most=MOST_SAMPLED)

    def linked(self, person: str) -> LinkedSchema:
        """All that is public of the tables, given the column of ids: what :class:`LinkedTable` reads them by."""
        return LinkedSchema.of(self.schema, self.children_schema, person, self.rows_per_person)

    def fit(
        self,
        parents: Any,
        children: Any = None,
        *,
        person: str | None = None,
        source: Randomness | None = None,
        progress: Progress = silent,
    ) -> LinkedSynthesizer:
        """Measure two frames, linked by the column ``person``, or a :class:`LinkedTable`, and fit both models.

        Rows without an id, children without a parent, and all but one of several parents with one id are left out.
        """
        table = self._read(parents, children, person)
        schema = table.schema
        shapes = _shapes(schema, None if parents is table else (parents, children))
        budget = gaussian_budget(self.epsilon, self.delta)
        promise = Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            neighbours=Neighbours.ADD_REMOVE,
            proof="linked-tables",
            rho=budget.rho,
        )
        facts = Facts(None, schema.counted, table.assumes, Unit(schema.unit.person, 1))
        measuring = LinkedMeasuring(promise, budget, len(schema.joined.columns), progress)
        released = release(measuring, table, facts, ledger=self.ledger, source=source)
        models = [
            _model(own, released.guarantee, fitted)
            for own, fitted in zip((schema.counted, schema.joined), released.result, strict=True)
        ]
        self.shapes_ = shapes
        self.model_ = LinkedModel(schema, *models)
        return self

    def _read(self, parents: Any, children: Any, person: str | None) -> LinkedTable:
        if not isinstance(parents, LinkedTable):
            if person is None:
                raise ParameterError("person must be the name of the column that links both tables")
            return LinkedTable.from_frames(parents, children, self.linked(person))
        if children is not None or person is not None:
            raise ParameterError("linked tables are joined where they are read: LinkedTable.from_…")
        if parents.schema != self.linked(parents.schema.unit.person or ""):
            raise ParameterError("the tables were encoded with other schemas, or another number of rows per person")
        return parents

    @property
    def guarantee_(self) -> Guarantee:
        """What the fit promised each person, seeded or not."""
        return self._model().guarantee

    def sample(
        self, n: int | None = None, *, seed: int | None = None, where: Conditions | None = None
    ) -> tuple[Any, Any]:
        """Synthetic parents and their children, as frames of the kind that was fitted.

        ``n`` is the number of parents, by default a noisy number of persons (of those that meet ``where``, if given).
        ``where`` lists what every parent meets, such as ``["age >= 40", "number of rows >= 1"]``; their children follow
        from them. Ids are 1 to ``n``; every child has its parent's. Post-processing: costs no budget.
        """
        count = self.sample_size(n, where=where)
        return next(self.sample_parts(count, seed=seed, where=where, most=count))

    def sample_size(self, n: int | None = None, *, where: Conditions | None = None) -> int:
        """How many parents :meth:`sample` draws: as asked, else as many as the model says there are.

        Conditions that no parent meets are refused here, however many are asked for.
        """
        asked = whole_or_none(n, "n", most=MOST_SAMPLED)
        model, rows = self._model(), self.rows if asked is None else asked
        believed = record_count(model.parents, model.conditions(where))
        return believed if rows is None else rows

    def sample_parts(
        self, n: int | None = None, *, seed: int | None = None, where: Conditions | None = None, most: int = 100_000
    ) -> Iterator[tuple[Any, Any]]:
        """The same in parts of at most ``most`` parents with their children, each drawn when it is asked for."""
        generator = np.random.default_rng(whole_or_none(seed, "seed", least=0, most=MOST_SEED))
        left, size = self.sample_size(n, where=where), whole(most, "most", most=MOST_SAMPLED)
        known = self._model().conditions(where)
        return (self._drawn(done, min(size, left - done), known, generator) for done in range(0, left, size))

    def _drawn(
        self, done: int, count: int, where: Conditions | None, generator: np.random.Generator
    ) -> tuple[Any, Any]:
        model = self._model()
        parents, owners, children = model.draw(count, generator, where)
        ids = np.arange(done + 1, done + count + 1)
        tables = ((self.schema, parents, ids), (self.children_schema, children, ids[owners]))
        one, other = (
            shape.build({**schema.decode(rows.codes.astype(schema.code_dtype), rows.places), self._key: keys})
            for shape, (schema, rows, keys) in zip(self.shapes_, tables, strict=True)
        )
        return one, other

    @property
    def _key(self) -> str:
        return self._model().schema.unit.person or ""

    def quality(self, parents: Any, children: Any = None, *, seed: int = 0) -> Any:
        """Synthetic beside real tables: each by itself, numbers of children, parents against children.

        **INTERNAL – NOT PRIVATE**: every figure is exact about the two frames, or the :class:`LinkedTable`.
        """
        # by name: what makes synthetic rows knows of no report, and must not
        found = import_module("oracledp.report.linked_quality")
        schema = self._model().schema
        real = parents if isinstance(parents, LinkedTable) else LinkedTable.from_frames(parents, children, schema)
        return found.linked_quality(real, self, seed=seed)

    def save(self, path: str | Path) -> None:
        """Write the released model as JSON; it holds nothing but what was released."""
        self._model().save(path)

    @classmethod
    def load(cls, path: str | Path) -> LinkedSynthesizer:
        """A fitted synthesizer from a saved model; it samples pandas frames."""
        return cls.of_model(LinkedModel.load(path))

    @classmethod
    def of_model(cls, model: LinkedModel) -> LinkedSynthesizer:
        """A fitted synthesizer from a released model."""
        promise, schema = model.guarantee, model.schema
        loaded = cls(
            schema.parents, schema.children, epsilon=promise.epsilon, delta=promise.delta, rows_per_person=schema.most
        )
        loaded.model_, loaded.shapes_ = model, _shapes(schema, None)
        return loaded

    def in_plain_rows(self) -> LinkedSynthesizer:
        """The same, sampling rows without any frame library, which commands write."""
        key, schemas = self._key, (self.schema, self.children_schema)
        self.shapes_ = tuple(_keyed(FrameShape.plain(schema), key) for schema in schemas)
        return self

    def __repr__(self) -> str:
        names = f"{', '.join(self.schema.names)}; {', '.join(self.children_schema.names)}"
        return f"LinkedSynthesizer({names}; epsilon={show(self.epsilon)}, delta={show(self.delta)})"

    def _model(self) -> LinkedModel:
        model: LinkedModel | None = getattr(self, "model_", None)
        if model is None:
            raise ModelError("this synthesizer is not fitted: call fit first")
        return model


@dataclass(frozen=True)
class LinkedMeasuring:
    """Measuring parents, then children, each within its part of one budget (proofs/linked-tables.md)."""

    guarantee: Guarantee
    budget: GaussianBudget
    columns: int  # of both tables, which are fitted as one
    progress: Progress = silent
    name: str = "linked-synthesizer"

    def check(self, facts: Facts) -> None:
        """Refuse sums beyond exact doubles, and more columns than a fit has room for."""
        refuse_large(facts, self.columns)
        refuse_overflow(rows_bound=facts.rows_bound, unit=WHOLE, limit=DOUBLES)

    def run(self, table: LinkedTable, source: Randomness) -> tuple[Fitted, Fitted]:
        """Measure and fit the parents, then the children: each fit sees what was released alone."""
        generator = public_generator(source)
        first, second = shares(self.budget)

        def fitted(meter: Meter, done: int) -> Fitted:
            measured = measure(meter, _ORDER)
            return measured, fit_mixture(measured, meter.records.in_order, generator, half(self.progress, done))

        one = fitted(Meter(records_of(table.parents), first, Neighbours.ADD_REMOVE, source), 0)
        weighed = Meter(records_of(table.children), second, Neighbours.ADD_REMOVE, source, reach=WHOLE)
        return one, fitted(weighed, 1)


def shares(budget: GaussianBudget) -> tuple[GaussianBudget, GaussianBudget]:
    """A budget in two: what both spend together, and how far their noise lies from continuous noise, is the whole's.

    >>> one, other = shares(GaussianBudget(Fraction(1), Fraction(1, 10)))
    >>> one.rho + other.rho, one.apart + other.apart
    (Fraction(1, 1), Fraction(1, 10))
    """
    one, other = (
        replace(budget, rho=budget.rho * part, apart=None if budget.apart is None else budget.apart * part)
        for part in (_FOR_PARENTS, 1 - _FOR_PARENTS)
    )
    return one, other


def half(progress: Progress, done: int) -> Progress:
    """The progress of one of two fits as that of both."""
    return lambda step, total: progress(step + done * total, 2 * total)


def _model(schema: Schema, promise: Guarantee, fitted: Fitted) -> SyntheticModel:
    found, mixture = fitted
    return SyntheticModel(
        schema, promise, found.total, found.marginals, mixture, found.tables, found.features, found.parities
    )


def _shapes(schema: LinkedSchema, frames: tuple[Any, Any] | None) -> tuple[FrameShape, ...]:
    """What both tables come in: the libraries and orders of the frames, with the ids, which are whole numbers."""
    key, schemas = schema.unit.person or "", (schema.parents, schema.children)
    if frames is None:
        return tuple(_keyed(FrameShape.default(own), key) for own in schemas)
    return tuple(_keyed(FrameShape.of(frame, own), key) for frame, own in zip(frames, schemas, strict=True))


def _keyed(shape: FrameShape, key: str) -> FrameShape:
    """With the ids in front."""
    return replace(shape, columns=(Integer(name=key, lo=0, hi=1), *shape.columns))  # its type is all that counts
