"""A schema bought from the rows it describes: kinds, bounds, cuts, categories and missing values, each with noise.

Names of columns count as public; everything else is read off noisy counts (proofs/private-schema.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oracledp.data.schema import FileFormat, Schema
from oracledp.data.schema.documents import as_yaml
from oracledp.data.schema.file_format import uncut
from oracledp.data.table import Table
from oracledp.data.table.text_columns import TextColumns, TextRows
from oracledp.data.table.texts import text_rows
from oracledp.data.table.transcoding import header_line
from oracledp.data.table.unit import Unit
from oracledp.errors import NothingDescribed, ParameterError
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.column_looks import ColumnLook, Purse
from oracledp.privacy.accounting import split
from oracledp.privacy.door import Facts, release
from oracledp.privacy.gaussian_accounting import GaussianBudget, gaussian_budget
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import refuse_counted_persons, row_delta, row_epsilon
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.privacy.ledger import Ledger

_FOR_KINDS = 0.2  # of the budget
_FOR_RARE = Fraction(1, 20)  # of δ: a threshold grows with the root of its logarithm alone
_NAMED = 4  # columns that an error names
AN_ID = (
    "its name says that it is an id: made-up ones would mean nothing; real ones can bound what a person adds"
    " (--person, person=)"
)
_ID = re.compile(r"(?:^|[^a-z])(?:id|uuid|guid)$", re.IGNORECASE)


Described = tuple[dict[str, Any], dict[str, str], dict[str, str]]
"""Of each column its definition, or why it is left out, and what was paid."""


@dataclass(frozen=True)
class InferredSchema:
    """A schema, what was promised for it, what each column cost, and the columns that it leaves out. All released."""

    schema: Schema
    guarantee: Guarantee
    paid: Mapping[str, str]
    left_out: Mapping[str, str]
    share: Fraction = Fraction(1)  # of the budget; the rest bought rows in the same run

    def to_yaml(self) -> str:
        """The schema as a file that :meth:`Schema.load` reads, with comments on what was bought."""
        lines = [
            "Inferred from private data; names of columns counted as public, all else was bought with noise.",
            str(self.guarantee),
            *(
                ()
                if self.share == 1
                else (f"That covers synthetic rows too: of one budget {float(self.share):.0%} bought this.",)
            ),
            "Edit freely: what you know of the columns costs nothing. Shares of the price, and what they bought:",
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
            "share": str(self.share),
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
    def budget(self) -> GaussianBudget:
        """What Gaussian noise may spend: a part of δ pays for rare texts, as does a trace of ε."""
        return gaussian_budget(self.epsilon - self.delta, self.delta * (1 - _FOR_RARE))

    @property
    def rare(self) -> Fraction:
        """How likely a text of one row may pass, for each column and each record in which neighbours differ."""
        return self.delta * _FOR_RARE / (self.columns * self.neighbours.comparison_sensitivity)

    def check(self, facts: Facts) -> None:
        """Refuse a budget that bears no noise."""
        if self.delta >= min(self.epsilon, Fraction(1, 2)):
            raise ParameterError("delta must be less than epsilon and than one half")
        _ = self.budget

    def run(self, data: TextColumns, source: Randomness) -> Described:
        """The definition of each column that is kept, what was paid, and why others are left out."""
        return self.described(data, self.budget, source)

    def described(self, data: TextColumns, budget: GaussianBudget, source: Randomness) -> Described:
        """The same for a part of the budget."""
        purse = Purse(budget, self.neighbours, source)
        first = split(budget.rho * Fraction(_FOR_KINDS), [1.0] * self.columns)
        looks = [
            ColumnLook(name, purse, texts, data.marks, part, typed=data.typed)
            for name, texts, part in zip(data.names, data.counts, first, strict=True)
        ]
        second = split(budget.rho - purse.spent, [look.weight for look in looks])
        found: dict[str, Any] = {}
        paid: dict[str, str] = {}
        left_out: dict[str, str] = {}
        for look, part in zip(looks, second, strict=True):
            definition, words = look.bought(part, self.rare)  # those that need nothing more have no part
            if definition is None:
                left_out[look.name] = words
            else:
                found[look.name] = definition
                paid[look.name] = f"{float((look.paid + part) / budget.rho):.0%}: kind, missing values, {words}"
        return found, paid, left_out


@dataclass(frozen=True, repr=False)
class RawTable:
    """A private table before there is a schema: its rows as texts, how its file is spelled, whose rows stand together.

    Columns that call themselves ids are not looked at: names are public, and that costs nothing. ``texts`` counts those
    of all other columns; by a schema the same rows are read, with the same texts. ``asked`` is the ``file`` without
    what its header says.
    """

    rows: TextRows
    texts: TextColumns
    file: FileFormat
    unit: Unit
    ids: Mapping[str, str]
    asked: FileFormat

    @classmethod
    @contextmanager
    def opened(
        cls,
        data: object,
        *,
        file: FileFormat | Mapping[str, Any] | None,
        delimiter: str | None = None,
        unit: Unit,
        memory: str | None = None,
    ) -> Iterator[RawTable]:
        """A frame or a file, read once; odd names are refused, as they are public, before anything is paid."""
        asked = (file if isinstance(file, FileFormat) else FileFormat.parse(file)).changed(delimiter=delimiter)
        spelled = asked.as_header(header_line(Path(data))) if isinstance(data, str | PathLike) else asked
        with text_rows(data, file=spelled, unit=unit, memory=memory) as rows:
            ids = {name: AN_ID for name in rows.names if _ID.search(name)}
            _refuse_names(rows.names, ids, spelled.separator)
            names = tuple(name for name in rows.names if name not in ids)
            every = Schema({"columns": {name: {"kind": "boolean"} for name in rows.names}})
            Unit.of(unit.person, unit.rows if unit.person else None, every)
            yield cls(rows, rows.counted(names), spelled, unit, ids, asked)

    def table(self, schema: Schema) -> Table:
        """The same rows by a schema."""
        return Table.from_texts(self.rows, schema)

    def facts(self, neighbours: Neighbours) -> Facts:
        """What may be known of it."""
        return Facts(self.texts.rows if neighbours is Neighbours.REPLACE_ONE else None, unit=self.unit)

    def spelled(self, found: Mapping[str, Any]) -> FileFormat:
        """How files are spelled, by the header and, unless a spelling of blanks was asked for, the texts bought."""
        texts = [text for name in self.rows.names[1:] for text in _listed(found.get(name, {}))]
        return self.file.as_texts(texts) if self.asked.blanks is None else self.file

    def inferred(self, described: Described, guarantee: Guarantee, share: Fraction = Fraction(1)) -> InferredSchema:
        """The schema that was bought, with what was paid; refused where there is nothing in it."""
        found, paid, left_out = described
        if not found:
            spent = "the budget is spent" if share == 1 else "the whole budget is spent, that of the rows too"
            raise NothingDescribed(
                f"no column could be described, and {spent}: give a larger epsilon, or write a schema by"
                f" hand ({_reasons(dict(self.ids) | left_out)})"
            )
        file = self.spelled(found).to_json()
        document = {"file": file, "bought": guarantee.bought.to_json(), "columns": found}
        return InferredSchema(Schema(document), guarantee, paid, dict(self.ids) | left_out, share)


def _refuse_names(names: Sequence[str], ids: Mapping[str, str], separator: str) -> None:
    """A header of ids alone, or one that another delimiter cuts: names are public, so this costs nothing."""
    if len(ids) == len(names):
        raise ParameterError("all columns call themselves ids, which have nothing to share: rename them if they do not")
    problem = uncut(names, separator)
    if problem is not None:
        raise ParameterError(problem)


def _listed(definition: Mapping[str, Any]) -> list[str]:
    """The texts that were bought as rows hold them, blanks included."""
    return [text for text in (*definition.get("values", ()), definition.get("missing")) if isinstance(text, str)]


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
    (('cook', 'smith', 'other'), 0, 1000)
    """
    relation = Neighbours.parse(neighbours)
    unit = Unit.of(person, rows_per_person, None)
    refuse_counted_persons(relation, unit)
    share = row_epsilon(epsilon, unit)
    budget = share, row_delta(delta, share, unit)
    with RawTable.opened(data, file=file, delimiter=delimiter, unit=unit) as raw:
        mechanism = SchemaInference(len(raw.texts.names), *budget, relation)
        released = release(mechanism, raw.texts, raw.facts(relation), ledger=ledger, source=source)
        return raw.inferred(released.result, released.guarantee)
