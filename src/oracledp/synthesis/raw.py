"""From a raw table to synthetic rows under one guarantee: a schema is bought first, the rest of the budget measures.

Both draw on one budget of Gaussian noise, so that a tenth of it buys a schema ten times as well as a tenth of ε would
(proofs/private-schema.md, "Rows as well").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

from oracledp.data.output.frames import FrameShape
from oracledp.data.schema import FileFormat, Schema
from oracledp.data.table import Table
from oracledp.data.table.unit import Unit
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact, positive, probability
from oracledp.mechanisms.private_schema import Described, InferredSchema, RawTable, SchemaInference
from oracledp.privacy.door import Facts, promised, release
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import refuse_counted_persons, row_delta, row_epsilon
from oracledp.randomness.source import Randomness, SystemRandomness
from oracledp.synthesis.chosen_fit import Progress, silent
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.synthesizer import Measuring, Synthesizer, refuse_large
from oracledp.synthesis.workload import Workload

if TYPE_CHECKING:
    from oracledp.privacy.ledger import Ledger

FOR_SCHEMA = Fraction(1, 10)  # of the budget
LEAST_SHARE = Fraction(1, 1000)  # of either: what less of it buys is lost in noise, and soon is no number of noise
MARGINALS = ("marginals:1", "marginals:2", "marginals:3")

Made = tuple[Described, Schema | None, tuple[Measured, Mixture] | None]


@dataclass(frozen=True, repr=False)
class RawRows:
    """What a run reads: the texts for a schema, then the same rows by that schema, which lets go of the texts."""

    raw: RawTable
    let_go: Callable[[], None]

    def read(self, schema: Schema) -> Table:
        """The rows by a schema."""
        table = self.raw.table(schema)
        self.let_go()  # before the fit, which takes memory of its own
        return table


@dataclass(frozen=True)
class RawSynthesis:
    """A schema for a share of one budget, and measuring by that schema for the rest (proofs/private-schema.md).

    ``inference`` has the ε and δ of the whole. ``told`` hears what was bought as soon as it is released, and before
    anything else can fail.
    """

    inference: SchemaInference
    share: Fraction
    workload: str
    progress: Progress = silent
    told: Callable[[Described], None] = lambda described: None
    name: str = "raw-synthesizer"

    @property
    def guarantee(self) -> Guarantee:
        """One for both."""
        return self.inference.guarantee

    @property
    def parts(self) -> tuple[GaussianBudget, GaussianBudget]:
        """The budget of the schema, and that of the rows."""
        whole = self.inference.budget
        return whole.part(self.share), whole.part(1 - self.share)

    def check(self, facts: Facts) -> None:
        """What either refuses, and a share that leaves next to nothing for one of them."""
        self.inference.check(facts)
        refuse_large(facts, self.inference.columns)
        if not LEAST_SHARE <= self.share <= 1 - LEAST_SHARE:
            raise ParameterError(f"the share of the schema must lie between {LEAST_SHARE} and {1 - LEAST_SHARE}")
        if self.workload not in MARGINALS:
            raise ParameterError(f"before there is a schema the workload is one of {', '.join(MARGINALS)}")

    def run(self, data: RawRows, source: Randomness) -> Made:
        """The schema and, unless it describes no column, what was measured by it, with a fit."""
        first, second = self.parts
        described = self.inference.described(data.raw.texts, first, source)
        self.told(described)
        if not described[0]:
            return described, None, None
        schema = Schema({"file": data.raw.spelled(described[0]).to_json(), "columns": described[0]})
        workload = Workload.parse(self.workload, schema)
        measuring = Measuring(self.guarantee, second, workload, schema, self.progress)
        return described, schema, measuring.run(data.read(schema), source)


def synthesize_raw(
    data: Any,
    *,
    epsilon: Exact,
    delta: Exact,
    share: Exact = FOR_SCHEMA,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    workload: str = "marginals:3",
    file: FileFormat | Mapping[str, Any] | None = None,
    person: str | None = None,
    rows_per_person: int | None = None,
    memory: str | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
    progress: Progress = silent,
    check: Callable[[int], None] = lambda columns: None,
    on_schema: Callable[[InferredSchema], None] = lambda found: None,
) -> tuple[InferredSchema, Synthesizer]:
    """A fitted synthesizer of private rows without a schema, a frame or a file, and the schema that was bought.

    (ε, δ)-DP together, charged once. ``share`` of the budget buys the schema, as ``infer_schema`` does, and comments in
    it tell what it cost. The rows are read once, as texts, before anything is paid; ``memory`` (such as ``"4GB"``) is
    where those of a file begin to spill to a private folder. ``check`` hears how many columns there are, before that.
    ``on_schema`` hears the schema as soon as it is bought: should the fit fail, it is not lost.

    >>> import pandas
    >>> from oracledp.randomness.source import SeededRandomness
    >>> frame = pandas.DataFrame({"age": [20, 30, 47, 64] * 1000, "job": ["cook", "smith"] * 2000})
    >>> found, synthesizer = synthesize_raw(frame, epsilon=1, delta="1e-6", source=SeededRandomness(0))
    >>> found.schema.names, synthesizer.sample(3, seed=0).columns.tolist()
    (('age', 'job'), ['age', 'job'])
    """
    relation, unit = Neighbours.parse(neighbours), Unit.of(person, rows_per_person, None)
    refuse_counted_persons(relation, unit)
    row = row_epsilon(positive(epsilon, "epsilon"), unit)
    budget = row, row_delta(probability(delta, "delta"), row, unit)
    with ExitStack() as held:
        raw = held.enter_context(RawTable.opened(data, file=file, unit=unit, memory=memory))
        check(len(raw.texts.names))
        inference = SchemaInference(len(raw.texts.names), *budget, relation)
        facts, chosen = raw.facts(relation), SystemRandomness() if source is None else source

        def bought(described: Described) -> InferredSchema:
            return raw.inferred(described, promised(mechanism, facts, chosen), mechanism.share)

        def tell(described: Described) -> None:
            if described[0]:
                on_schema(bought(described))

        mechanism = RawSynthesis(inference, positive(share, "share"), workload, progress, tell)
        released = release(mechanism, RawRows(raw, held.close), facts, ledger=ledger, source=chosen)
    described, schema, fitted = released.result
    found = bought(described)
    assert schema is not None
    assert fitted is not None
    options: dict[str, Any] = {"neighbours": relation, "workload": workload, "ledger": ledger}
    synthesizer = Synthesizer(schema, epsilon=epsilon, delta=delta, **options)
    shape = FrameShape.default(schema) if isinstance(data, str | PathLike) else FrameShape.of(data, schema)
    return found, synthesizer.adopt(*fitted, released.guarantee, shape)
