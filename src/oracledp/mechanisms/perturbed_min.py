"""Report Separator-Perturbed Min: one call to an oracle on data with noise on the parts of a query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from oracledp.classes.base import QueryClass
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.many_minima import Minima, minimise_many
from oracledp.mechanisms.objective import Minimum, Objective, minimise, nothing_found
from oracledp.mechanisms.perturbation import KHotPerturbation, Noise, Perturbation, SeparatorPerturbation
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.table_selection import Chosen, select
from oracledp.oracles.base import Failed, Oracle, Trust
from oracledp.oracles.many import answers_many
from oracledp.oracles.registry import admit, resolve
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_epsilon
from oracledp.randomness.lattice import lattice
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger

EMBEDDINGS: dict[str, type[KHotPerturbation] | type[SeparatorPerturbation]] = {
    "k-hot": KHotPerturbation,
    "separator": SeparatorPerturbation,
}


class PerturbedSelector:
    """What all perturbed minimisation shares: noise is added, the oracle is asked, its answer is the choice."""

    perturbation: Perturbation
    oracle: Oracle

    @property
    def resolution(self) -> int:
        """The lattice of the noise."""
        return self.perturbation.resolution

    def choose(self, objective: Objective, source: Randomness) -> Chosen:
        """One run with fresh noise; a failure of the oracle ends it."""
        return chosen_by(self.oracle, self.run(objective, source))

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse what public facts rule out: numbers that could overflow, a class that the oracle does not serve."""
        self.perturbation.check(rows_bound, unit)
        refuse_unserved(self.oracle, self.perturbation)

    def run(self, objective: Objective, source: Randomness) -> Minimum | Failed:
        """One run with fresh noise."""
        return self.run_with(objective, self.perturbation.draw(source))

    def run_with(self, objective: Objective, noise: Noise) -> Minimum | Failed:
        """The deterministic part: what is released for this noise."""
        return minimise(self.oracle, self.perturbation.perturb(objective, noise))

    def run_many_with(self, objective: Objective, noise: Noise) -> Minima | Failed | None:
        """The same for each row of noise, in one call of the oracle; None where it must be asked one by one."""
        priced = self.perturbation.price(objective, noise) if answers_many(self.oracle) else None
        return None if priced is None else minimise_many(self.oracle, priced)


@dataclass(frozen=True)
class ReportSeparatorPerturbedMin(PerturbedSelector):
    """The calibrated mechanism of Theorem 1 (proofs/perturbed-minimisation.md): ε-DP, contingent on its oracle.

    It cannot run uncalibrated: :meth:`calibrate` turns exact parameters into integer noise scales.
    """

    queries: QueryClass
    epsilon: Fraction
    neighbours: Neighbours
    perturbation: Perturbation
    oracle: Oracle
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", admit(self.oracle))  # what it may be believed is settled before any data

    @classmethod
    def calibrate(
        cls,
        queries: QueryClass,
        *,
        epsilon: Fraction,
        neighbours: Neighbours,
        oracle: Oracle,
        embedding: str = "k-hot",
        resolution: int | None = None,
        rows_bound: int = MOST_ROWS,
        unit: int = 1,
    ) -> ReportSeparatorPerturbedMin:
        """Fix the lattice, as fine as is wanted and fits so many rows of this weight, and the noise scale."""
        if embedding not in EMBEDDINGS:
            raise ParameterError(f"embedding must be one of {', '.join(EMBEDDINGS)}, got {embedding!r}")
        if queries.size < 2:
            raise ParameterError("this class has a single query: there is nothing to choose")
        if resolution is None:
            resolution = lattice().fixed_ties if admit(oracle).fixed_ties else lattice().free_ties
        noise = EMBEDDINGS[embedding]
        finest = (
            noise.calibrate(queries, epsilon=epsilon, neighbours=neighbours, resolution=bits)
            for bits in range(resolution, -1, -1)
        )
        perturbation = next(found for found in finest if found.resolution == 0 or found.fits(rows_bound, unit))
        return cls(queries, epsilon, neighbours, perturbation, oracle, f"rspm:{embedding}")

    @property
    def guarantee(self) -> Guarantee:
        """What one run promises, and on what grounds."""
        return Guarantee(
            epsilon=self.epsilon,
            delta=Fraction(0) if self.oracle.fixed_ties else self.perturbation.tie_delta,
            neighbours=self.neighbours,
            assumes=oracle_assumptions(self.oracle),
            proof="perturbed-minimisation",
        )


