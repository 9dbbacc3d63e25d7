"""The whole of what a fit measures: marginals, the user's own queries, rounds of selection, in that order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb, log

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.data.schema import Schema
from oracledp.privacy.accounting import split
from oracledp.synthesis.measurements import Meter, NoisyQueries
from oracledp.synthesis.measuring import Measured, measure
from oracledp.synthesis.rounds import play_rounds
from oracledp.synthesis.searched import NamedClass, Searched, concrete
from oracledp.synthesis.workload import Workload

# The most that a kind of request may take of the budget, times its share of all weights.
_FOR_QUERIES, _FOR_RANGES, _FOR_ROUNDS = 1.0, 0.3, 0.4
_MOST_ROUNDS = 24


def measure_workload(meter: Meter, workload: Workload, schema: Schema, generator: np.random.Generator) -> Measured:
    """Spend the meter's whole budget on a workload."""
    fixed, ranges, for_queries, for_rounds = budget_shares(workload)
    base, second, third = split(meter.rho, [fixed + ranges, for_queries, for_rounds])
    measured = measure(meter, workload.order, base, ranges / (fixed + ranges))
    if second > 0:
        measured = replace(measured, queries=tuple(_own_queries(meter, workload, second)))
    if third > 0:
        share = for_rounds / len(workload.classes)
        searched = [
            Searched(found, rounds(found, len(schema.columns), share)) for found in _classes(workload, schema, measured)
        ]
        measured = play_rounds(meter, schema, measured, searched, third, generator)
    return measured


def budget_shares(workload: Workload) -> tuple[float, float, float, float]:
    """The shares of marginals, ranges, the user's own queries and rounds of selection."""
    weights = [
        float(workload.marginals),
        float(workload.ranges),
        float(sum(weight for _, weight in workload.queries)),
        float(sum(found.weight for found in workload.classes)),
    ]
    limits = (1.0, _FOR_RANGES, _FOR_QUERIES, _FOR_ROUNDS)
    _, *extra = (limit * weight / sum(weights) for limit, weight in zip(limits, weights, strict=True))
    return 1 - sum(extra), extra[0], extra[1], extra[2]


def rounds(queries: QueryClass, columns: int, share: float) -> int:
    """How many rounds: as many as keep a selection's error below about six times the noise of a pair's cell.

    Both fall with the records and the root of the budget, so neither matters: a selection errs by about
    ln(2|Q|)/ε0 records with ε0² = 8·0.8·share·ρ/T, and a cell's noise is sqrt(pairs/(2ρ)).
    """
    wanted = 120 * share * max(comb(columns, 2), 1) / log(2 * queries.size) ** 2
    return min(max(round(wanted), 2), _MOST_ROUNDS)


def _classes(workload: Workload, schema: Schema, measured: Measured) -> list[QueryClass]:
    return [
        concrete(found.searched, schema, measured.marginals)
        if isinstance(found.searched, NamedClass)
        else found.searched
        for found in workload.classes
    ]


def _own_queries(meter: Meter, workload: Workload, rho: Fraction) -> list[NoisyQueries]:
    """Queries of equal weight share their noise; a group of M takes budget as its weight times M."""
    weights = sorted({weight for _, weight in workload.queries})
    groups = [[query for query, its in workload.queries if its == weight] for weight in weights]
    parts = split(rho, [float(weight) * len(group) for weight, group in zip(weights, groups, strict=True)])
    return [meter.queries(group, part) for group, part in zip(groups, parts, strict=True)]
