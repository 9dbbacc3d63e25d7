"""Rows as codes and flaws: what every source gives, before it is settled what becomes of the flaws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.table.flaws import Flaw, flaw_error, flaw_table, missing_code, refused_flaws, settled_table
from oracledp.data.table.unit import ROWS, Unit

Place = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Encoded:
    """Codes and flaws column by column, each record ``counts`` times (once where None). All of it is private.

    ``place`` says where the first refused row of a column stands, in a source with an order; it may have to read the
    source again. ``unit`` says whose rows were bounded while they were read, and ``persons`` whose each row is, where
    they were kept one by one.
    """

    schema: Schema
    columns: Sequence[NDArray[Any]]
    counts: NDArray[np.int64] | None = None
    place: Place | None = None
    unit: Unit = ROWS
    persons: Sequence[str] = ()

    @classmethod
    def together(cls, parts: Sequence[Encoded]) -> Encoded:
        """The rows of several parts, of which every record is counted."""
        columns = [np.concatenate(codes) for codes in zip(*(part.columns for part in parts), strict=True)]
        return cls(parts[0].schema, columns, np.concatenate([part.counts for part in parts if part.counts is not None]))

    def settled(self, *, strict: bool) -> list[NDArray[Any]]:
        """The codes, flaws settled by the schema's own rule; or, if strict, the first flawed column refused."""
        if strict:
            self._refuse()
        pairs = zip(self.schema.columns, self.columns, strict=True)
        return [settled_table(column)[codes] if np.any(codes >= column.size) else codes for column, codes in pairs]

    def mapped(self) -> NDArray[np.int64]:
        """How many rows have which flaw in which column, columns × flaws: private."""
        return np.stack([self._flaws(index) for index in range(len(self.columns))])

    def with_unread(self, rows: int) -> Encoded:
        """The same with this many rows more of which nothing could be read: every value is missing."""
        if not rows:
            return self
        missing = [np.int64(missing_code(column)) for column in self.schema.columns]
        columns = [np.append(codes, code) for codes, code in zip(self.columns, missing, strict=True)]
        counts = np.ones(len(self.columns[0]), dtype=np.int64) if self.counts is None else self.counts
        return Encoded(self.schema, columns, np.append(counts, np.int64(rows)), self.place, self.unit)

    def _refuse(self) -> None:
        for index, column in enumerate(self.schema.columns):
            refused = refused_flaws(column)
            if np.any(self._flaws(index)[refused]):
                first = None if self.place is None else self.place(index)
                raise flaw_error(column, np.where(refused, self._flaws(index), 0), first)

    def _flaws(self, index: int) -> NDArray[np.int64]:
        """How many rows have which flaw."""
        column, codes = self.schema.columns[index], self.columns[index]
        flawed = codes >= column.size
        totals = np.zeros(len(Flaw), dtype=np.int64)
        np.add.at(totals, flaw_table(column)[codes[flawed]], 1 if self.counts is None else self.counts[flawed])
        return totals
