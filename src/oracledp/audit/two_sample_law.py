"""Theorem 7 of proofs/prsma.md once more, from the words of the proof: the law of its mechanism, and its δ.

A claim of δ may be loose enough to hide a mistake in the runs, so what ships is also held to the law itself: tests on
subsamples, a ladder, and one run on a fresh subsample that is independent of them all.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import comb, exp, log, log1p, prod, sqrt
from typing import Any

from oracledp.audit.doors import Door, Entry, FrontDoorFinding, judge, law_through, walked
from oracledp.audit.draw_laws import UNIT
from oracledp.audit.enumeration import RunLaw
from oracledp.audit.exact_law import DataSet, Finding
from oracledp.mechanisms.robust.design import Design
from oracledp.privacy.guarantee import Neighbours

ROUNDING = 1e-9
POINTS = 400
Rules = dict[Hashable, float]  # what is released, None for nothing, and how likely it is


@dataclass(frozen=True)
class TwoSampleFinding(FrontDoorFinding):
    """Claimed against exact; ``apart`` is how far some probability lies from what the proof speaks of."""

    apart: float = 0.0

    @property
    def broken(self) -> bool:
        """Whether the claim is refuted, or another mechanism was run than the proof's."""
        return super().broken or self.apart > self.lost + ROUNDING

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        return {**super().to_json(), "from_the_law_of_the_proof": self.apart}


def two_sample_finding(door: Door, relation: Neighbours, *, design: Design, single: Entry) -> TwoSampleFinding:
    """The door against its claim, and every law against the proof's, made of the laws of single runs."""
    pairs = door.pairs(relation)
    laws, claimed = walked(door, relation, pairs)
    alone = Door(door.name, single, lattice=door.lattice, least=1e-12)

    def run(sample: DataSet) -> Rules:
        return by_rule(law_through(alone, sample, design.theorem.base_neighbours)[0])

    apart = max(_apart(by_rule(law), law_of_theorem(design, data, run)) for data, law in laws.items())
    return TwoSampleFinding(**vars(judge(door, laws, pairs, claimed)), apart=apart)


def law_of_theorem(design: Design, data: DataSet, run: Callable[[DataSet], Rules]) -> Rules:
    """The output of Theorem 7's mechanism on a small table, given the law of one run on each subsample."""
    share = float(design.theorem.share(design.parts))
    passes, released = 0.0, defaultdict[Hashable, float](float)
    for sample in product(*(range(held + 1) for held in data)):
        chance = prod(binomial(held, kept, share) for held, kept in zip(data, sample, strict=True))
        rules = run(sample)
        passes += chance * (1 - rules.get(None, 0.0)) ** design.runs_per_part
        for rule, likely in rules.items():
            released[rule] += chance * likely
    goes_on = _mean(design, passes)
    law: Rules = {rule: goes_on * likely for rule, likely in released.items() if rule is not None}
    return {**law, None: 1 - sum(law.values())}


def by_rule(law: RunLaw) -> Rules:
    """A walked law by what was released; an error is nothing."""
    found = defaultdict[Hashable, float](float)
    for output, (low, _) in law.masses.items():
        found[_rule(str(output))] += low / UNIT
    return found


def _rule(text: str) -> str | None:
    try:
        found = json.JSONDecoder().raw_decode(text)[0]["rule"]
    except ValueError:
        return None
    return None if found is None else json.dumps(found)


def _apart(one: Mapping[Hashable, float], other: Mapping[Hashable, float]) -> float:
    return max(abs(one.get(rule, 0.0) - other.get(rule, 0.0)) for rule in {*one, *other})


def certificate_finding(door: Door, relation: Neighbours, *, design: Design) -> Finding:
    """δ as the shipped certificate has it, against the formula of the theorem at many ψ."""
    certified = sum(design.theorem.terms(design, design.epsilon).values(), Fraction(0))
    found = scanned_delta(design)
    claimed = replace(design, delta=certified).guarantee(relation)
    return Finding(door.name, claimed, 0.0, float("inf"), found, found, 1)


def scanned_delta(design: Design, points: int = POINTS, *, giving_up: bool = True) -> float:
    """The greatest min{A, B} + b over a grid of ψ."""
    return max(delta_at(design, number / points, giving_up=giving_up) for number in range(points + 1))


def delta_at(design: Design, psi: float, *, giving_up: bool = True) -> float:
    """min{A(ψ), B(ψ)} + b(ψ) as it is printed in proofs/prsma.md, in floating point."""
    q, eta = float(design.theorem.share(design.parts)), float(design.base_epsilon)
    growth, others = exp(design.epsilon), design.rows - 1
    above, below = _mean(design, q + (1 - q) * psi), _mean(design, (1 - q) * psi)
    coarse = (1 - q) * max(above - growth * below, 0.0) + above * q
    bottom = max(1 - (1 - q) * below - growth * (1 - above), 0.0) if giving_up else 0.0
    if psi == 0:
        return coarse + bottom
    drift = others * (log1p(q * (exp(eta) - 1)) - q * eta)
    exponent = drift + eta * sqrt(others * q * (1 - q)) * sqrt((1 - psi) / psi) - log(psi)
    share = above * q * exp(min(eta + exponent, 700.0))
    fine = max((1 - q) * (above - growth * below) + share, 0.0) + share * (1 - psi) / design.runs_per_part
    return min(fine, coarse) + bottom


def _mean(design: Design, chance: float) -> float:
    """E g(Bin(m, chance))."""
    table = enumerate(design.pass_probabilities)
    return sum(float(go_on) * binomial(design.parts, passing, chance) for passing, go_on in table)


def binomial(trials: int, hits: int, chance: float) -> float:
    """How likely so many hits are."""
    return comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)
