"""A run of online learning: rounds of play against an adversary, and the regret that was measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.online.adversaries import Adversary
from experiments.online.learners import Learner
from experiments.online.perturbations import Floats


@dataclass(frozen=True, eq=False)
class Run:
    """What was played, and the average regret after each round against the best query in hindsight."""

    plays: NDArray[np.int64]
    columns: NDArray[np.int64]
    regrets: Floats

    @property
    def regret(self) -> float:
        """The average regret at the end."""
        return float(self.regrets[-1])


def play(losses: Floats, learner: Learner, adversary: Adversary, *, rounds: int, seed: int) -> Run:
    """Play ``rounds`` rounds; ``losses[q, x]`` in [0, 1] is what query q loses on record x.

    >>> from experiments.online import Anticipating, FollowTheLeader
    >>> play(np.eye(2), FollowTheLeader(), Anticipating(), rounds=100, seed=0).regret  # it loses every round
    0.5
    """
    rng = np.random.default_rng(seed)
    past = np.zeros(len(losses))
    plays: list[int] = []
    columns: list[int] = []
    paid, regrets = 0.0, np.empty(rounds)
    for t in range(rounds):
        column = adversary.choose(losses, past, plays, learner, rng)
        query = learner.choose(past, rng)[0]
        paid += float(losses[query, column])
        past = past + losses[:, column]
        plays.append(query)
        columns.append(column)
        regrets[t] = (paid - past.min()) / (t + 1)
    return Run(np.array(plays), np.array(columns), regrets)
