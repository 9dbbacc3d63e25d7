"""Online learners over a finite class: each sees the summed losses of the past and draws a query."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Protocol

import numpy as np

from experiments.online import theorems
from experiments.online.perturbations import Floats, Perturbation
from oracledp import bounds


class Learner(Protocol):
    """A rule that turns past losses into a random query, with fresh coins every time it is asked."""

    def choose(self, past: Floats, rng: np.random.Generator, count: int = 1) -> list[int]:
        """``count`` independent draws from this round's law."""
        ...

    def guaranteed_regret(self, rounds: int) -> float:
        """The proven bound on its average regret against any adversary, adaptive or not."""
        ...


@dataclass(frozen=True)
class FollowThePrivateLeader:
    """Definition "Follow the Private Leader": at every round the pERM's choice on all records so far."""

    perturbation: Perturbation

    def choose(self, past: Floats, rng: np.random.Generator, count: int = 1) -> list[int]:
        """The minimiser of past losses plus fresh noise."""
        return [int(q) for q in np.argmin(past + self.perturbation.draw(rng, count), axis=1)]

    def guaranteed_regret(self, rounds: int) -> float:
        """The corrected theorem."""
        noise = self.perturbation
        return theorems.private_leader(epsilon=noise.epsilon, spread=noise.spread, rounds=rounds)


@dataclass(frozen=True, eq=False)
class ContextFTPL:
    """Context-FTPL: Laplace noise of scale μ on a separator set, fresh at every round."""

    embedding: Floats
    scale: float

    @classmethod
    def tuned(cls, embedding: Floats, rounds: int) -> ContextFTPL:
        """With the scale that minimises the bound for so many rounds."""
        size, elements = embedding.shape
        return cls(embedding, bounds.context_ftpl(elements, log(size), rounds=rounds).scale)

    def choose(self, past: Floats, rng: np.random.Generator, count: int = 1) -> list[int]:
        """The minimiser of past losses and noisy separator elements: one call to a weighted oracle."""
        noise = rng.laplace(scale=self.scale, size=(count, self.embedding.shape[1]))
        return [int(q) for q in np.argmin(past + noise @ self.embedding.T, axis=1)]

    def guaranteed_regret(self, rounds: int) -> float:
        """m/μ + Bμ/T."""
        size, elements = self.embedding.shape
        return bounds.context_ftpl(elements, log(size), rounds=rounds, scale=self.scale).regret


@dataclass(frozen=True)
class Hedge:
    """Multiplicative weights: Pr[q] ∝ exp(-rate·loss). It reads all N losses at every round."""

    rate: float

    @classmethod
    def tuned(cls, size: int, rounds: int) -> Hedge:
        """With the best fixed rate for so many rounds, sqrt(8 ln N/T)."""
        return cls(sqrt(8 * log(size) / rounds))

    def law(self, past: Floats) -> Floats:
        """This round's distribution."""
        weights = np.exp(-self.rate * (past - past.min()))
        return np.asarray(weights / weights.sum())

    def choose(self, past: Floats, rng: np.random.Generator, count: int = 1) -> list[int]:
        """Draws from the law."""
        return [int(q) for q in rng.choice(len(past), size=count, p=self.law(past))]

    def guaranteed_regret(self, rounds: int) -> float:
        """Valid for the tuned rate only."""
        return self.rate / 4


@dataclass(frozen=True)
class FollowTheLeader:
    """No noise at all: what the perturbation is for. An adaptive adversary makes its regret constant."""

    def choose(self, past: Floats, rng: np.random.Generator, count: int = 1) -> list[int]:
        """The first minimiser."""
        return [int(np.argmin(past))] * count

    def guaranteed_regret(self, rounds: int) -> float:
        """Nothing is guaranteed."""
        return 1.0
