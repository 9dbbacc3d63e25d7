"""Private learners as online learners, and the barrier as an experiment (docs/barrier.md).

Nothing here is a private release: losses are public, so noise is drawn in floating point from a seeded generator.
"""

from experiments.online.adversaries import Anticipating, ChasesLastPlay, Oblivious
from experiments.online.convergence import Progress, converge
from experiments.online.hard_games import HardGame
from experiments.online.learners import ContextFTPL, FollowTheLeader, FollowThePrivateLeader, Hedge
from experiments.online.meta_game import MetaGame, stack
from experiments.online.perturbations import GumbelNoise, KHotNoise, NoisyMin, SeparatorNoise
from experiments.online.play import Run, play

__all__ = [
    "Anticipating",
    "ChasesLastPlay",
    "ContextFTPL",
    "FollowTheLeader",
    "FollowThePrivateLeader",
    "GumbelNoise",
    "HardGame",
    "Hedge",
    "KHotNoise",
    "MetaGame",
    "NoisyMin",
    "Oblivious",
    "Progress",
    "Run",
    "SeparatorNoise",
    "converge",
    "play",
    "stack",
]
