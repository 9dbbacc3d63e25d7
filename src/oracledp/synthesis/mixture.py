"""The model: a mixture of product distributions over binned columns, fitted to noisy measurements by Adam.

Fitting sees released measurements only, so it is post-processing and may use floating point and any random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from oracledp.synthesis.bins import Floats
from oracledp.synthesis.layout import Layout, Singles
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.query_terms import query_terms
from oracledp.synthesis.recipe import Settings
from oracledp.synthesis.terms import Level, OneWays, Pairs, Parities, State, Term

Progress = Callable[[int, int], None]
Point = tuple[Singles, Singles]  # logits, log weights


def silent(done: int, total: int) -> None:
    """No progress report."""


_RATE = 0.1
_SPREAD = 0.6  # how far the components start from the marginals, in logits
_QUICK_COMPONENTS, _QUICK_STEPS = 200, 600  # of the fit between rounds
_SHARPENINGS, _EVIDENCE = 2, 2.5  # how often targets move on, and the standard errors that count as noise
_EXTRA_STEPS, _EXTRA_RATE = 100, 0.03  # when a measurement is added


@dataclass(frozen=True)
class Mixture:
    """Component weights and, stacked over columns, each component's distribution of every column's bins."""

    layout: Layout
    weights: Floats
    parts: Floats  # components × stacked bins

    def two_ways(self) -> Floats:
        """All two-way tables, stacked."""
        return np.asarray(self.parts.T @ (self.parts * self.weights[:, None]))


def fit_mixture(
    measured: Measured, smooth: Sequence[int], generator: np.random.Generator, progress: Progress = silent
) -> Mixture:
    """The average of independently started fits: averaging removes part of what each one fitted of the noise."""
    rule = measured.settings
    fit = _Fit.of(measured, smooth, rule)
    fits = []
    for number in range(rule.ensembles):
        fits.append(fit.sharp_run(fit.start(generator), rule.steps))
        progress(number + 1, rule.ensembles)
    return fit.mixture(fits)


class RunningFit:
    """One small fit that goes on as measurements come in: the data player between rounds of selection."""

    def __init__(self, measured: Measured, smooth: Sequence[int], generator: np.random.Generator) -> None:
        self._smooth = smooth
        self._rule = replace(measured.settings, components=_QUICK_COMPONENTS)
        fit = _Fit.of(measured, smooth, self._rule)
        self._point = fit.run(fit.start(generator), _QUICK_STEPS, _RATE)
        self.mixture = fit.mixture([self._point])

    def extend(self, measured: Measured) -> None:
        """Go on from where the fit stands, with more measurements."""
        fit = _Fit.of(measured, self._smooth, self._rule)
        self._point = fit.run(self._point, _EXTRA_STEPS, _EXTRA_RATE)
        self.mixture = fit.mixture([self._point])


def _count(measured: Measured) -> int:
    counts = [t.values.size for t in measured.tables]
    counts += [p.values.size for p in measured.parities]
    return sum(counts) + sum(q.values.size for q in measured.queries)


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


@dataclass
class _Fit:
    layout: Layout
    terms: list[Term]
    reference: Singles  # log marginals
    steps: Singles
    rule: Settings
    divergence: np.float32
    scale: float

    @classmethod
    def of(cls, measured: Measured, smooth: Sequence[int], rule: Settings) -> _Fit:
        """The terms of everything measured so far."""
        layout = Layout(measured.bins)
        reference = np.concatenate([measured.fine_marginal(c) for c in range(len(measured.bins))])
        divergence = np.float32(rule.divergence / max(_count(measured), 1) ** 0.5)
        logs = np.log(reference).astype(np.float32)
        scale = 1.0 / max(_count(measured), 1)
        return cls(layout, _terms(layout, measured, scale), logs, layout.steps(smooth), rule, divergence, scale)

    def run(self, point: Point, steps: int, rate: float) -> Point:
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
        fit, point = self, self.run(point, steps - _SHARPENINGS * last, _RATE)
        for _ in range(_SHARPENINGS):
            state = State.at(self._distributions(point[0]), _softmax(point[1]))
            fit = replace(fit, terms=[term.sharpened(state, _EVIDENCE * self.scale**0.5) for term in fit.terms])
            point = fit.run(point, last, _RATE / 2)
        return point

    def mixture(self, points: Sequence[Point]) -> Mixture:
        """The average of the distributions at some points."""
        weights = np.concatenate([_softmax(log_weights) for _, log_weights in points]).astype(np.float64)
        parts = np.concatenate([self._distributions(logits) for logits, _ in points]).astype(np.float64)
        return Mixture(self.layout, weights / weights.sum(), parts)

    def start(self, generator: np.random.Generator) -> Point:
        """The marginals' logits plus noise, which walks along ordered columns so that it is smooth there."""
        noise = generator.standard_normal((self.rule.components, self.layout.width))
        for block in self.layout.blocks():
            if self.steps[block.start : block.stop - 1].any():
                walk = np.cumsum(noise[:, block], axis=1) * 1.7 / np.sqrt(block.stop - block.start)
                noise[:, block] = walk - walk.mean(axis=1, keepdims=True)
        logits = np.asarray(self.reference + _SPREAD * noise, dtype=np.float32)
        return logits, np.zeros(self.rule.components, dtype=np.float32)

    def _distributions(self, logits: Singles) -> Singles:
        powers = np.exp(logits - logits.max(axis=1, keepdims=True)) + np.float32(1e-30)
        sums = np.add.reduceat(powers, self.layout.starts, axis=1)
        return np.asarray(powers / np.repeat(sums, self.layout.sizes, axis=1))

    def _gradients(self, logits: Singles, log_weights: Singles) -> list[Singles]:
        state = State.at(self._distributions(logits), _softmax(log_weights))
        for term in self.terms:
            term.add(state)
        ratio = np.log(np.maximum(state.parts, np.float32(1e-12))) - self.reference
        state.slope += self.divergence * ratio
        state.pull += self.divergence * np.einsum("kd,kd->k", state.parts, ratio)
        product = state.parts * state.slope
        inner = np.repeat(np.add.reduceat(product, self.layout.starts, axis=1), self.layout.sizes, axis=1)
        gradient = product - state.parts * inner + self._roughness(logits)
        scale = np.float32(self.rule.components) * state.weights
        pull = state.pull - state.weights @ state.pull
        return [gradient * scale[:, None], pull * scale]

    def _roughness(self, logits: Singles) -> Singles:
        """The gradient of the squared differences, along ordered columns, of the log ratio to the marginal."""
        tilt = logits - self.reference
        most, counts = self.rule.smoothness
        slope = np.diff(tilt, axis=1) * self.steps * np.float32(min(most, counts * self.scale))
        gradient = np.zeros_like(tilt)
        gradient[:, 1:] += slope
        gradient[:, :-1] -= slope
        return gradient


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
