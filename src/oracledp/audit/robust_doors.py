"""``prsma`` as small as it can be: a design for audits that walk or observe whole runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

from oracledp.mechanisms.robust.delta import certified_delta
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples


@cache
def two_samples() -> Design:
    """Two tests of two runs each, on halves of the rows, and one run on a fresh half.

    With one passing test it goes on once in twenty times. The claim is large: two runs cannot see much.
    """
    few = Fraction(1, 20)
    design = Design(
        epsilon=Fraction(4),
        delta=Fraction(1, 10**9),
        rows=2,
        parts=2,
        runs_per_part=2,
        epsilon_inner=Fraction(1, 50),
        pass_probabilities=(Fraction(0), few, 1 - (1 - few) / 54),  # 54 < e^4: giving up costs nothing
        theorem=TwoSamples(Fraction(1, 2)),
    )
    return replace(design, delta=certified_delta(design))
