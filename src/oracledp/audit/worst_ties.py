"""The hostile tier: exact laws of perturbed minimisation under oracles that choose as they like."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.exact_law import (
    DataSet,
    Finding,
    compare,
    minimiser_of,
    neighbour_pairs,
    objective_for,
    values_of,
)
from oracledp.audit.free_ties import FreeTies
from oracledp.audit.law import Law
from oracledp.audit.prsma_finding import robust_finding
from oracledp.classes import Conjunctions, QueryClass, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.privacy.guarantee import Neighbours

ONE = Fraction(1)
REPLACE = Neighbours.REPLACE_ONE
Ints = NDArray[np.int64]
Rule = Callable[[Ints, Ints], Ints]  # (scores: labels × points, noise: coordinates × points) -> label per point


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
