"""The terms of the fit: how far the model is from each kind of measurement, with closed-form gradients.

With component weights w and stacked component distributions P, the model's one-ways are wᵀP, its two-ways PᵀWP and
its parities sums of products of F = PC. A term adds the derivative of half its weighted squared residuals to
``state.slope`` (with respect to P, per unit of weight) and to ``state.pull`` (with respect to w).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oracledp.synthesis.basis import Features
from oracledp.synthesis.bins import ColumnBins, Floats, Integers
from oracledp.synthesis.layout import Layout, Singles
from oracledp.synthesis.measurements import NoisyParities, NoisyTable
from oracledp.synthesis.stages import leaf_counts, stage_tables

_TINY = np.float32(1e-30)


@dataclass
class State:
    """The model at one step and the gradients gathered so far."""

    parts: Singles  # components × stacked bins
    weights: Singles
    slope: Singles
    pull: Singles

    @classmethod
    def at(cls, parts: Singles, weights: Singles) -> State:
        """A state with zero gradients."""
        return cls(parts, weights, np.zeros_like(parts), np.zeros_like(weights))

    def two_ways(self) -> Singles:
        """All two-way tables of the model, stacked."""
        return np.asarray(self.parts.T @ (self.parts * self.weights[:, None]))


class Term(Protocol):
    """One kind of measurement."""

    def add(self, state: State) -> None:
        """Add this term's gradients to the state."""
        ...

    def residuals(self, state: State) -> Singles:
        """The residuals times the roots of their precisions."""
        ...

    def sharpened(self, state: State, errors: float) -> Term:
        """The same term with its targets moved on by what the state misses beyond the noise.

        Penalties hold a fit back from strong dependence; adding what they cost to the targets undoes that (a
        Bregman step). ``errors`` over the root of a precision is the distance that counts as noise.
        """
        ...


def moved_on(target: Singles, value: Singles, reach: NDArray[Any] | np.floating[Any]) -> Singles:
    """The target plus what it exceeds the value by, less the reach of noise.

    >>> moved_on(np.float32([1, 1]), np.float32([0.5, 0.9]), np.float32(0.25))
    array([1.25, 1.  ], dtype=float32)
    """
    gap = target - value
    return np.asarray(target + np.sign(gap) * np.maximum(np.abs(gap) - reach, 0), dtype=np.float32)


@dataclass(frozen=True)
class OneWays:
    """All one-way tables, on the finest bins."""

    target: Singles
    precision: Singles

    @classmethod
    def of(cls, layout: Layout, tables: Sequence[NoisyTable], total: float, scale: float) -> OneWays:
        """Sum the noisy values inside each bin; the noise of a bin grows with the values it holds."""
        target, precision = [], []
        for place, column in enumerate(layout.bins):
            bins, counts, variance = _counts_of(place, column, tables)
            held = np.bincount(bins, minlength=column.size)
            target.append(np.bincount(bins, weights=counts, minlength=column.size) / total)
            precision.append(scale * total**2 / (variance * held))
        return cls(np.concatenate(target).astype(np.float32), np.concatenate(precision).astype(np.float32))

    def add(self, state: State) -> None:
        """Add the gradients."""
        residual = (state.weights @ state.parts - self.target) * self.precision
        state.slope += residual
        state.pull += state.parts @ residual

    def residuals(self, state: State) -> Singles:
        """Of all bins."""
        return np.asarray((state.weights @ state.parts - self.target) * np.sqrt(self.precision))

    def sharpened(self, state: State, errors: float) -> OneWays:
        """Move the targets on."""
        reach = np.float32(errors) / np.sqrt(self.precision)
        return replace(self, target=moved_on(self.target, state.weights @ state.parts, reach))


def _counts_of(place: int, column: ColumnBins, tables: Sequence[NoisyTable]) -> tuple[Integers, Floats, float]:
    """The bin, the count and the variance of each value or, of a column counted in stages, of each last cell."""
    if column.stages:
        stages = stage_tables(tables, place)
        return column.fine[column.stages[-1]], leaf_counts(column.stages, stages), float(stages[-1].variance)
    (table,) = (table for table in tables if table.columns == (place,) and table.levels == (-1,))
    return column.fine, table.values.astype(np.float64), float(table.variance)


