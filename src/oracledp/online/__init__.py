"""Private learners as online learners, and the barrier as an experiment (docs/barrier.md).

Nothing here is a private release: losses are public, so noise is drawn in floating point from a seeded generator.
"""

from oracledp.online.adversaries import Anticipating, ChasesLastPlay, Oblivious
from oracledp.online.convergence import Progress, converge
from oracledp.online.hard_games import HardGame
from oracledp.online.learners import ContextFTPL, FollowTheLeader, FollowThePrivateLeader, Hedge
from oracledp.online.meta_game import MetaGame, stack
from oracledp.online.perturbations import GumbelNoise, KHotNoise, NoisyMin, SeparatorNoise
from oracledp.online.play import Run, play

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
