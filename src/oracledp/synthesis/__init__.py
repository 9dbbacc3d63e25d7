"""Accurate private synthetic data: measure once with exact noise, fit a mixture, round to rows."""

from oracledp.synthesis.linked import LinkedSynthesizer
from oracledp.synthesis.synthesizer import Synthesizer

__all__ = ["LinkedSynthesizer", "Synthesizer"]
