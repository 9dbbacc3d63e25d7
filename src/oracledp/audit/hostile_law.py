"""The hostile tier: exact laws of perturbed minimisation under oracles that choose as they like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.exact_law import (
    DataSet,
    Finding,
    compare,
    khot_minimiser,
    minimiser_of,
    neighbour_pairs,
    objective_for,
    values_of,
)
from oracledp.audit.law import Law
from oracledp.audit.mutants import Mutant, claim
from oracledp.audit.prsma_mutants import robust_finding
from oracledp.classes import Conjunctions, QueryClass, ZeroOneLoss
from oracledp.guarantee import Neighbours
from oracledp.literals import Literal, Literals
from oracledp.mechanisms.rspm import ReportSeparatorPerturbedMin
from oracledp.oracles.base import Answer, Trust
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem

TIER = "hostile oracle"
ONE = Fraction(1)
REPLACE = Neighbours.REPLACE_ONE
Ints = NDArray[np.int64]
Rule = Callable[[Ints, Ints], Ints]  # (scores: labels × points, noise: coordinates × points) -> label per point
FAILURE = -1


def two_queries() -> QueryClass:
    """The loss of "always y" and "y when a": one noise coordinate, so that a fine lattice is affordable."""
    return ZeroOneLoss.of(Conjunctions(Literals.named("a")), Literal.boolean("y"))


def three_queries() -> QueryClass:
    """The queries always, a and b: one part each, a dummy for the first."""
    return Conjunctions(Literals.named("a", "b"), max_width=1)


def last_of_ties(scores: Ints, noise: Ints) -> Ints:
    """The last minimiser: another fixed order."""
    return np.asarray(len(scores) - 1 - np.argmin(scores[::-1], axis=0), dtype=np.int64)


def _first_where(scores: Ints, first: NDArray[np.bool_]) -> Ints:
    return np.where(first, np.argmin(scores, axis=0), last_of_ties(scores, scores))


LATTICE = 4  # counts are multiples of 2^4, so ties come at multiples of 16
TIE_RULES: dict[str, Rule] = {
    "to the last": last_of_ties,
    "by the noise's parity": lambda scores, noise: _first_where(scores, (noise.sum(axis=0) >> LATTICE) % 2 == 0),
    "to the first if the noise is small": lambda scores, noise: _first_where(scores, noise.min(axis=0) > -8),
    "to the first if the noise is large": lambda scores, noise: _first_where(scores, noise.min(axis=0) < -8),
    "to the first if the noise is positive": lambda scores, noise: _first_where(scores, noise.min(axis=0) > 8),
}


@dataclass(frozen=True)
class FreeTies:
    """An oracle that finds a true minimiser, and any of them: what a claim with a tie probability is made for."""

    inner: ExhaustiveOracle = field(default_factory=ExhaustiveOracle)
    name: str = "free ties"
    trust: Trust = Trust.PROVED
    total: bool = True
    fixed_ties: bool = False

    def solve(self, problem: WeightedProblem) -> Answer:
        """What the exhaustive oracle says."""
        return self.inner.solve(problem)


def under_rule(name: str, mechanism: ReportSeparatorPerturbedMin, rule: Callable[[DataSet], Rule]) -> Finding:
    """The claim of a mechanism against its exact law when its oracle answers by this rule, on all small data sets."""
    queries, claimed = mechanism.queries, mechanism.guarantee
    minimiser = minimiser_of(mechanism)
    laws: dict[DataSet, Law] = {}

    def law(data: DataSet) -> Law:
        if data not in laws:
            values = values_of(minimiser, objective_for(queries, data, 1, mechanism.perturbation.resolution))
            laws[data] = minimiser.law_by_box(values, rule(data))
        return laws[data]

    pairs = neighbour_pairs(2**queries.dimension, 2, claimed.neighbours)
    return compare(name, claimed, ((law(a), law(b)) for a, b in pairs))


def _mechanism(neighbours: Neighbours, embedding: str) -> ReportSeparatorPerturbedMin:
    return ReportSeparatorPerturbedMin.calibrate(
        two_queries(), epsilon=ONE, neighbours=neighbours, oracle=FreeTies(), embedding=embedding, resolution=LATTICE
    )


def findings() -> list[Finding]:
    """Free ties are paid for, and PRSMA withstands the worst oracle that a search finds."""
    ties = [
        under_rule(f"rspm:{embedding} / ties {name}", _mechanism(relation, embedding), lambda _, rule=rule: rule)  # type: ignore[misc]
        for embedding in ("k-hot", "separator")
        for relation in Neighbours
        for name, rule in TIE_RULES.items()
    ]
    return [*ties, robust_finding()]


# ---- what no mechanism with one oracle call can survive --------------------------------------------------


def _claimed_pure(name: str, queries: QueryClass, rule: Callable[[DataSet], Rule]) -> Finding:
    """The exact law of k-hot noise under a rule, against a claim of pure privacy."""
    minimiser = khot_minimiser(queries, 2)
    pairs = list(neighbour_pairs(4, 2, REPLACE))
    laws = {
        data: minimiser.law_by_box(values_of(minimiser, objective_for(queries, data, 1, 0)), rule(data))
        for data in {data for pair in pairs for data in pair}
    }
    return compare(name, claim(ONE, REPLACE), ((laws[a], laws[b]) for a, b in pairs))


def _near_enough() -> Finding:
    """A gap of two counts: the last incumbent within it is returned, as by a search that stops early."""

    def rule(scores: Ints, noise: Ints) -> Ints:
        near = scores <= scores.min(axis=0) + 2
        return np.asarray(len(scores) - 1 - np.argmax(near[::-1], axis=0), dtype=np.int64)

    return _claimed_pure("a solver with a gap", three_queries(), lambda _: rule)


def _ties_by_rows() -> Finding:
    """Ties go to the query that suits the first row: the last one if that row is the record 00."""

    def rule(data: DataSet) -> Rule:
        return last_of_ties if data[0] else (lambda scores, noise: np.argmin(scores, axis=0))

    return _claimed_pure("ties by the first row", two_queries(), rule)


def _worst() -> Finding:
    """The greatest score in place of the least: one-sided noise then protects nothing."""
    return _claimed_pure(
        "the worst query", three_queries(), lambda data: lambda scores, noise: np.argmax(scores, axis=0)
    )


HOSTILE_MUTANTS: tuple[Mutant, ...] = (
    Mutant("oracle-worst", "rspm believes an oracle that returns the worst query", _worst, TIER),
    Mutant("oracle-gap", "an oracle that stops within a gap is taken for exact (P11)", _near_enough, TIER),
    Mutant("ties-by-row-order", "ties broken by the order of the rows", _ties_by_rows, TIER),
)
