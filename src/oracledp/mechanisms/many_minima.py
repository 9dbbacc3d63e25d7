"""Many draws of the noise over one objective: all problems of a branch go to the oracle in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.tables import Parts
from oracledp.mechanisms.objective import BranchProblem, Minimum
from oracledp.oracles.base import Failed, Oracle
from oracledp.oracles.door import public_certificate
from oracledp.oracles.many import ask_many
from oracledp.oracles.problem import LIMIT
from oracledp.oracles.redraws import Redrawn

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PricedBranch:
    """One branch with the costs of each draw: what :meth:`Perturbation.perturb` makes of them, row by row."""

    piece: BranchProblem
    part_costs: Ints
    size_costs: Ints
    constants: Ints

    def totals(self, found: Redrawn) -> NDArray[Any]:
        """The exact value for each draw, constants included: in 64 bits where they fit, else in Python integers."""
        constant = self.piece.problem.constant
        greatest = max(int(self.constants.max(initial=0)), -int(self.constants.min(initial=0)))
        if abs(constant) + greatest < LIMIT:
            return np.asarray(found.values + self.constants + np.int64(constant))
        return np.asarray(found.values.astype(object) + self.constants.astype(object) + constant)


@dataclass(frozen=True, eq=False)
class Minima:
    """The minimiser over all branches for each draw, and which draws have one."""

    oracle: Oracle
    answered: NDArray[np.bool_]
    branch: NDArray[np.intp]
    found: tuple[tuple[Parts, Redrawn], ...]
    values: NDArray[Any]

    def at(self, draw: int) -> Minimum | None:
        """One draw's minimum; None where the oracle gave up on a branch."""
        if not self.answered[draw]:
            return None
        extra, redrawn = self.found[self.branch[draw]]
        parts = redrawn.queries[redrawn.which[draw]] + extra
        return Minimum(parts, int(self.values[draw]), public_certificate(self.oracle))


def minimise_many(oracle: Oracle, branches: Sequence[PricedBranch]) -> Minima | Failed:
    """:func:`oracledp.mechanisms.objective.minimise` for each draw: the least branch, the earlier of equal ones."""
    found: list[tuple[Parts, Redrawn]] = []
    failed: Failed | None = None
    for priced in branches:
        answer = ask_many(oracle, priced.piece.problem, priced.part_costs, priced.size_costs)
        if isinstance(answer, Failed):
            failed = answer
        else:
            found.append((priced.piece.branch.extra, answer))
    if failed is not None or not found:
        return failed or Failed("the class has no branches")
    totals = np.stack([priced.totals(redrawn) for priced, (_, redrawn) in zip(branches, found, strict=True)])
    answered = np.all([redrawn.which >= 0 for _, redrawn in found], axis=0)
    return Minima(oracle, answered, np.argmin(totals, axis=0), tuple(found), np.min(totals, axis=0))
