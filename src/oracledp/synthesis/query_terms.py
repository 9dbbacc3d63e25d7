"""The terms of the fit for single queries: products over columns, and sums of scores by convolution.

Both see the signed count of a query, the sum of 2q - 1, as the meter measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.counted import CountedQuery
from oracledp.synthesis.layout import Layout, Singles
from oracledp.synthesis.measurements import NoisyQueries
from oracledp.synthesis.terms import State, Term, moved_on


def query_terms(
    layout: Layout, marginals: Sequence[Floats], measured: Sequence[NoisyQueries], total: float, scale: float
) -> list[Term]:
    """The terms of all measured queries: one for all products together, one for each other query."""
    products: list[tuple[CountedQuery, float, float]] = []
    terms: list[Term] = []
    for group in measured:
        precision = scale * total**2 / float(group.variance)
        for query, value in zip(group.queries, group.values.tolist(), strict=True):
            if query.product() is not None:
                products.append((query, value / total, precision))
            else:
                terms.append(Convolution.of(layout, marginals, query, value / total, precision))
    return [Products.of(layout, marginals, products), *terms] if products else terms


def spread(layout: Layout, marginals: Sequence[Floats], column: int, table: Floats) -> Singles:
    """A table over a column's codes (codes × anything) as its means inside the bins, by the column's distribution."""
    fine, mass = layout.bins[column].fine, marginals[column]
    held = np.zeros((layout.bins[column].size, len(fine)))
    held[fine, np.arange(len(fine))] = mass
    held /= held.sum(axis=1, keepdims=True)
    return np.asarray(held @ table, dtype=np.float32)


@dataclass(frozen=True)
class Products:
    """All queries of the form a + b·(product over columns): conjunctions, disjunctions, parities."""

    blocks: tuple[slice, ...]
    factors: tuple[Singles, ...]  # per column that some query reads: bins × queries
    constant: Singles
    slope: Singles
    target: Singles
    precision: Singles

    @classmethod
    def of(
        cls, layout: Layout, marginals: Sequence[Floats], queries: Sequence[tuple[CountedQuery, float, float]]
    ) -> Products:
        """Lay the factors of all queries side by side; a query is one everywhere on a column that it does not read."""
        found = [query.product() for query, _, _ in queries]
        forms = [form for form in found if form is not None]
        blocks, factors = [], []
        for column, block in enumerate(layout.blocks()):
            table = np.ones((len(layout.bins[column].fine), len(queries)))
            for place, ((query, _, _), form) in enumerate(zip(queries, forms, strict=True)):
                if column in query.columns:
                    table[:, place] = form[2][query.columns.index(column)]
            if np.any(table != 1.0):
                blocks.append(block)
                factors.append(spread(layout, marginals, column, table))
        return cls(
            tuple(blocks),
            tuple(factors),
            np.array([2 * a - 1 for a, _, _ in forms], dtype=np.float32),
            np.array([2 * b for _, b, _ in forms], dtype=np.float32),
            np.array([value for _, value, _ in queries], dtype=np.float32),
            np.array([precision for _, _, precision in queries], dtype=np.float32),
        )

    def add(self, state: State) -> None:
        """Add the gradients: the product without one column comes from products before and after it."""
        held, before = self._products(state)
        residual = self.constant + self.slope * (state.weights @ before[-1]) - self.target
        pull = self.slope * residual * self.precision
        state.pull += before[-1] @ pull
        after = np.broadcast_to(pull, before[0].shape)
        for number in range(len(held) - 1, -1, -1):
            state.slope[:, self.blocks[number]] += (before[number] * after) @ self.factors[number].T
            after = after * held[number]

    def residuals(self, state: State) -> Singles:
        """Of all queries."""
        return np.asarray((self._values(state) - self.target) * np.sqrt(self.precision))

    def sharpened(self, state: State, errors: float) -> Products:
        """Move the targets on."""
        value = self._values(state)
        return replace(self, target=moved_on(self.target, value, np.float32(errors) / np.sqrt(self.precision)))

    def _values(self, state: State) -> Singles:
        return np.asarray(self.constant + self.slope * (state.weights @ self._products(state)[1][-1]))

    def _products(self, state: State) -> tuple[list[Singles], list[Singles]]:
        """Each column's factor in each component, and the products of all columns before it."""
        held = [state.parts[:, block] @ factor for block, factor in zip(self.blocks, self.factors, strict=True)]
        before = [np.ones((len(state.weights), len(self.target)), dtype=np.float32)]
        for values in held:
            before.append(before[-1] * values)
        return held, before


