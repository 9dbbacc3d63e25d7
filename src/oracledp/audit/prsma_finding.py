"""A small certified PRSMA design and the worst that a search finds an oracle can do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from oracledp.audit.exact_law import Finding
from oracledp.audit.worst_oracles import Setting, alike_parts_search
from oracledp.mechanisms.robust.delta import certified_delta
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.theorem_independent import IndependentLabels
from oracledp.privacy.guarantee import Neighbours

RUNS = 200


@cache
def audited_design(runs: int = RUNS) -> Design:
    """A small certified design with a Laplace test and parts that are all but alike: what is left is failures."""
    design = Design(
        epsilon=Fraction(1),
        delta=Fraction(1, 2),
        rows=3000,
        parts=30,
        runs_per_part=runs,
        epsilon_inner=Fraction(1, 10**6),
        pass_probabilities=laplace_table(30, Fraction(3, 5), 20),
        minimum_passing=8,
        theorem=IndependentLabels(Fraction(10), Fraction(40), Fraction(40)),
    )
    return replace(design, delta=certified_delta(design))


def finding(name: str, exact_delta: float) -> Finding:
    """A computed delta against the design's claim."""
    claimed = audited_design().guarantee(Neighbours.REPLACE_ONE)
    return Finding(name, claimed, 0.0, float("inf"), exact_delta, exact_delta, 1)


def robust_finding() -> Finding:
    """The right mechanism against the worst oracle found."""
    return finding("prsma", alike_parts_search(Setting.of(audited_design()), perfect=rare(RUNS)))


def rare(runs: int) -> Sequence[float]:
    """Probabilities of an event about as rare as what R runs can miss."""
    return [share / runs for share in (0.1, 0.3, 0.6, 1.0)]
