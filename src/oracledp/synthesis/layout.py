"""How the bins of all columns lie side by side in one long vector, so that all two-ways come from one product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.synthesis.bins import ColumnBins, Integers

Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Layout:
    """The blocks of a stacked vector: column c occupies ``starts[c] : starts[c] + sizes[c]``."""

    bins: tuple[ColumnBins, ...]

    @property
    def sizes(self) -> Integers:
        """The number of fine bins of each column."""
        return np.array([column.size for column in self.bins], dtype=np.int64)

    @property
    def starts(self) -> Integers:
        """Where each column's block begins."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @property
    def width(self) -> int:
        """The length of the stacked vector."""
        return int(self.sizes.sum())

    def blocks(self) -> list[slice]:
        """The slice of each column."""
        return [slice(int(a), int(a + m)) for a, m in zip(self.starts, self.sizes, strict=True)]

    def steps(self, smooth: Sequence[int]) -> Singles:
        """One where two neighbouring entries are neighbouring bins in the order of a column.

        ``smooth`` says of each column how many of its codes are in order; its bins beyond them are apart.
        """
        inside = np.zeros(max(self.width - 1, 0), dtype=np.float32)
        for block, column, ordered in zip(self.blocks(), self.bins, smooth, strict=True):
            bins = len(np.unique(column.fine[:ordered]))
            if bins > 2:
                inside[block.start : block.start + bins - 1] = 1
        return inside
