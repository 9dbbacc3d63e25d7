"""An independent check of a branch-and-bound proof, sharing no code with the search.

A proof is the search's own log: which sets it went into, and which literals it kept there. The checker
(``_core/checking``) follows it and proves afresh, from the records, that everything left out is beaten by the claimed
answer (proofs/engine.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import ProofChecker
from oracledp.classes.points import Link
from oracledp.classes.subsets import joined_by
from oracledp.classes.tables import Parts
from oracledp.oracles.problem import WeightedProblem

ACCEPTED, UNFINISHED = "accepted", "unfinished"  # what the checker says, if it does not say that it rejects


def check_conjunction(problem: WeightedProblem, parts: Parts, proof: Sequence[int] | NDArray[np.int32]) -> bool:
    """Whether the proof shows that no query comes before these parts in value and then in order."""
    verdict, _ = examine(problem, parts, proof)
    return verdict == ACCEPTED


def examine(problem: WeightedProblem, parts: Parts, proof: Sequence[int] | NDArray[np.int32]) -> tuple[str, int]:
    """The checker's verdict on the proof, and its own value of the claimed query.

    What it keeps of the records stays with the problem, so a redraw of the noise is checked without preparation.
    """
    checker, constant = _prepare(problem)
    verdict, value = checker.check(
        problem.part_costs,
        problem.size_costs,
        problem.query_class.hot,
        list(parts),
        np.asarray(proof, dtype=np.int32),
    )
    return verdict, value + constant + problem.constant


def _prepare(problem: WeightedProblem) -> tuple[ProofChecker, int]:
    """The records as the checker sees them: a disjunction is one minus the conjunction of the negated literals."""
    known: tuple[ProofChecker, int] | None = problem.cache.get("proofs")
    if known is None:
        records, weights, constant = problem.packed, problem.weights, 0
        if joined_by(problem.query_class, Link.SUM) is not None:
            records, weights, constant = records.negated(), -weights, sum(weights.tolist())
        known = problem.cache["proofs"] = (ProofChecker(records, weights), constant)
    return known