@dataclass(frozen=True)
class Convolution:
    """One query that reads a sum of scores, such as a halfspace: columns are independent inside a component."""

    blocks: tuple[slice, ...]
    steps: tuple[Integers, ...]  # per column: its distinct scores
    shares: tuple[Singles, ...]  # per column: bins × distinct scores
    accept: Singles
    target: np.float32
    precision: np.float32

    @classmethod
    def of(
        cls, layout: Layout, marginals: Sequence[Floats], query: CountedQuery, target: float, precision: float
    ) -> Convolution:
        """The distribution of each column's score given its bin."""
        blocks, steps, shares = [], [], []
        for column, score in zip(query.columns, query.scores, strict=True):
            distinct = np.unique(score)
            blocks.append(layout.blocks()[column])
            steps.append(distinct)
            shares.append(spread(layout, marginals, column, (score[:, None] == distinct).astype(np.float64)))
        accept = 2 * query.accept.astype(np.float32) - 1
        return cls(tuple(blocks), tuple(steps), tuple(shares), accept, np.float32(target), np.float32(precision))

    def add(self, state: State) -> None:
        """Add the gradients: a forward pass over the columns gives the law of the sum, a backward pass its worth."""
        laws, forward = self._sums(state)
        width = len(self.accept)
        value = forward[-1] @ self.accept
        pull = (state.weights @ value - self.target) * self.precision
        state.pull += pull * value
        worth = np.broadcast_to(self.accept, forward[0].shape)
        for number in range(len(laws) - 1, -1, -1):
            gains = []
            earlier = np.zeros_like(forward[0])
            for place, step in enumerate(self.steps[number].tolist()):
                gains.append(np.einsum("kt,kt->k", forward[number][:, : width - step], worth[:, step:]))
                earlier[:, : width - step] += worth[:, step:] * laws[number][:, place, None]
            state.slope[:, self.blocks[number]] += pull * (np.stack(gains, axis=1) @ self.shares[number].T)
            worth = earlier

    def residuals(self, state: State) -> Singles:
        """Of this query."""
        return np.array([(self._value(state) - self.target) * self.precision**0.5], dtype=np.float32)

    def sharpened(self, state: State, errors: float) -> Convolution:
        """Move the target on."""
        value = self._value(state)
        target = moved_on(np.asarray(self.target), np.asarray(value), np.float32(errors) / np.sqrt(self.precision))
        return replace(self, target=np.float32(target))

    def _value(self, state: State) -> np.float32:
        return np.float32(state.weights @ (self._sums(state)[1][-1] @ self.accept))

    def _sums(self, state: State) -> tuple[list[Singles], list[Singles]]:
        """Each column's law of scores in each component, and the law of the sum after each column."""
        laws = [state.parts[:, block] @ share for block, share in zip(self.blocks, self.shares, strict=True)]
        width = len(self.accept)
        forward = [np.zeros((len(state.weights), width), dtype=np.float32)]
        forward[0][:, 0] = 1
        for steps, law in zip(self.steps, laws, strict=True):
            after = np.zeros_like(forward[0])
            for place, step in enumerate(steps.tolist()):
                after[:, step:] += forward[-1][:, : width - step] * law[:, place, None]
            forward.append(after)
        return laws, forward