def refuse_unserved(oracle: Oracle, perturbation: Perturbation) -> None:
    """Refuse an oracle that cannot do problems over this class: it says so itself, or when asked about no data."""
    queries = perturbation.queries
    supports = getattr(oracle, "supports", None)
    if supports is not None:
        served = all(supports(branch.base, 0) for branch in queries.branches())
    else:
        records, weights = np.zeros((0, queries.dimension), dtype=np.uint8), np.zeros(0, dtype=np.int64)
        objective = Objective.of(queries, records, weights, resolution=perturbation.resolution)
        noise = np.zeros(perturbation.coordinates, dtype=np.int64)
        served = not isinstance(minimise(oracle, perturbation.perturb(objective, noise)), Failed)
    if not served:
        raise ParameterError(f"the oracle {oracle.name} does not serve {queries.kind}: use oracle='auto'")


def oracle_assumptions(oracle: Oracle) -> tuple[str, ...]:
    """What a guarantee stands on when it uses this oracle; nothing for our own total searches.

    What an oracle from outside says of itself is a claim, and so is that it always answers.

    >>> from oracledp.oracles.cp_sat import CpSatOracle
    >>> print(*oracle_assumptions(CpSatOracle()), sep="; ")
    the claim of optimality by cp-sat is true; cp-sat answers whatever the data within its deterministic work limit (60)
    """
    known = admit(oracle)
    claims = {
        Trust.PROVED: (),
        Trust.CLAIMED: (f"the claim of optimality by {known.name} is true",),
        Trust.GUESSED: (f"the guess of {known.name} is a true minimiser",),
    }[known.trust]
    limit = getattr(known, "work_limit", None)
    within = "" if limit is None else f" within its deterministic work limit ({limit:g})"
    return claims if known.total else (*claims, f"{known.name} answers whatever the data{within}")


def chosen_by(oracle: Oracle, found: Minimum | Failed) -> Chosen:
    """The oracle's minimiser, or the error that ends a run without a release."""
    if isinstance(found, Failed):
        raise nothing_found(oracle, found)
    return Chosen(found.parts, found.certificate)


def rspm(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    oracle: str | Oracle = "auto",
    embedding: str = "k-hot",
    goal: str = "min",
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Choose privately a query that (nearly) minimises the count of records it holds on.

    Pure ε-differential privacy by Theorem 1 (proofs/perturbed-minimisation.md), under add/remove-one unless
    ``neighbours="replace-one"`` is asked for. With a total oracle
    (``"auto"`` picks one wherever it can) the guarantee is robust; with a solver it is contingent on the
    solver's claim, and says so. ``goal="max"`` looks for the query that holds on most records.

    >>> import oracledp as odp
    >>> schema = odp.Schema({"columns": {"smoker": {"kind": "boolean"}, "sick": {"kind": "boolean"}}})
    >>> table = odp.Table.from_frame(__import__("pandas").DataFrame(
    ...     {"smoker": [True, False] * 500, "sick": [True, False] * 500}), schema)
    >>> target = schema.literals[1]
    >>> rules = odp.ZeroOneLoss.of(odp.Conjunctions(schema.literals.without("sick")), target)
    >>> print(odp.rspm(table, rules, epsilon=1).query)
    predict sick when smoker
    """
    relation = Neighbours.parse(neighbours)
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        queries,
        epsilon=row_epsilon(epsilon, table.unit),
        neighbours=relation,
        oracle=resolve(oracle, queries),
        embedding=embedding,
        rows_bound=relation.public_rows(table.rows),
    )
    return select(table, mechanism, goal=goal, ledger=ledger, source=source)
