"""Fitting a mixture to noisy measurements by Adam, held back by a pull and by a penalty on roughness.

Fitting sees released measurements only, so it is post-processing and may use floating point and any random numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from oracledp.synthesis.bins import Floats
from oracledp.synthesis.copula import Factors
from oracledp.synthesis.layout import Layout, Singles
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.pair_terms import Pairs
from oracledp.synthesis.query_terms import query_terms
from oracledp.synthesis.terms import Level, OneWays, Parities, State, Term

Point = tuple[Singles, Singles]  # logits, log weights

_RATE = 0.1
_SPREAD = 0.3  # how far the components start from what they are pulled towards, in logits
_LOOSE, _APART_STEPS = 0.1, 100  # pull and steps of independent columns
_LEAST = -25.0  # logits of what the factors all but rule out
_SHARPENINGS, _EVIDENCE = 2, 2.5  # how often targets move on, and the standard errors that count as noise


class Towards(Enum):
    """What components are pulled towards: the columns' own distributions, or each its own draw of released factors.

    Factors order the values of a column, or set its commonest value, such as zero, apart from the order of the others.
    """

    INDEPENDENCE = "independence"
    ORDER = "order"
    ATOMS = "atoms"


@dataclass(frozen=True)
class Pull:
    """How a fit is held back: towards what, how strongly, and how much roughness along ordered columns costs."""

    towards: Towards = Towards.ORDER
    divergence: float = 1.5  # times the rule's
    smoothness: float = 0.0


def _terms(layout: Layout, measured: Measured, scale: float) -> list[Term]:
    """All terms, scaled by the number of measured counts, so that the loss is near one half at the truth."""
    one = [t for t in measured.tables if len(t.columns) == 1 and t.levels[0] < 0]
    levels = [t for t in measured.tables if len(t.columns) == 1 and t.levels[0] >= 0]
    two = [t for t in measured.tables if len(t.columns) == 2]
    terms: list[Term] = [OneWays.of(layout, one, measured.total, scale)]
    terms += [Level.of(layout, table, measured.total, scale) for table in levels]
    if two:
        terms.append(Pairs.of(layout, two, measured.total, scale))
    if measured.parities:
        terms.append(Parities.of(layout, measured.features, measured.parities, measured.total, scale))
    return terms + query_terms(layout, measured.marginals, measured.queries, measured.total, scale)


@dataclass(frozen=True)
class Fit:
    """All terms of a loss, and how it is minimised."""

    layout: Layout
    terms: list[Term]
    factors: Mapping[Towards, Factors]  # that were released
    start: Singles  # what each component is pulled towards, as logarithms
    marginals: Singles
    steps: Singles
    pull: Pull
    weight: float  # of the divergence, by rule
    scale: float

    @classmethod
    def of(cls, measured: Measured, smooth: Sequence[int]) -> Fit:
        """Everything measured so far, with a single component: the columns' own distributions."""
        layout, count = Layout(measured.bins), max(measured.released, 1)
        marginals = np.log(np.concatenate([measured.fine_marginal(c) for c in range(len(measured.bins))]))
        return cls(
            layout,
            _terms(layout, measured, 1.0 / count),
            _factors(measured, smooth),
            marginals[None].astype(np.float32),
            marginals.astype(np.float32),
            layout.steps(smooth),
            Pull(Towards.INDEPENDENCE, _LOOSE),
            measured.settings.divergence / count**0.5,
            1.0 / count,
        )

    def centred(self) -> Fit:
        """With the independent columns that fit all counts best as reference: pairs tell of their margins too."""
        logits, _ = self.run(self.alone, _APART_STEPS)
        apart = np.log(np.maximum(self._distributions(logits), np.float32(1e-12)))
        return replace(self, start=apart, marginals=apart[0])

    @property
    def alone(self) -> Point:
        """The reference as a mixture of one component."""
        return self.marginals[None], np.zeros(1, dtype=np.float32)

    def begun(self, components: int, generator: np.random.Generator) -> Fit:
        """With as many components, each with what it is pulled towards."""
        factors = self.factors.get(self.pull.towards)
        if factors is None:
            return replace(self, start=np.repeat(self.marginals[None], components, axis=0))
        shift = self.marginals - np.concatenate([np.log(column.mass) for column in factors.columns])
        logits = np.maximum(factors.logits(components, generator) + shift, _LEAST)
        return replace(self, start=logits.astype(np.float32))

    def residuals(self, point: Point) -> Floats:
        """How far a point is from each count, in standard deviations of its noise."""
        state = self._state(point)
        found = np.concatenate([term.residuals(state) for term in self.terms])
        return np.asarray(found / self.scale**0.5, dtype=np.float64)

    def first(self, generator: np.random.Generator) -> Point:
        """What components are pulled towards, plus noise, which is smooth along ordered columns: it walks there."""
        noise = generator.standard_normal(self.start.shape)
        for block in self.layout.blocks():
            if self.steps[block.start : block.stop - 1].any():
                walk = np.cumsum(noise[:, block], axis=1) * 1.7 / np.sqrt(block.stop - block.start)
                noise[:, block] = walk - walk.mean(axis=1, keepdims=True)
        logits = np.asarray(self.start + _SPREAD * noise, dtype=np.float32)
        return logits, np.zeros(len(logits), dtype=np.float32)

    def run(self, point: Point, steps: int, rate: float = _RATE) -> Point:
        """Minimise from a point by Adam with cosine decay."""
        logits, log_weights = (part.copy() for part in point)
        adam = _Adam([logits, log_weights])
        for step in range(steps):
            gradients = self._gradients(logits, log_weights)
            adam.step(gradients, rate * 0.5 * (1 + np.cos(np.pi * step / steps)) + 1e-4)
        return logits, log_weights

    def sharp_run(self, point: Point, steps: int) -> Point:
        """Minimise, then go on towards targets that make up for what the penalties held back."""
        last = steps // 6
        fit, point = self, self.run(point, steps - _SHARPENINGS * last)
        for _ in range(_SHARPENINGS):
            state = self._state(point)
            fit = replace(fit, terms=[term.sharpened(state, _EVIDENCE * self.scale**0.5) for term in fit.terms])
            point = fit.run(point, last, _RATE / 2)
        return point

    def mixture(self, point: Point) -> Mixture:
        """The distributions at a point."""
        weights = _softmax(point[1]).astype(np.float64)
        return Mixture(self.layout, weights / weights.sum(), self._distributions(point[0]).astype(np.float64))

    def extended(self, measured: Measured) -> Fit:
        """The same fit with the terms of more measurements."""
        count = max(measured.released, 1)
        weight = measured.settings.divergence / count**0.5
        terms = _terms(self.layout, measured, 1.0 / count)
        return replace(self, terms=terms, weight=weight, scale=1.0 / count)

    def _state(self, point: Point) -> State:
        return State.at(self._distributions(point[0]), _softmax(point[1]))

    def _distributions(self, logits: Singles) -> Singles:
        powers = np.exp(logits - logits.max(axis=1, keepdims=True)) + np.float32(1e-30)
        sums = np.add.reduceat(powers, self.layout.starts, axis=1)
        return np.asarray(powers / np.repeat(sums, self.layout.sizes, axis=1))

    def _gradients(self, logits: Singles, log_weights: Singles) -> list[Singles]:
        state = self._state((logits, log_weights))
        for term in self.terms:
            term.add(state)
        divergence = np.float32(self.pull.divergence * self.weight)
        ratio = np.log(np.maximum(state.parts, np.float32(1e-12))) - self.start
        state.slope += divergence * ratio
        state.pull += divergence * np.einsum("kd,kd->k", state.parts, ratio)
        product = state.parts * state.slope
        inner = np.repeat(np.add.reduceat(product, self.layout.starts, axis=1), self.layout.sizes, axis=1)
        gradient = product - state.parts * inner
        if self.pull.smoothness > 0:
            gradient += self._roughness(logits)
        scale = np.float32(len(logits)) * state.weights
        pull = state.pull - state.weights @ state.pull
        return [gradient * scale[:, None], pull * scale]

    def _roughness(self, logits: Singles) -> Singles:
        """The gradient of the squared differences, along ordered columns, of the log ratio to the reference."""
        tilt = logits - self.start
        slope = np.diff(tilt, axis=1) * self.steps * np.float32(self.pull.smoothness)
        gradient = np.zeros_like(tilt)
        gradient[:, 1:] += slope
        gradient[:, :-1] -= slope
        return gradient


def _factors(measured: Measured, smooth: Sequence[int]) -> dict[Towards, Factors]:
    """Those that stand out from the noise, of either kind."""
    found = {Towards.ORDER: Factors.of(measured, smooth), Towards.ATOMS: Factors.apart(measured, smooth)}
    return {towards: factors for towards, factors in found.items() if factors is not None and factors.count > 0}


class _Adam:
    """Adam with momenta 0.9 and 0.99, in place."""

    def __init__(self, values: list[Singles]) -> None:
        self.values = values
        self.first = [np.zeros_like(value) for value in values]
        self.second = [np.zeros_like(value) for value in values]
        self.count = 0

    def step(self, gradients: list[Singles], rate: float) -> None:
        self.count += 1
        for value, gradient, first, second in zip(self.values, gradients, self.first, self.second, strict=True):
            first += np.float32(0.1) * (gradient - first)
            second += np.float32(0.01) * (gradient * gradient - second)
            size = np.sqrt(second / np.float32(1 - 0.99**self.count)) + np.float32(1e-8)
            value -= np.float32(rate / (1 - 0.9**self.count)) * first / size


def _softmax(values: Singles) -> Singles:
    powers = np.exp(values - values.max())
    return np.asarray(powers / powers.sum())
