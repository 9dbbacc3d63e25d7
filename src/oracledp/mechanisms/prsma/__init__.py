"""PRSMA: privacy that survives a failing oracle (proofs/prsma.md)."""

from oracledp.mechanisms.prsma.delta import certified_delta, certified_epsilon
from oracledp.mechanisms.prsma.design import Design
from oracledp.mechanisms.prsma.designer import design_prsma
from oracledp.mechanisms.prsma.mechanism import NothingReleased, RobustMechanism, prsma
from oracledp.mechanisms.prsma.paper import paper_design

__all__ = [
    "Design",
    "NothingReleased",
    "RobustMechanism",
    "certified_delta",
    "certified_epsilon",
    "design_prsma",
    "paper_design",
    "prsma",
]
