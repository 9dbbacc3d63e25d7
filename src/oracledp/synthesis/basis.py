"""The signed features of a binned column and the parities they span: ±1 functions that integers can measure.

A column is cut into at most four groups of about equal mass. Two groups give one feature, four groups the three
Walsh functions; three groups give two indicator features. A *parity* is a product of features of different
columns, so every record moves every parity count by exactly one (proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from oracledp.synthesis.bins import ColumnBins, Floats, Integers

_SIGNS = {
    1: np.empty((0, 1), dtype=np.int64),
    2: np.array([[1, -1]]),
    3: np.array([[1, -1, -1], [-1, 1, -1]]),
    4: np.array([[1, 1, -1, -1], [1, -1, -1, 1], [1, -1, 1, -1]]),
}


@dataclass(frozen=True)
class Features:
    """All signed features of a table.

    ``columns[f]`` is the column of feature f, ``signs[f]`` its sign on each fine bin of that column.
    ``resolved[c]`` says whether the features of column c tell all its fine bins apart.
    """

    columns: Integers
    signs: tuple[Integers, ...]
    resolved: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def of(self, column: int) -> list[int]:
        """The features of one column."""
        return np.flatnonzero(self.columns == column).tolist()

    def subsets(self, column_sets: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
        """Every choice of one feature per column, for each set of columns: one row of feature numbers each."""
        rows = [choice for columns in column_sets for choice in product(*(self.of(c) for c in columns))]
        width = len(column_sets[0]) if column_sets else 0
        return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def signed_features(bins: Sequence[ColumnBins], masses: Sequence[Floats], groups: int) -> Features:
    """The features of columns cut into at most ``groups`` (1 to 4) groups of balanced mass."""
    columns: list[int] = []
    signs: list[Integers] = []
    resolved = []
    for column, (binning, mass) in enumerate(zip(bins, masses, strict=True)):
        group = _balanced_groups(mass, groups)
        rows = _SIGNS[int(group.max()) + 1]
        columns.extend([column] * len(rows))
        signs.extend(row[group] for row in rows)
        resolved.append(binning.size == int(group.max()) + 1)
    return Features(np.array(columns, dtype=np.int64), tuple(signs), tuple(resolved))


def _balanced_groups(mass: Floats, groups: int) -> Integers:
    """Cut consecutive bins into at most ``groups`` groups of about equal mass."""
    if len(mass) <= groups:
        return np.arange(len(mass))
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    cut = np.minimum((middle * groups).astype(np.int64), groups - 1)
    return np.unique(cut, return_inverse=True)[1].astype(np.int64)


def column_sets(columns: int, order: int) -> list[tuple[int, ...]]:
    """All sets of ``order`` columns."""
    return list(combinations(range(columns), order))
