"""The exponential mechanism and its relatives: robust private selection that needs no oracle's word."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError, OracleFailure, ParameterError
from oracledp.exact.capacity import TREES, refuse_overflow
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.objective import Objective, minimise
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.sampling.permute_sampler import sample_permute_and_flip
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential, samples
from oracledp.mechanisms.sampling.trials import check_leaves
from oracledp.mechanisms.table_selection import Chosen, select
from oracledp.oracles.base import Certificate, Failed, Trust
from oracledp.oracles.registry import total_oracles
from oracledp.oracles.values import MOST_QUERIES
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_epsilon
from oracledp.randomness.choice import exponential_choice, permute_and_flip_choice, short_rate
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger


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

    @property
    def resolution(self) -> int:
        """Whole counts."""
        return 0

    def choose(self, objective: Objective, source: Randomness) -> Chosen:
        """One exact draw, which needs no oracle's word."""
        return Chosen(self.run(objective, source), Certificate(Trust.PROVED, self.name))

    def check(self, rows_bound: int, unit: int = 1, *, resolution: int = 0) -> None:
        """Refuse what public facts rule out: a class that can be neither listed nor sampled, numbers too large."""
        refuse_overflow(rows_bound=rows_bound, unit=unit, resolution=resolution, limit=TREES)
        if self._sampled:
            check_leaves([branch.base for branch in self.queries.branches()])
            if self.permute_and_flip and not total_oracles(self.queries):
                raise CapacityError(f"no total search for a {self.queries.kind} class of {self.queries.size} queries")
        elif any(branch.base.size > MOST_QUERIES for branch in self.queries.branches()):
            raise ParameterError(f"no sampler for a {self.queries.kind} class of {self.queries.size} queries")

    @property
    def _sampled(self) -> bool:
        """Whether the draw comes from trees: else every query is listed."""
        large = self.queries.size > ENUMERATE_UP_TO
        return large and all(samples(branch.base) for branch in self.queries.branches())

    def run(self, objective: Objective, source: Randomness) -> Parts:
        """One exact draw."""
        rate = self.rate / (1 << objective.resolution)
        if self._sampled:
            return self._from_trees(objective, rate, source)
        if self.permute_and_flip:
            return objective.parts_at(permute_and_flip_choice(objective.all_values(), short_rate(rate), source))
        return objective.parts_at(exponential_choice(objective.all_values(), rate, source))

    def _from_trees(self, objective: Objective, rate: Fraction, source: Randomness) -> Parts:
        problems = [piece.problem for piece in objective.pieces]
        if self.permute_and_flip:
            index, parts = sample_permute_and_flip(problems, rate, self._least(objective), source)
        else:
            index, parts = sample_exponential(problems, rate, source)
        return parts + objective.pieces[index].branch.extra

    def _least(self, objective: Objective) -> int:
        """The least value, proved by a total search: permute-and-flip compares with it."""
        found = minimise(total_oracles(self.queries)[0], objective.pieces)
        if isinstance(found, Failed):
            raise OracleFailure("the search for the least value gave no answer")
        return found.value


def exponential(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    method: str = "exponential",
    goal: str = "min",
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Choose a query by the exponential mechanism (or ``method="permute-and-flip"``), with no solver to trust.

    Exact ε-differential privacy, robust (proofs/exponential-mechanism.md), under add/remove-one unless
    ``neighbours="replace-one"`` is asked for, as with every mechanism here. Small classes are enumerated; large ones
    are sampled by branch-and-bound without enumeration (Theorem 4 and first visits).
    """
    if method not in ("exponential", "permute-and-flip"):
        raise ParameterError(f"method must be 'exponential' or 'permute-and-flip', got {method!r}")
    mechanism = ExponentialMechanism(
        queries, row_epsilon(epsilon, table.unit), Neighbours.parse(neighbours), method == "permute-and-flip"
    )
    return select(table, mechanism, goal=goal, ledger=ledger, source=source)
