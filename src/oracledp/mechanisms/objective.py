"""The quantity a mechanism minimises privately, as integer problems that an oracle can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Branch, QueryClass
from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError, OracleFailure
from oracledp.exact.merging import absolute_sum, exact_sum
from oracledp.oracles.base import NO_ANSWER, Certificate, Failed, Oracle
from oracledp.oracles.door import ask, public_certificate
from oracledp.oracles.problem import LIMIT, WeightedProblem
from oracledp.oracles.registry import admit, owned
from oracledp.oracles.values import all_values


@dataclass(frozen=True, eq=False)
class BranchProblem:
    """One branch of the query class with the problem over its base class."""

    branch: Branch
    problem: WeightedProblem


@dataclass(frozen=True, eq=False)
class Objective:
    """sum_i weights[i] q(records[i]) over a query class, in lattice units: counts times 2^resolution.

    The losses and signs of the class are already worked into signed weights, so that ``pieces`` are
    problems over classes an oracle knows. What an oracle prepares from them is kept with the objective
    and so is a function of this data alone (trap P6).
    """

    queries: QueryClass
    pieces: tuple[BranchProblem, ...]
    resolution: int

    @classmethod
    def of(
        cls,
        queries: QueryClass,
        records: PackedRecords | NDArray[np.uint8],
        weights: NDArray[np.int64],
        *,
        resolution: int,
    ) -> Objective:
        """The objective for these weighted records (one column per literal of the class)."""
        if absolute_sum(weights) << resolution >= LIMIT:
            raise CapacityError("the weights exceed 2^62 on this lattice; use a coarser one")
        return cls.scaled(queries, records, weights << resolution, resolution=resolution)

    @classmethod
    def scaled(
        cls,
        queries: QueryClass,
        records: PackedRecords | NDArray[np.uint8],
        weights: NDArray[np.int64],
        *,
        resolution: int,
    ) -> Objective:
        """The objective for weights that are in lattice units already (private ones must be whole counts)."""
        features, signed, constant = queries.reduce(PackedRecords.of(records), weights)
        total = exact_sum(signed)
        merged: dict[int, WeightedProblem] = {}  # branches of one base share the merging of equal records
        pieces = []
        for branch in queries.branches():
            if id(branch.base) not in merged:
                merged[id(branch.base)] = WeightedProblem.build(branch.base, features, signed)
            problem = merged[id(branch.base)]
            weights, offset = (-problem.weights, constant + total) if branch.negated else (problem.weights, constant)
            pieces.append(
                BranchProblem(branch, replace(problem, weights=weights, constant=offset, cache={}, evaluated={}))
            )
        return cls(queries, tuple(pieces), resolution)

    def value(self, parts: Parts) -> int:
        """The objective at one query, in lattice units."""
        for piece in self.pieces:
            extra = len(piece.branch.extra)
            if parts[len(parts) - extra :] == piece.branch.extra:
                return piece.problem.value(parts[: len(parts) - extra])
        raise ValueError("these parts belong to no branch of the class")

    def all_values(self) -> NDArray[np.int64]:
        """The objective at every query of the class, in its fixed order."""
        return np.concatenate([all_values(piece.problem) for piece in self.pieces])

    def parts_at(self, index: int) -> Parts:
        """The query at one place of :meth:`all_values`."""
        for piece in self.pieces:
            size = piece.branch.base.size
            if index < size:
                return next(islice(piece.branch.base.all_parts(), index, None)) + piece.branch.extra
            index -= size
        raise IndexError("no query of the class has this number")


@dataclass(frozen=True)
class Minimum:
    """A minimiser over all branches and why it should be believed."""

    parts: Parts
    value: int
    certificate: Certificate


def minimise(oracle: Oracle, pieces: Sequence[BranchProblem]) -> Minimum | Failed:
    """Ask the oracle for each branch and take the least; equal values go to the earlier branch.

    Every branch is asked even when one fails, so that the work done does not tell which.
    """
    best: tuple[int, Parts] | None = None
    failed: Failed | None = None
    for piece in pieces:
        answer = ask(oracle, piece.problem)
        if isinstance(answer, Failed):
            failed = answer
        elif best is None or answer.value < best[0]:
            best = answer.value, answer.query.parts + piece.branch.extra
    if failed is not None or best is None:
        return failed or Failed("the class has no branches")
    return Minimum(best[1], best[0], public_certificate(oracle))


def nothing_found(oracle: Oracle, failed: Failed) -> OracleFailure:
    """The error for a run without an answer. Only our own oracles' phrases are passed on: there are few, all fixed."""
    asked = admit(oracle)
    reason = failed.reason if owned(asked) else NO_ANSWER
    return OracleFailure(f"{asked.name} failed: {reason}; nothing is released and the budget is spent")
