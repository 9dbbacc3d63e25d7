"""The exponential mechanism and its relatives: robust private selection that needs no oracle's word."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oracledp.classes.base import Parts, QueryClass
from oracledp.errors import ParameterError
from oracledp.guarantee import Exact, Guarantee, Neighbours, positive
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.release import Release, pay
from oracledp.mechanisms.rspm import objective_of
from oracledp.oracles.base import Certificate, Trust
from oracledp.oracles.tree_sampler import sample_exponential, samples
from oracledp.oracles.values import MOST_QUERIES
from oracledp.randomness import Randomness, SystemRandomness
from oracledp.selection import exponential_choice, permute_and_flip_choice

if TYPE_CHECKING:
    from oracledp.ledger import Ledger
    from oracledp.table import Table


ENUMERATE_UP_TO = 2_000  # above this the tree is sampled, where the class has one; the law is the same


@dataclass(frozen=True)
class ExponentialMechanism:
    """Pr[q] ∝ exp(-rate·L(S,q)), exactly (proofs/exponential-mechanism.md). Total, so always robust.

    rate = ε/2 under replace-one, where L moves by at most one either way; rate = ε under add/remove-one,
    where one record moves every L in the same direction by zero or one.
    """

    queries: QueryClass
    epsilon: Fraction
    neighbours: Neighbours
    permute_and_flip: bool = False

    @property
    def rate(self) -> Fraction:
        """The weight of one count in the exponent."""
        return self.epsilon / self.neighbours.comparison_sensitivity

    @property
    def name(self) -> str:
        """How the release names it."""
        return "permute-and-flip" if self.permute_and_flip else "exponential"

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=self.neighbours, proof="exponential-mechanism")

    def run(self, objective: Objective, source: Randomness) -> Parts:
        """One exact draw."""
        rate = self.rate / (1 << objective.resolution)
        trees = all(samples(piece.branch.base) for piece in objective.pieces)
        if trees and not self.permute_and_flip and self.queries.size > ENUMERATE_UP_TO:
            index, parts = sample_exponential([piece.problem for piece in objective.pieces], rate, source)
            return parts + objective.pieces[index].branch.extra
        if self.queries.size > MOST_QUERIES:
            raise ParameterError(f"no sampler for a {self.queries.kind} class of {self.queries.size} queries")
        choose = permute_and_flip_choice if self.permute_and_flip else exponential_choice
        return objective.parts_at(choose(objective.all_values(), rate, source))


def exponential(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    method: str = "exponential",
    goal: str = "min",
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Choose a query by the exponential mechanism (or ``method="permute-and-flip"``), with no solver to trust.

    Exact ε-differential privacy, robust (proofs/exponential-mechanism.md). Small classes are enumerated;
    large ones are sampled by branch-and-bound without enumeration (Theorem 4).
    """
    if method not in ("exponential", "permute-and-flip"):
        raise ParameterError(f"method must be 'exponential' or 'permute-and-flip', got {method!r}")
    mechanism = ExponentialMechanism(
        queries, positive(epsilon, "epsilon"), Neighbours.parse(neighbours), method == "permute-and-flip"
    )
    source = SystemRandomness() if source is None else source
    guarantee = pay(mechanism, ledger, source)
    parts = mechanism.run(objective_of(table, queries, goal=goal, resolution=0), source)
    return Release(queries.query(*parts), guarantee, Certificate(Trust.PROVED, mechanism.name), mechanism.name)
