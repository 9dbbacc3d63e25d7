"""A small certified PRSMA design and the worst that a search finds an oracle can do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from oracledp.audit.exact_law import Finding
from oracledp.audit.worst_oracles import Likely, Setting, worst_excess
from oracledp.mechanisms.robust.delta import certified_delta
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.privacy.guarantee import Neighbours

RUNS = 200


@cache
def audited_design(runs: int = RUNS) -> Design:
    """A small certified design with a Laplace test and samples that are all but alike: what is left is failures."""
    design = Design(
        epsilon=Fraction(1),
        delta=Fraction(1, 10**9),  # no claim that cells could stop at
        rows=3000,
        parts=40,
        runs_per_part=runs,
        epsilon_inner=Fraction(1, 10**6),
        pass_probabilities=tuple(min(p, Fraction(49, 50)) for p in laplace_table(40, Fraction(3, 5), 30)),
        theorem=TwoSamples(Fraction(1, 80)),
    )
    return replace(design, delta=certified_delta(design))


def finding(name: str, exact_delta: float) -> Finding:
    """A computed delta against the design's claim."""
    claimed = audited_design().guarantee(Neighbours.REPLACE_ONE)
    return Finding(name, claimed, 0.0, float("inf"), exact_delta, exact_delta, 1)


def robust_finding() -> Finding:
    """The right mechanism against the worst oracle found."""
    return finding("prsma", worst_excess(Setting.of(audited_design()), rare(RUNS)))


def rare(runs: int) -> Sequence[Likely]:
    """Probabilities of an event about as rare as what R runs can miss, the same with the changed record and without."""
    return [(share / runs, share / runs) for share in (0.1, 0.3, 1.0, 0.3 * runs)]
