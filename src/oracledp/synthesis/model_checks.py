"""Whether the pieces of a model that was read from a file fit together: files may be damaged or tampered with."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from oracledp.errors import ModelError
from oracledp.synthesis.bins import ColumnBins, Floats, Integers

if TYPE_CHECKING:
    from oracledp.synthesis.model import SyntheticModel

MOST_RECORDS = 1e15  # far more than any table has


def refuse_strange(model: SyntheticModel) -> None:
    """Refuse a model whose parts contradict each other, with one error."""
    for holds in _conditions(model):
        if not holds:
            raise ModelError("the parts of this synthetic model do not fit together")


def _conditions(model: SyntheticModel) -> Iterator[bool]:
    """One by one, so that each may rely on those before it."""
    sizes, mixture = model.schema.sizes, model.mixture
    yield isfinite(model.total) and 0 < model.total < MOST_RECORDS
    yield len(model.marginals) == len(sizes) == len(model.bins)
    yield all(len(mass) == size and _masses(mass) for mass, size in zip(model.marginals, sizes, strict=True))
    yield all(_bins(binning, size) for binning, size in zip(model.bins, sizes, strict=True))
    yield mixture.weights.ndim == 1 and len(mixture.weights) > 0 and _masses(mixture.weights)
    yield mixture.parts.shape == (len(mixture.weights), mixture.layout.width) and _masses(mixture.parts)
    for table in model.tables:
        yield len(table.columns) == len(table.levels) == table.values.ndim > 0 and table.variance > 0
        yield all(0 <= column < len(sizes) for column in table.columns)
        places = zip(table.columns, table.levels, table.values.shape, strict=True)
        yield all(_level_size(model.bins[column], level) == cells for column, level, cells in places)
    yield from _feature_conditions(model)


def _feature_conditions(model: SyntheticModel) -> Iterator[bool]:
    features = model.features
    yield len(features.columns) == len(features.signs) and len(features.resolved) == len(model.bins)
    yield _within(features.columns, len(model.bins))
    yield all(
        sign.shape == (model.bins[int(column)].size,) and bool(np.isin(sign, (-1, 1)).all())
        for column, sign in zip(features.columns, features.signs, strict=True)
    )
    for parities in model.parities:
        yield parities.subsets.ndim == 2 and parities.values.shape == (len(parities.subsets),)
        yield parities.variance > 0 and _within(parities.subsets, len(features))
    yield all(len(group.queries) == len(group.values) and group.variance > 0 for group in model.queries)


def _masses(values: Floats) -> bool:
    return bool(np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0)


def _within(numbers: Integers, bound: int) -> bool:
    return not numbers.size or bool(numbers.min() >= 0 and numbers.max() < bound)


def _bins(binning: ColumnBins, size: int) -> bool:
    if binning.fine.shape != (size,) or not binning.starts or not binning.size:
        return False
    if not np.array_equal(np.unique(binning.fine), np.arange(binning.size)):
        return False
    limits = [(start, binning.size) for start in binning.starts] + [(start, size) for start in binning.stages]
    return all(
        len(start) > 0 and start[0] == 0 and bool((np.diff(start) > 0).all()) and start[-1] < limit
        for start, limit in limits
    )


def _level_size(binning: ColumnBins, level: int) -> int | None:
    """How many groups a table has along this column; -1 stands for the values themselves, -2, -3, … for stages."""
    if level == -1:
        return len(binning.fine)
    if level < -1:
        return len(binning.stages[-2 - level]) if -2 - level < len(binning.stages) else None
    return len(binning.starts[level]) if 0 <= level < len(binning.starts) else None
