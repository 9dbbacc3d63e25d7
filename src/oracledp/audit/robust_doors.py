"""``prsma`` through the front door: a design small enough for every split, every run and every failure to be walked.

Two parts, two runs on each, two queries that one record tells apart: the noise of a run is one number, and all of it
that exceeds what the rows weigh decides the same. The claim is large, δ near a third: two runs cannot see more.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from oracledp.audit.doors import COARSE, Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet
from oracledp.audit.function_doors import selection
from oracledp.mechanisms.robust.delta import certified_delta
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.mechanism import prsma
from oracledp.mechanisms.robust.theorem_independent import IndependentLabels
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.oracles.base import NO_ANSWER, Answer, Failed
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource


@cache
def smallest_design() -> Design:
    """Two parts of two runs; with one passing part it answers once in twenty times."""
    few = Fraction(1, 20)
    design = Design(
        epsilon=Fraction(4),
        delta=Fraction(1),
        rows=2,
        parts=2,
        runs_per_part=2,
        epsilon_inner=Fraction(1, 50),
        pass_probabilities=(Fraction(0), few, 1 - (1 - few) / 54),  # 54 < e^4: giving up costs nothing
        minimum_passing=1,
        theorem=IndependentLabels(Fraction(1), Fraction(20), Fraction(20)),
    )
    return replace(design, delta=certified_delta(design))


@cache
def two_samples() -> Design:
    """Two tests of two runs each, on halves of the rows, and one run on a fresh half."""
    design = replace(smallest_design(), delta=Fraction(1, 10**9), theorem=TwoSamples(Fraction(1, 2)))
    return replace(design, delta=certified_delta(design))


def giving_up(entry: Entry) -> Entry:
    """The same with a search that answers only where more rows with a have another label than y: failures tell."""
    search = ExhaustiveOracle.solve

    def solve(self: ExhaustiveOracle, problem: WeightedProblem) -> Answer:
        inside = problem.records[:, 0] == 1
        return search(self, problem) if problem.weights[inside].sum() > 0 else Failed(NO_ANSWER)

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        with patched(ExhaustiveOracle, "solve", solve):
            return entry(data, relation, source)

    return enter


def robust_doors() -> list[Door]:
    """The public function with a search that always answers, and with one that fails where it hurts.

    The first look is at a row that moves the two queries apart beside one that does not, so noise beyond one decides
    nothing more; the second at rows that both queries treat alike.
    """
    design = smallest_design()
    entry = selection(prsma, epsilon=design.epsilon, delta=design.delta, design=design, embedding="separator")
    common: dict[str, Any] = {"rows": 1, "lattice": COARSE, "tails": 1e-3}
    return [
        Door("prsma", entry, base=(0, 0, 1, 0), kinds=(0, 1), far=1, least=1e-7, **common),
        Door("prsma / gives up", giving_up(entry), base=(0, 0, 0, 1), kinds=(2, 3), far=0, least=1e-6, **common),
    ]
