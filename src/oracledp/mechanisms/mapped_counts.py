"""A paid look at how well a schema fits: a noisy number of rows, per column, that the schema did not know."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.numbers import Exact
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_epsilon
from oracledp.randomness.noise import LARGEST_SCALE, discrete_laplace
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger


@dataclass(frozen=True)
class MappedCounting:
    """Discrete Laplace noise on the number of mapped rows of each of so many columns (proofs/mapped-counts.md).

    Where the number of rows is private it is one count more.
    """

    columns: int
    epsilon: Fraction
    neighbours: Neighbours
    name: str = "mapped-counts"

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="mapped-counts")

    @property
    def sensitivity(self) -> int:
        """How far one record moves all counts together: each by at most one, also where it is replaced."""
        return self.columns + (self.neighbours is Neighbours.ADD_REMOVE)

    @property
    def scale(self) -> int:
        """The noise scale, in rows."""
        return ceil(self.sensitivity / self.epsilon)

    def check(self, facts: Facts) -> None:
        """Refuse more noise than can be drawn."""
        if self.scale > LARGEST_SCALE:
            raise CapacityError("the noise scale exceeds 2^55: use a larger epsilon or fewer columns")

    def run(self, table: Table, source: Randomness) -> NDArray[np.int64]:
        """The noisy counts of the columns; after them, under add/remove-one, that of the rows."""
        assert table.mapped is not None, "refused at the start"
        exact = table.mapped.sum(axis=1)
        if self.neighbours is Neighbours.ADD_REMOVE:
            exact = np.append(exact, table.rows)
        return np.asarray(exact + discrete_laplace(self.scale, len(exact), source))


@dataclass(frozen=True)
class MappedCounts:
    """Noisy numbers of mapped rows by column. All of it is released; ``rows`` is exact where it is public."""

    counts: dict[str, int]
    rows: int
    scale: int = field(repr=False)
    guarantee: Guarantee = field(repr=False)

    def margin(self, confidence: float = 0.999) -> int:
        """How far all counts may be off, rows included, with this confidence (proofs/mapped-counts.md)."""
        if not 0 < confidence < 1:
            raise ParameterError("confidence must lie between 0 and 1")
        return ceil(self.scale * log(2 * (len(self.counts) + 1) / (1 - confidence)))

    def suspects(self, share: float = 0.5, confidence: float = 0.999) -> tuple[str, ...]:
        """The columns of which more than this share of the rows was mapped, with this confidence for all together."""
        if not 0 <= share < 1:
            raise ParameterError("share must be at least 0 and less than 1")
        most = share * max(0, self.rows) + (1 + share) * self.margin(confidence)
        return tuple(column for column, count in self.counts.items() if count > most)

    def to_json(self) -> dict[str, Any]:
        """Everything, for a reader."""
        return {"mapped": self.counts, "rows": self.rows, "scale": self.scale, "guarantee": self.guarantee.to_json()}


def mapped_counts(
    table: Table,
    *,
    epsilon: Exact,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> MappedCounts:
    """How many rows of each column the schema did not know, noisily: catches a schema that does not fit its table.

    ε-differentially private (proofs/mapped-counts.md), by default under add/remove-one, so the rows are counted too;
    under ``neighbours="replace-one"`` their number is exact. A small ε will do: a column that is mapped almost
    entirely stands out from the rows by itself.

    >>> import pandas
    >>> from oracledp.data.schema import Schema
    >>> from oracledp.data.table import Table
    >>> schema = Schema({"age": {"kind": "integer", "lo": 0, "hi": 9}, "sick": {"kind": "boolean"}})
    >>> frame = pandas.DataFrame({"age": [40] * 4000, "sick": [True, False] * 2000})  # in years, not in decades
    >>> mapped_counts(Table.from_frame(frame, schema), epsilon="0.1").suspects()
    ('age',)
    """
    if table.mapped is None:
        raise ParameterError("this table does not know what was mapped: make it from rows, not from codes or a pickle")
    relation = Neighbours.parse(neighbours)
    mechanism = MappedCounting(len(table.schema.names), row_epsilon(epsilon, table.unit), relation)
    released = release(mechanism, table, Facts.of(table, relation), ledger=ledger, source=source)
    names, noisy = table.schema.names, released.result.tolist()
    rows = noisy[-1] if relation is Neighbours.ADD_REMOVE else table.rows
    return MappedCounts(dict(zip(names, noisy, strict=False)), rows, mechanism.scale, released.guarantee)
