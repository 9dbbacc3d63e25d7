"""Perturbed empirical risk minimisers: a law of noise on the losses of all queries, private when one loss is added.

S_t and S_{t+1} differ by one *added* record (erratum A10), so every scale is the add/remove-one scale, Δ = 1, and
holds for losses anywhere in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from experiments.online import theorems

Floats = NDArray[np.float64]


class Perturbation(Protocol):
    """A pERM's noise Z: ``epsilon`` of the minimiser it makes, and ``spread`` = max E[Z_q] - E[min Z_q]."""

    @property
    def epsilon(self) -> float:
        """The privacy parameter when one loss is added."""
        ...

    @property
    def spread(self) -> float:
        """B of the regret theorem, or an upper bound on it."""
        ...

    def draw(self, rng: np.random.Generator, count: int = 1) -> Floats:
        """``count`` independent noise vectors, one row each."""
        ...


@dataclass(frozen=True)
class NoisyMin:
    """Report-noisy-min: one-sided exponential noise of scale 1/ε on each query."""

    size: int
    epsilon: float

    @property
    def spread(self) -> float:
        """(H_N - 1)/ε."""
        return theorems.noisy_min_spread(self.size, epsilon=self.epsilon)

    def draw(self, rng: np.random.Generator, count: int = 1) -> Floats:
        """Noise on (-inf, 0]."""
        return -rng.exponential(1 / self.epsilon, size=(count, self.size))


@dataclass(frozen=True)
class GumbelNoise:
    """The exponential mechanism as a pERM: Gumbel noise of scale 1/ε makes Pr[q] ∝ exp(-ε·L(q))."""

    size: int
    epsilon: float

    @property
    def spread(self) -> float:
        """ln N/ε."""
        return theorems.gumbel_spread(log(self.size), epsilon=self.epsilon)

    def draw(self, rng: np.random.Generator, count: int = 1) -> Floats:
        """Minus Gumbel noise: the argmin of losses plus it has Gibbs' law."""
        return -rng.gumbel(scale=1 / self.epsilon, size=(count, self.size))


@dataclass(frozen=True, eq=False)
class SeparatorNoise:
    """RSPM: Laplace noise of scale m/ε on a separator set; row q of ``embedding`` is (q(e_1), …, q(e_m))."""

    embedding: Floats
    epsilon: float

    @property
    def spread(self) -> float:
        """The maximum of N sums of Laplace variables."""
        size, elements = self.embedding.shape
        return theorems.separator_spread(elements, log(size), epsilon=self.epsilon)

    def draw(self, rng: np.random.Generator, count: int = 1) -> Floats:
        """Correlated noise: the same m draws for all queries."""
        elements = self.embedding.shape[1]
        noise = rng.laplace(scale=elements / self.epsilon, size=(count, elements))
        return np.asarray(noise @ self.embedding.T)


@dataclass(frozen=True, eq=False)
class KHotNoise:
    """RSPM on parts: one-sided noise of scale k/ε; every row of ``embedding`` has exactly k ones (trap P2)."""

    embedding: Floats
    epsilon: float

    @property
    def hot(self) -> int:
        """k."""
        return int(self.embedding[0].sum())

    @property
    def spread(self) -> float:
        """(k²/ε)(H_M - H_k)."""
        return theorems.k_hot_spread(self.hot, self.embedding.shape[1], epsilon=self.epsilon)

    def draw(self, rng: np.random.Generator, count: int = 1) -> Floats:
        """The sum of the noise of a query's parts."""
        noise = -rng.exponential(self.hot / self.epsilon, size=(count, self.embedding.shape[1]))
        return np.asarray(noise @ self.embedding.T)
