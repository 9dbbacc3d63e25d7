"""Who chooses the records: an oblivious sequence, and adaptive adversaries that know the learner's algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from experiments.online.learners import Learner
from experiments.online.perturbations import Floats


class Adversary(Protocol):
    """Chooses the next column of the loss matrix from everything that was played so far."""

    def choose(
        self, losses: Floats, past: Floats, plays: Sequence[int], learner: Learner, rng: np.random.Generator
    ) -> int:
        """The column of this round; the learner's coins of this round are not known to it."""
        ...


@dataclass(frozen=True)
class Oblivious:
    """A uniformly random column, whatever the learner does."""

    def choose(
        self, losses: Floats, past: Floats, plays: Sequence[int], learner: Learner, rng: np.random.Generator
    ) -> int:
        """Any column."""
        return int(rng.integers(losses.shape[1]))


@dataclass(frozen=True)
class ChasesLastPlay:
    """The column on which the learner's last play was worst; among equals the one best for the leader."""

    def choose(
        self, losses: Floats, past: Floats, plays: Sequence[int], learner: Learner, rng: np.random.Generator
    ) -> int:
        """A best response to one pure play."""
        if not plays:
            return int(rng.integers(losses.shape[1]))
        return int(np.argmax(losses[plays[-1]] - 1e-6 * losses[int(np.argmin(past))]))


@dataclass(frozen=True)
class Anticipating:
    """Knows the algorithm and the past: samples the learner's law and plays the column that hurts it most."""

    samples: int = 32

    def choose(
        self, losses: Floats, past: Floats, plays: Sequence[int], learner: Learner, rng: np.random.Generator
    ) -> int:
        """A best response to the estimated law, net of what an average query loses there."""
        expected = losses[learner.choose(past, rng, self.samples)].mean(axis=0)
        return int(np.argmax(expected - losses.mean(axis=0)))
