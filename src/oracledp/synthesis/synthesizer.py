"""The accurate default: `Synthesizer` measures a table once, fits a mixture and hands out synthetic rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oracledp.data.output.conditions import Conditions
from oracledp.data.output.frames import FrameShape
from oracledp.data.schema import Categorical, Ordered, Schema
from oracledp.data.table import Table
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import ModelError, ParameterError
from oracledp.exact.capacity import DOUBLES, refuse_overflow
from oracledp.exact.numbers import MOST_SAMPLED, MOST_SEED, Exact, positive, probability, show, whole, whole_or_none
from oracledp.privacy.accounting import zcdp_rho
from oracledp.privacy.door import Facts, release
from oracledp.privacy.gaussian_accounting import GaussianBudget, gaussian_budget
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_delta, row_epsilon
from oracledp.randomness.source import Randomness, public_generator
from oracledp.showing import html_text
from oracledp.synthesis.answers import Answer, answer_conjunction
from oracledp.synthesis.chosen_fit import Progress, fit_mixture, silent
from oracledp.synthesis.drawing import draw_records, record_count
from oracledp.synthesis.grouped import GroupTable, group_table
from oracledp.synthesis.measurements import LATTICE, Meter, Records
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.program import measure_workload
from oracledp.synthesis.workload import DEFAULT, Workload

if TYPE_CHECKING:
    from oracledp.privacy.ledger import Ledger

_MOST_COLUMNS = 500  # a fit of them takes some gigabytes


class Synthesizer:
    """Private synthetic data by measuring: exact discrete Gaussian noise on one-, two- and three-way counts.

    (ε, δ)-DP, robust: no oracle is involved (proofs/measured-synthesis.md), under add/remove-one unless ``neighbours``
    says replace-one. What
    is measured and how the model is fitted follows by rule from the schema, the budget and the noisy number of
    records. ``fit`` charges the ledger, if one is given, before any noise is drawn; fitting again charges again.

    ``workload`` says what should be accurate: a name (``"marginals:3"``, ``"conjunctions:5"``, ``"disjunctions:4"``,
    ``"parities:4"``, ``"halfspaces"``, ``"ranges"``), a query class, a query or its conditions, a list of any of
    these, or a mapping from them to weights (docs/synthesis.md).

    >>> import pandas
    >>> from oracledp.randomness.source import SeededRandomness
    >>> schema = Schema({"columns": {"smoker": {"kind": "boolean"}, "age": {"kind": "integer", "lo": 20, "hi": 29}}})
    >>> frame = pandas.DataFrame({"smoker": [True, False] * 300, "age": [20, 25, 29] * 200})
    >>> synthesizer = Synthesizer(schema, epsilon=1, delta="1e-6").fit(frame, source=SeededRandomness(1))
    >>> synthesizer.sample(4, seed=0).columns.tolist()
    ['smoker', 'age']
    """

    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Exact,
        delta: Exact,
        neighbours: Neighbours | str = Neighbours.DEFAULT,
        workload: Any = DEFAULT,
        ledger: Ledger | None = None,
        rows: int | None = None,
    ) -> None:
        self.schema = schema
        self.epsilon = positive(epsilon, "epsilon")
        self.delta = probability(delta, "delta")
        self.neighbours = Neighbours.parse(neighbours)
        self.workload = workload
        self._parsed = Workload.parse(workload, schema)
        self.ledger = ledger
        self.rows = whole_or_none(rows, "rows", most=MOST_SAMPLED)

    @property
    def guarantee(self) -> Guarantee:
        """What one call of :meth:`fit` promises; its curve is the zCDP that is shared out among the measurements."""
        return self._promise(ROWS)

    def _promise(self, unit: Unit) -> Guarantee:
        """What is promised per row, so that each unit of a table has the whole budget."""
        epsilon = row_epsilon(self.epsilon, unit)
        delta = row_delta(self.delta, epsilon, unit)
        return Guarantee(
            epsilon=epsilon,
            delta=delta,
            neighbours=self.neighbours,
            proof="measured-synthesis",
            rho=self._budget(epsilon, delta).rho,
        )

    def _budget(self, epsilon: Fraction, delta: Fraction) -> GaussianBudget:
        """Exactly composed where there is Gaussian noise alone; selections are composed as zCDP."""
        if self._parsed.classes:
            return GaussianBudget(zcdp_rho(epsilon, delta))
        return gaussian_budget(epsilon, delta)

    def fit(
        self,
        data: Any,
        *,
        person: str | None = None,
        rows_per_person: int | None = None,
        source: Randomness | None = None,
        progress: Progress = silent,
    ) -> Synthesizer:
        """Measure a table or frame and fit the model; ``progress(done, total)`` is called as the fit advances.

        ``person`` names the column of a frame that tells persons apart (proofs/persons.md).
        """
        table = Table.of(data, self.schema, person=person, rows_per_person=rows_per_person)
        promised = self._promise(table.unit)
        budget = self._budget(promised.epsilon, promised.delta)
        measuring = Measuring(promised, budget, self._parsed, self.schema, progress)
        facts = Facts.of(table, self.neighbours)
        shape = FrameShape.default(self.schema) if isinstance(data, Table) else FrameShape.of(data, self.schema)
        released = release(measuring, table, facts, ledger=self.ledger, source=source)
        return self.adopt(*released.result, released.guarantee, shape)

    def adopt(self, measured: Measured, mixture: Mixture, guarantee: Guarantee, shape: FrameShape) -> Synthesizer:
        """Take on what was released under a guarantee, as :meth:`fit` does in the end."""
        self.shape_ = shape
        self.model_ = SyntheticModel(
            self.schema,
            guarantee,
            measured.total,
            measured.marginals,
            mixture,
            measured.tables,
            measured.features,
            measured.parities,
            measured.queries,
        )
        return self

    @property
    def guarantee_(self) -> Guarantee:
        """What the fit promised, seeded or not."""
        return self._model().guarantee

    def sample(self, n: int | None = None, *, seed: int | None = None, where: Conditions | None = None) -> Any:
        """Synthetic rows as a frame of the kind that was fitted.

        ``n`` defaults to the noisy number of records (of those that meet ``where``, if given). ``where`` is what every
        row meets, such as ``"age > 40 and not smoker"``, or a list of such texts. Post-processing: costs no budget.
        """
        generator = np.random.default_rng(whole_or_none(seed, "seed", least=0, most=MOST_SEED))
        return self._drawn(self.sample_size(n, where=where), where, generator)

    def sample_size(self, n: int | None = None, *, where: Conditions | None = None) -> int:
        """How many rows :meth:`sample` draws: as asked, else as many as the model says there are."""
        asked = whole_or_none(n, "n", most=MOST_SAMPLED)
        rows = self.rows if asked is None else asked
        return record_count(self._model(), where) if rows is None else rows

    def sample_parts(
        self, n: int | None = None, *, seed: int | None = None, where: Conditions | None = None, most: int = 1_000_000
    ) -> Iterator[Any]:
        """The rows of :meth:`sample` in frames of at most ``most`` rows, each drawn when it is asked for.

        Memory holds one part, whatever ``n`` is. Every part follows the model by itself.
        """
        generator = np.random.default_rng(whole_or_none(seed, "seed", least=0, most=MOST_SEED))
        left, size = self.sample_size(n, where=where), whole(most, "most", most=MOST_SAMPLED)
        return (self._drawn(min(size, left - done), where, generator) for done in range(0, left, size))

    def _drawn(self, rows: int, where: Conditions | None, generator: np.random.Generator) -> Any:
        made = draw_records(self._model(), rows, where, generator)
        return self.shape_.build(self.schema.decode(made.codes.astype(self.schema.code_dtype), made.places))

    def answer(self, query: Conditions, *, confidence: Exact = 0.95) -> Answer:
        """The share of records that meet all conditions, with an interval from the measurements."""
        return answer_conjunction(self._model(), query, confidence)

    def answer_by(
        self, *by: str, where: Conditions = (), confidence: Exact = 0.95, together: bool = False
    ) -> GroupTable:
        """The share of records in every combination of the columns' groups, each with an interval.

        Groups are the values of a column or the stretches between its thresholds. With ``together`` all intervals
        hold at once with this confidence.
        """
        return group_table(self._model(), by, where, confidence, together=together)

    def quality(self, real: Any, *, target: str | None = None, seed: int = 0) -> Any:
        """Synthetic beside real rows: values, correlations, groups, models trained on either, nearest neighbours.

        **INTERNAL – NOT PRIVATE**: every figure is exact about ``real``, a frame or table. ``target`` names the column
        that models predict. Printing shows a summary; ``to_json`` has all of it.
        """
        # by name: what makes synthetic rows knows of no report, and must not
        found = import_module("oracledp.report.quality")
        self._model()
        return found.quality_of(real, self, target=target, seed=seed)

    def plot(self, *columns: str) -> Any:
        """A figure of one synthetic column, or of a pair; needs the ``plots`` extra."""
        from oracledp.synthesis.showing import plot_model

        return plot_model(self._model(), columns)

    def __repr__(self) -> str:
        fitted = "fitted" if hasattr(self, "model_") else "not fitted"
        names = ", ".join(self.schema.names)
        return f"Synthesizer({names}; epsilon={show(self.epsilon)}, delta={show(self.delta)}, {fitted})"

    def _repr_html_(self) -> str:
        return html_text(repr(self), str(self.guarantee_) if hasattr(self, "model_") else "")

    def save(self, path: str | Path) -> None:
        """Write the released model as JSON; it holds nothing but what was released."""
        self._model().save(path)

    @classmethod
    def load(cls, path: str | Path) -> Synthesizer:
        """A fitted synthesizer from a saved model; it samples pandas frames."""
        model = SyntheticModel.load(path)
        promise = model.guarantee
        loaded = cls(model.schema, epsilon=promise.epsilon, delta=promise.delta, neighbours=promise.neighbours)
        loaded.model_ = model
        loaded.shape_ = FrameShape.default(model.schema)
        return loaded

    def _model(self) -> SyntheticModel:
        model: SyntheticModel | None = getattr(self, "model_", None)
        if model is None:
            raise ModelError("this synthesizer is not fitted: call fit first")
        return model


@dataclass(frozen=True)
class Measuring:
    """Measuring a workload and fitting a mixture to what was released (proofs/measured-synthesis.md)."""

    guarantee: Guarantee
    budget: GaussianBudget
    workload: Workload
    schema: Schema
    progress: Progress = silent
    name: str = "synthesizer"

    def check(self, facts: Facts) -> None:
        """Refuse what is too large; a budget that bears no noise was refused with the guarantee."""
        refuse_large(facts, len(self.schema.columns))

    def run(self, table: Table, source: Randomness) -> tuple[Measured, Mixture]:
        """Measure, then fit: the fit sees what was released alone."""
        promise, records = self.guarantee, records_of(table)
        generator = public_generator(source)
        meter = Meter(records, self.budget, promise.neighbours, source)
        measured = measure_workload(meter, self.workload, self.schema, generator)
        return measured, fit_mixture(measured, records.in_order, generator, self.progress)


def refuse_large(facts: Facts, columns: int) -> None:
    """Refuse what doubles do not sum up exactly, and what a fit has no room for: its memory grows with columns cubed.

    A selection weighs the private rows against public ones, whose number is theirs but for the noise.
    """
    if columns > _MOST_COLUMNS:
        raise ParameterError(f"{columns:,} columns: at most {_MOST_COLUMNS} are synthesized together; leave some out")
    refuse_overflow(rows_bound=facts.rows_bound, unit=4, resolution=LATTICE, limit=DOUBLES)


def records_of(table: Table) -> Records:
    """A table as the meter reads it."""
    columns = table.schema.columns
    return Records(
        table.codes,
        table.counts,
        table.schema.sizes,
        tuple(column.ordered for column in columns),
        tuple(column.nullable for column in columns),
        tuple(isinstance(column, Ordered) and column.resolution is not None for column in columns),
        tuple(column.first_cells if isinstance(column, Ordered) else None for column in columns),
        tuple(column.grid.ends if isinstance(column, Ordered) and column.grid else None for column in columns),
        tuple(len(column.values) if isinstance(column, Categorical) and column.other else None for column in columns),
    )
