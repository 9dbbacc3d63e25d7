"""How well a released model agrees with the noisy counts it was fitted to, in units of their noise.

Post-processing: both the counts and the model are released already.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from oracledp.synthesis.counted import CountedQuery
from oracledp.synthesis.measurements import NoisyParities, NoisyTable
from oracledp.synthesis.model import SyntheticModel

Floats = NDArray[np.float64]


def fit_quality(model: SyntheticModel) -> list[tuple[str, int, float]]:
    """For each kind of count: its name, how many numbers, and the root mean square of (model − count) / noise.

    About 1 says that the model is as far from the counts as their own noise; far above 1, that it cannot hold them all.
    """
    found: dict[str, list[Floats]] = {}
    for name, residuals in _residuals(model):
        found.setdefault(name, []).append(residuals)
    return [
        (name, sum(r.size for r in parts), float(np.sqrt(np.mean(np.concatenate(parts) ** 2))))
        for name, parts in sorted(found.items())
    ]


def parity_words(measured: NoisyParities) -> str:
    """What a group of parities counts."""
    order = measured.subsets.shape[1]
    return "halves of single columns" if order == 1 else f"products of {order} signed features"


def _residuals(model: SyntheticModel) -> Iterator[tuple[str, Floats]]:
    for table in model.tables:
        yield f"{len(table.columns)}-way tables", _table_residuals(model, table)
    blocks = model.mixture.layout.blocks()
    features = model.features
    signed = [model.mixture.parts[:, blocks[c]] @ s for c, s in zip(features.columns, features.signs, strict=True)]
    values = np.stack(signed, axis=1) if signed else np.empty((len(model.mixture.weights), 0))
    for measured in model.parities:
        product = np.prod(values[:, measured.subsets], axis=2)
        expected = model.total * (model.mixture.weights @ product)
        yield parity_words(measured), (expected - measured.values) / measured.deviation

    for group in model.queries:
        shares = np.array([query_share(model, query) for query in group.queries])
        yield "single queries", (model.total * (2 * shares - 1) - group.values) / group.deviation


def query_share(model: SyntheticModel, query: CountedQuery) -> float:
    """The model's share of one query: columns are independent inside a component, so their scores convolve."""
    blocks, weights = model.mixture.layout.blocks(), model.mixture.weights
    law = np.zeros((len(weights), len(query.accept)))
    law[:, 0] = 1
    for column, score in zip(query.columns, query.scores, strict=True):
        fine, mass = model.bins[column].fine, model.marginals[column]
        inside = mass / np.maximum(np.bincount(fine, weights=mass)[fine], 1e-300)
        values = model.mixture.parts[:, blocks[column]][:, fine] * inside
        moved = np.zeros_like(law)
        for step in np.unique(score).tolist():
            moved[:, step:] += law[:, : law.shape[1] - step] * values[:, score == step].sum(axis=1)[:, None]
        law = moved
    return float(weights @ law @ query.accept)


def _table_residuals(model: SyntheticModel, table: NoisyTable) -> Floats:
    """Residuals of one table; a table of values is compared bin by bin, since a model knows bins only."""
    if table.levels[0] < -1:
        return _stage_residuals(model, table)
    parts, counts, held = [], table.values.astype(np.float64), np.ones(())
    for axis, (column, level) in enumerate(zip(table.columns, table.levels, strict=True)):
        bins, block = model.bins[column], model.mixture.layout.blocks()[column]
        fine = model.mixture.parts[:, block]
        parts.append(fine if level < 0 else np.add.reduceat(fine, bins.starts[level], axis=1))
        width = np.ones(parts[-1].shape[1])
        if level < 0:
            counts = _merged(counts, axis, bins.fine, bins.size)
            width = np.bincount(bins.fine, minlength=bins.size).astype(np.float64)
        held = np.multiply.outer(held, width)
    letters = ascii_lowercase[: len(parts)]
    rule = ",".join(["z", *(f"z{x}" for x in letters)]) + "->" + letters
    expected = model.total * np.einsum(rule, model.mixture.weights, *parts, optimize=True)
    return np.asarray(((expected - counts) / (table.deviation * np.sqrt(held))).ravel())


def _stage_residuals(model: SyntheticModel, table: NoisyTable) -> Floats:
    """A stage has cells of values, not of bins: inside a bin the column's own distribution says where they lie."""
    (column,), (level,) = table.columns, table.levels
    bins, mass = model.bins[column], model.marginals[column]
    shares = model.mixture.weights @ model.mixture.parts[:, model.mixture.layout.blocks()[column]]
    inside = mass / np.maximum(np.bincount(bins.fine, weights=mass)[bins.fine], 1e-300)
    expected = model.total * np.bincount(bins.grouping(level), weights=shares[bins.fine] * inside)
    return np.asarray((expected - table.values) / table.deviation)


def _merged(counts: Floats, axis: int, groups: NDArray[np.int64], size: int) -> Floats:
    out = np.zeros((*counts.shape[:axis], size, *counts.shape[axis + 1 :]))
    np.add.at(np.moveaxis(out, axis, 0), groups, np.moveaxis(counts, axis, 0))
    return out
