"""PRSMA: privacy that survives a failing oracle (proofs/prsma.md)."""

from oracledp.mechanisms.robust.delta import certified_delta, certified_epsilon
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import design_prsma
from oracledp.mechanisms.robust.mechanism import NothingReleased, RobustMechanism, prsma

__all__ = [
    "Design",
    "NothingReleased",
    "RobustMechanism",
    "certified_delta",
    "certified_epsilon",
    "design_prsma",
    "prsma",
]
