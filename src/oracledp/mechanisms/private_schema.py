"""A schema bought from the rows it describes: kinds, bounds, cuts, categories and missing values, each with noise.

Names of columns count as public; everything else is read off noisy counts (proofs/private-schema.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oracledp.data.schema import FileFormat, Schema
from oracledp.data.schema.documents import as_yaml
from oracledp.data.table.texts import TextColumns
from oracledp.data.table.transcoding import header_line
from oracledp.data.table.unit import Unit
from oracledp.errors import NothingDescribed, ParameterError
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.column_looks import ColumnLook, Purse
from oracledp.privacy.accounting import split, zcdp_rho
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import refuse_counted_persons, row_delta, row_epsilon
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.privacy.ledger import Ledger

_FOR_KINDS = 0.2  # of the budget
_NAMED = 4  # columns that an error names
AN_ID = (
    "its name says that it is an id: made-up ones would mean nothing; real ones can bound what a person adds (person=)"
)
_ID = re.compile(r"(?:^|[^a-z])(?:id|uuid|guid)$", re.IGNORECASE)


@dataclass(frozen=True)
class InferredSchema:
    """A schema, what was promised for it, what each column cost, and the columns that it leaves out. All released."""

    schema: Schema
    guarantee: Guarantee
    paid: Mapping[str, str]
    left_out: Mapping[str, str]

    def to_yaml(self) -> str:
        """The schema as a file that :meth:`Schema.load` reads, with comments on what was bought."""
        lines = [
            "Inferred from private data; names of columns counted as public, all else was bought with noise.",
            str(self.guarantee),
            "Edit freely: what you know of the columns costs nothing. Share of the budget, and what it bought:",
            *(f"  {name}: {words}" for name, words in self.paid.items()),
            *(f"left out: {name} ({why})" for name, why in self.left_out.items()),
        ]
        return "".join(f"# {line}\n" for line in lines) + as_yaml(self.schema.to_json())

    def to_json(self) -> dict[str, Any]:
        """Everything, for a reader."""
        return {
            "schema": self.schema.to_json(),
            "guarantee": self.guarantee.to_json(),
            "paid": dict(self.paid),
            "left_out": dict(self.left_out),
        }


@dataclass(frozen=True)
class SchemaInference:
    """Counts of kinds, then of numbers on a public scale and of common texts: (ε, δ)-DP (proofs/private-schema.md)."""

    columns: int
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    name: str = "schema-inference"

    @property
    def guarantee(self) -> Guarantee:
        """Robust: nothing is assumed of the rows."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours, proof="private-schema")

    @property
    def rho(self) -> Fraction:
        """The zCDP budget: half of δ converts it, the other half pays for rare texts, as does a trace of ε."""
        return zcdp_rho(self.epsilon - self.delta, self.delta / 2)

    @property
    def rare(self) -> Fraction:
        """How likely a text of one row may pass, for each column and each record in which neighbours differ."""
        return self.delta / (2 * self.columns * self.neighbours.comparison_sensitivity)

    def check(self, facts: Facts) -> None:
        """Refuse a budget that bears no noise."""
        if self.delta >= min(self.epsilon, Fraction(1, 2)):
            raise ParameterError("delta must be less than epsilon and than one half")
        zcdp_rho(self.epsilon - self.delta, self.delta / 2)

    def run(self, data: TextColumns, source: Randomness) -> tuple[dict[str, Any], dict[str, str], dict[str, str]]:
        """The definition of each column that is kept, what was paid, and why others are left out."""
        purse = Purse(self.rho, self.neighbours, source)
        first = split(self.rho * Fraction(_FOR_KINDS), [1.0] * self.columns)
        looks = [
            ColumnLook(name, purse, texts, data.decimal, part)
            for name, texts, part in zip(data.names, data.counts, first, strict=True)
        ]
        second = split(self.rho - purse.spent, [look.weight for look in looks])
        found: dict[str, Any] = {}
        paid: dict[str, str] = {}
        left_out: dict[str, str] = {}
        for look, part in zip(looks, second, strict=True):
            definition, words = look.bought(part, self.rare)  # those that need nothing more have no part
            if definition is None:
                left_out[look.name] = words
            else:
                found[look.name] = definition
                paid[look.name] = f"{float((look.paid + part) / self.rho):.0%}: kind, missing values, {words}"
        return found, paid, left_out


def _reasons(left_out: Mapping[str, str]) -> str:
    """Why the first columns are left out: released, as a file's comments would be."""
    shown = [f"{name!r}: {why}" for name, why in list(left_out.items())[:_NAMED]]
    return "; ".join(shown) + (f"; and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else "")


def infer_schema(
    data: object,
    *,
    epsilon: Exact,
    delta: Exact,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    file: FileFormat | Mapping[str, Any] | None = None,
    delimiter: str | None = None,
    person: str | None = None,
    rows_per_person: int | None = None,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> InferredSchema:
    """A schema of private rows, a frame or a file, for a stated budget.

    (ε, δ)-DP (proofs/private-schema.md). A column is a number, where nearly all its values are, with round bounds and a
    resolution; else its common texts become categories. Columns without common texts are left out, with a reason, and
    so are those that call themselves ids (``id``, ``patient_id``, ``uuid``): names are public, and that costs nothing.
    ``person`` names the column that tells persons apart: then all of it holds for persons (proofs/persons.md).
    ``file`` says how a CSV file is spelled (``{"delimiter": ";", "decimal": ","}``), and the schema keeps it.

    >>> import pandas
    >>> from oracledp.randomness.source import SeededRandomness
    >>> frame = pandas.DataFrame({"age": [20, 30, 47, 64] * 1000, "job": ["cook", "smith"] * 2000})
    >>> found = infer_schema(frame, epsilon=1, delta="1e-6", source=SeededRandomness(0))
    >>> found.schema["job"].labels, found.schema["age"].lo, found.schema["age"].hi
    (('cook', 'smith'), 0, 1000)
    """
    relation = Neighbours.parse(neighbours)
    unit = Unit.of(person, rows_per_person, None)
    refuse_counted_persons(relation, unit)
    share = row_epsilon(epsilon, unit)
    budget = share, row_delta(delta, share, unit)
    spelled = (file if isinstance(file, FileFormat) else FileFormat.parse(file)).changed(delimiter=delimiter)
    if isinstance(data, str | PathLike):
        spelled = spelled.as_header(header_line(Path(data)))
    texts = TextColumns.read(data, file=spelled, unit=unit)
    ids = {name: AN_ID for name in texts.names if _ID.search(name)}
    if len(ids) < len(texts.names):
        texts = texts.without(ids)
    Schema({"columns": {name: {"kind": "boolean"} for name in texts.names}})  # names are public: refuse odd ones now
    mechanism = SchemaInference(len(texts.names), *budget, relation)
    rows = texts.rows if relation is Neighbours.REPLACE_ONE else None
    released = release(mechanism, texts, Facts(rows, unit=unit), ledger=ledger, source=source)
    found, paid, left_out = released.result
    kept_out = {name: why for name, why in ids.items() if name not in texts.names}
    if not found:
        raise NothingDescribed(
            "no column could be described, and the budget is spent: give a larger epsilon, or write a schema by hand"
            f" ({_reasons(kept_out | left_out)})"
        )
    return InferredSchema(
        Schema({"file": spelled.to_json(), "bought": released.guarantee.bought.to_json(), "columns": found}),
        released.guarantee,
        paid,
        kept_out | left_out,
    )