@dataclass(frozen=True)
class Level:
    """A one-way table on a coarser level than the finest bins."""

    block: slice
    starts: Integers
    widths: Integers
    target: Singles
    precision: np.float32

    @classmethod
    def of(cls, layout: Layout, table: NoisyTable, total: float, scale: float) -> Level:
        """Prepare the table's block."""
        (column,), (level,) = table.columns, table.levels
        binning = layout.bins[column]
        target = (table.values / total).astype(np.float32)
        precision = np.float32(scale * total**2 / float(table.variance))
        return cls(layout.blocks()[column], binning.starts[level], binning.widths(level), target, precision)

    def add(self, state: State) -> None:
        """Add the gradients."""
        residual = np.repeat((self._counts(state) - self.target) * self.precision, self.widths)
        state.slope[:, self.block] += residual
        state.pull += state.parts[:, self.block] @ residual

    def residuals(self, state: State) -> Singles:
        """Of the table."""
        return np.asarray((self._counts(state) - self.target) * np.sqrt(self.precision))

    def sharpened(self, state: State, errors: float) -> Level:
        """Move the targets on."""
        reach = np.float32(errors) / np.sqrt(self.precision)
        return replace(self, target=moved_on(self.target, self._counts(state), reach))

    def _counts(self, state: State) -> Singles:
        return np.add.reduceat(state.weights @ state.parts[:, self.block], self.starts)


@dataclass(frozen=True)
class Parities:
    """Parities of one to three features; the three-way ones are one product of feature pairs with features."""

    signs: Singles  # stacked bins × features
    pairs: tuple[Integers, Integers]
    one_target: Singles
    one_precision: Singles
    two_target: Singles
    two_precision: Singles
    three_target: Singles  # feature pairs × features, each parity three times
    three_precision: Singles

    @classmethod
    def of(
        cls, layout: Layout, features: Features, parities: Sequence[NoisyParities], total: float, scale: float
    ) -> Parities:
        """Lay the measured parities out as symmetric arrays."""
        count = len(features)
        signs = np.zeros((layout.width, count), dtype=np.float32)
        for f, (column, sign) in enumerate(zip(features.columns, features.signs, strict=True)):
            signs[layout.blocks()[column], f] = sign
        index = np.full((count, count), -1)
        first, second = np.triu_indices(count, 1)
        apart = features.columns[first] != features.columns[second]
        first, second = first[apart], second[apart]
        index[first, second] = index[second, first] = np.arange(len(first))
        one, two, three = np.zeros((2, count)), np.zeros((2, count, count)), np.zeros((2, len(first), count))
        for measured in parities:
            entry = np.stack([measured.values / total, np.full(len(measured.values), scale * total**2)])
            entry[1] /= float(measured.variance)
            if measured.subsets.shape[1] == 1:
                one[:, measured.subsets[:, 0]] = entry
            elif measured.subsets.shape[1] == 2:
                i, j = measured.subsets.T
                two[:, i, j] = two[:, j, i] = entry
            else:
                i, j, k = measured.subsets.T
                three[:, index[i, j], k] = three[:, index[i, k], j] = three[:, index[j, k], i] = entry
        orders = [part for order in (one, two, three) for part in order.astype(np.float32)]
        return cls(signs, (first, second), *orders)

    def add(self, state: State) -> None:
        """Add the gradients: the derivative of a symmetric form needs only the last factor, times its order."""
        features = state.parts @ self.signs
        weighted = features * state.weights[:, None]
        two = (features.T @ weighted - self.two_target) * self.two_precision
        slope = features @ two
        state.pull += np.einsum("kf,kf->k", slope, features) / 2
        one = (state.weights @ features - self.one_target) * self.one_precision
        slope += one
        state.pull += features @ one
        if self.three_precision.any():
            products = features[:, self.pairs[0]] * features[:, self.pairs[1]]
            three = (products.T @ weighted - self.three_target) * self.three_precision
            last = products @ three
            state.pull += np.einsum("kf,kf->k", last, features) / 3
            slope += last
        state.slope += slope @ self.signs.T

    def residuals(self, state: State) -> Singles:
        """Of all parities: those of two stand there twice, those of three three times."""
        one, two, three = self._values(state)
        singles = (one - self.one_target) * np.sqrt(self.one_precision)
        pairs = (two - self.two_target) * np.sqrt(self.two_precision / 2)
        triples = (three - self.three_target) * np.sqrt(self.three_precision / 3)
        return np.concatenate([singles, pairs.ravel(), triples.ravel()])

    def sharpened(self, state: State, errors: float) -> Parities:
        """Move the targets on; what was not measured has no precision and stays."""
        values = self._values(state)
        measured = (
            (self.one_target, values[0], self.one_precision),
            (self.two_target, values[1], self.two_precision),
            (self.three_target, values[2], self.three_precision),
        )
        one, two, three = (
            np.where(precision > 0, moved_on(target, value, np.float32(errors) / np.sqrt(precision + _TINY)), target)
            for target, value, precision in measured
        )
        return replace(self, one_target=one, two_target=two, three_target=three)

    def _values(self, state: State) -> tuple[Singles, Singles, Singles]:
        """The model's parities of one, two and three."""
        features = state.parts @ self.signs
        weighted = features * state.weights[:, None]
        products = features[:, self.pairs[0]] * features[:, self.pairs[1]]
        return state.weights @ features, np.asarray(features.T @ weighted), np.asarray(products.T @ weighted)
