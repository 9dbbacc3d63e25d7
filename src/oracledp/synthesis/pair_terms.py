"""The term of the fit for all two-way tables, each at its own levels; they share one matrix product.

A table is a block of the stacked two-ways, cut into cells of neighbouring bins. All tables are summed up, and their
residuals spread back, in one pass over compiled code: a wide schema has thousands of them, most of a few cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oracledp import _engine
from oracledp.synthesis.bins import Integers
from oracledp.synthesis.layout import Layout, Singles
from oracledp.synthesis.measurements import NoisyTable
from oracledp.synthesis.terms import State, moved_on


@dataclass(frozen=True)
class Pairs:
    """All two-way tables; their cells stand one after the other, table by table and row by row."""

    tables: Integers  # a line each: first bin of rows and columns, their numbers of cells, places of their edges
    edges: Integers  # of the cells of a column at a level, as bins of its block: the first ones and the end
    target: Singles
    precision: Singles

    @classmethod
    def of(cls, layout: Layout, tables: Sequence[NoisyTable], total: float, scale: float) -> Pairs:
        """Lay out the cells of the tables."""
        lines, edges, places = [], [], dict[tuple[int, int], int]()
        length, starts = 0, layout.starts.tolist()
        for table in tables:
            for column, level in zip(table.columns, table.levels, strict=True):
                if (column, level) not in places:
                    binning = layout.bins[column]
                    edges.append(np.append(binning.starts[level], binning.size))
                    places[column, level] = length
                    length += len(edges[-1])
            place = [places[one] for one in zip(table.columns, table.levels, strict=True)]
            lines.append([*(starts[column] for column in table.columns), *table.values.shape, *place])
        cells = np.array([table.values.size for table in tables])
        precision = np.array([scale * total**2 / float(table.variance) for table in tables], dtype=np.float32)
        values = np.concatenate([table.values.ravel() for table in tables]) / total
        target, each = values.astype(np.float32), np.repeat(precision, cells)
        return cls(np.array(lines, dtype=np.int64), np.concatenate(edges).astype(np.int64), target, each)

    def add(self, state: State) -> None:
        """Add the gradients."""
        two_ways = state.two_ways()
        residual = (self._counts(two_ways) - self.target) * self.precision
        spread = np.zeros_like(two_ways)
        _engine.spread_cells(self.tables, self.edges, residual, spread)
        slope = state.parts @ spread
        state.slope += slope
        state.pull += np.einsum("kd,kd->k", slope, state.parts) / 2

    def residuals(self, state: State) -> Singles:
        """Of all tables."""
        return np.asarray((self._counts(state.two_ways()) - self.target) * np.sqrt(self.precision))

    def sharpened(self, state: State, errors: float) -> Pairs:
        """Move the targets on."""
        reach = np.float32(errors) / np.sqrt(self.precision)
        return replace(self, target=moved_on(self.target, self._counts(state.two_ways()), reach))

    def _counts(self, two_ways: Singles) -> Singles:
        sums = np.empty_like(self.target)
        _engine.sum_cells(self.tables, self.edges, two_ways, sums)
        return sums
