"""A schema bought from the rows it describes: kinds, bounds, cuts, categories and missing values, each with noise.

Names of columns count as public; everything else is read off noisy counts (proofs/private-schema.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, sqrt
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import FileFormat, Moment, Ordered, Schema
from oracledp.data.schema.documents import as_yaml
from oracledp.data.schema.text_kinds import KINDS, PLACES, TextKind, kind_of, moment_of, number_of
from oracledp.data.table.texts import TextColumns
from oracledp.data.table.transcoding import header_line
from oracledp.data.table.unit import Unit
from oracledp.errors import NothingDescribed, ParameterError
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.column_inference import (
    DECADES,
    PARTS,
    SCALE,
    bounds_from,
    categorical_definition,
    cuts_from,
    decade_cell,
    moment_definition,
    ordered_definition,
    scale_cell,
)
from oracledp.mechanisms.column_kinds import kind_from, values_from
from oracledp.mechanisms.common_texts import common_texts, least_threshold
from oracledp.privacy.accounting import split, zcdp_rho
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import refuse_counted_persons, row_delta, row_epsilon
from oracledp.randomness.noise import noisy_counts
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.privacy.ledger import Ledger

_FOR_KINDS = 0.2  # of the budget
_BOUNDS, _CUTS = 0.6, 0.4  # of a number's share
_NAMED = 4  # columns that an error names
_GRAIN = 1024  # variances are rounded up to multiples of 1/1024
RARE = "no value is common enough: an id, free text, or too few rows for this budget"
AN_ID = (
    "its name says that it is an id: made-up ones would mean nothing; real ones can bound what a person adds (person=)"
)
_ID = re.compile(r"(?:^|[^a-z])(?:id|uuid|guid)$", re.IGNORECASE)

Integers = NDArray[np.int64]
Texts = Mapping[str | None, int]


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
            _Look(name, purse, texts, data.decimal, part)
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


@dataclass
class Purse:
    """Adds noise to integer tables of which each record is in one cell, against a zCDP budget."""

    rho: Fraction
    neighbours: Neighbours
    source: Randomness
    spent: Fraction = field(default=Fraction(0))

    def charge(self, rho: Fraction) -> Fraction:
        """Pay, and the variance that is paid for: Δ₂² is 1, or 2 where a record is replaced."""
        if rho <= 0 or self.spent + rho > self.rho:
            raise ParameterError("a count would exceed the budget of the schema: nothing was sampled")
        self.spent += rho
        return Fraction(ceil(_GRAIN * self.neighbours.comparison_sensitivity / (2 * rho)), _GRAIN)

    def table(self, counts: Integers, rho: Fraction) -> tuple[Integers, float]:
        """Noisy counts, and the standard deviation of their noise."""
        variance = self.charge(rho)
        return noisy_counts(counts, variance, self.source), sqrt(variance)


class _Look:
    """One column: its kind from a first table, then what its kind needs."""

    def __init__(self, name: str, purse: Purse, texts: Texts, decimal: str, rho: Fraction) -> None:
        self.name, self.paid, self._purse, self._texts, self._decimal = name, rho, purse, texts, decimal
        places = [PLACES[kind_of(text, decimal)] for text in texts]
        counts, deviation = purse.table(_tallied(places, texts, len(KINDS)), rho)
        self.kind = kind_from(counts, deviation)
        self.values = values_from(counts, deviation)

    @property
    def weight(self) -> float:
        """What the second look costs beside that at other columns."""
        return 0.0 if self.kind.kind in ("nothing", "bit") else 1.0

    def bought(self, rho: Fraction, rare: Fraction) -> tuple[dict[str, Any] | None, str]:
        """The column's definition and what was bought; or None and why it is left out."""
        kind = self.kind.kind
        if kind == "nothing":
            return None, "no values, or too few rows for this budget"
        if kind == "bit":
            return {"kind": "categorical", "values": [0, 1]} | self.kind.gaps, "values"
        if kind in ("date", "timestamp"):
            return self._moment(rho), "bounds"
        if kind in ("number", "duration"):
            return self._number(rho), "bounds, cuts"
        variance = self._purse.charge(rho)
        texts = {text: count for text, count in self._texts.items() if text is not None and self._listable(text)}
        common = common_texts(texts, variance, least_threshold(variance, rare), self._purse.source)
        found = categorical_definition(common, sqrt(variance), self.values, self.kind)
        return found, "categories" if common else RARE

    def _listable(self, text: str) -> bool:
        """Whether a schema can list a text: a mark of missing values only if the column does not know it as such."""
        kind = kind_of(text)
        odd = "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)
        return not odd and (not kind.missing or (kind.mark is not None and kind.mark != self.kind.mark))

    def _moment(self, rho: Fraction) -> dict[str, Any]:
        """Bounds from a table over decades."""
        column = moment_of(TextKind(self.kind.kind, format=self.kind.format))
        cells = [decade_cell(column.year_of(text)) for text in self._texts]
        counts, deviation = self._purse.table(_tallied(cells, self._texts, len(DECADES) + 1), rho)
        return moment_definition(counts[:-1], deviation, self.kind)

    def _numbers(self) -> tuple[list[Fraction | None], Fraction]:
        """The number of each text, and the resolution."""
        if self.kind.kind != "duration":
            return [number_of(text, self._decimal) for text in self._texts], Fraction(1, 10**self.kind.decimals)
        column = moment_of(TextKind("duration", format=self.kind.format))
        counts = [column.count_of(text) for text in self._texts]
        return [None if count is None else Fraction(count) for count in counts], Fraction(column.grain)

    def _number(self, rho: Fraction) -> dict[str, Any]:
        """Bounds from a table over the public scale, cuts from one over the column's own grid."""
        first, second = split(rho, [_BOUNDS, _CUTS])
        values, resolution = self._numbers()
        cells = [len(SCALE) + 1 if value is None else scale_cell(value) for value in values]
        counts, deviation = self._purse.table(_tallied(cells, self._texts, len(SCALE) + 2), first)
        lo, hi = bounds_from(counts[:-1], deviation, resolution)
        lo = max(lo, Fraction(0)) if self.kind.kind == "duration" else lo
        definition = ordered_definition(lo, hi, self.kind)
        column = Schema({self.name: definition})[self.name]
        assert isinstance(column, Ordered)
        assert column.grid is not None
        starts = column.grid.starts[
            np.unique(np.linspace(0, column.value_size, PARTS, endpoint=False).astype(np.int64))
        ]
        edges = [lo + resolution * int(step) for step in starts]
        places = [_cell(value, lo, hi, resolution, starts) for value in values]
        cuts, _ = self._purse.table(_tallied(places, self._texts, len(edges) + 1), second)
        thresholds: list[Any] = list(cuts_from(cuts[:-1], edges, resolution))
        if isinstance(column, Moment):
            thresholds = [column.shown(int(cut)) for cut in thresholds]
        return definition | ({"thresholds": thresholds} if thresholds else {})


def _cell(value: Fraction | None, lo: Fraction, hi: Fraction, resolution: Fraction, starts: Integers) -> int:
    if value is None:
        return len(starts)
    step = round((min(max(value, lo), hi) - lo) / resolution)
    return int(np.searchsorted(starts, step, side="right")) - 1


def _tallied(cells: list[int], texts: Texts, size: int) -> Integers:
    """How many rows lie in each cell: every row in exactly one."""
    found = [0] * size
    for cell, count in zip(cells, texts.values(), strict=True):
        found[cell] += count
    return np.array(found, dtype=np.int64)


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
