"""What no mechanism with one oracle call can survive: an oracle that chooses as it likes, and is believed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from broken.mutants import Mutant, claim
from oracledp.audit.exact_law import (
    DataSet,
    Finding,
    compare,
    khot_minimiser,
    neighbour_pairs,
    objective_for,
    values_of,
)
from oracledp.audit.worst_ties import ONE, REPLACE, Ints, Rule, last_of_ties, three_queries, two_queries
from oracledp.classes import QueryClass

TIER = "hostile oracle"


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
