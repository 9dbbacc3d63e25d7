"""Report Separator-Perturbed Min: one call to an oracle on data with noise on the parts of a query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oracledp.classes.base import QueryClass
from oracledp.errors import OracleFailure, ParameterError
from oracledp.guarantee import Exact, Guarantee, Neighbours, positive
from oracledp.mechanisms.lattice import lattice
from oracledp.mechanisms.objective import Minimum, Objective, minimise
from oracledp.mechanisms.perturbation import KHotPerturbation, Noise, Perturbation, SeparatorPerturbation
from oracledp.mechanisms.release import Release, pay
from oracledp.oracles.base import Failed, Oracle, Trust
from oracledp.oracles.registry import resolve
from oracledp.randomness import Randomness, SystemRandomness

if TYPE_CHECKING:
    from oracledp.ledger import Ledger
    from oracledp.table import Table

EMBEDDINGS: dict[str, type[KHotPerturbation] | type[SeparatorPerturbation]] = {
    "k-hot": KHotPerturbation,
    "separator": SeparatorPerturbation,
}


@dataclass(frozen=True)
class ReportSeparatorPerturbedMin:
    """The calibrated mechanism of Theorem 1 (proofs/perturbed-minimisation.md): ε-DP, contingent on its oracle.

    It cannot run uncalibrated: :meth:`calibrate` turns exact parameters into integer noise scales.
    """

    queries: QueryClass
    epsilon: Fraction
    neighbours: Neighbours
    perturbation: Perturbation
    oracle: Oracle
    name: str

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
    ) -> ReportSeparatorPerturbedMin:
        """Fix the lattice and the noise scale."""
        if embedding not in EMBEDDINGS:
            raise ParameterError(f"embedding must be one of {', '.join(EMBEDDINGS)}, got {embedding!r}")
        if queries.size < 2:
            raise ParameterError("this class has a single query: there is nothing to choose")
        if resolution is None:
            resolution = lattice().fixed_ties if oracle.fixed_ties else lattice().free_ties
        perturbation = EMBEDDINGS[embedding].calibrate(
            queries, epsilon=epsilon, neighbours=neighbours, resolution=resolution
        )
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

    def run(self, objective: Objective, source: Randomness) -> Minimum | Failed:
        """One run with fresh noise."""
        return self.run_with(objective, self.perturbation.draw(source))

    def run_with(self, objective: Objective, noise: Noise) -> Minimum | Failed:
        """The deterministic part: what is released for this noise."""
        return minimise(self.oracle, self.perturbation.perturb(objective, noise))


def oracle_assumptions(oracle: Oracle) -> tuple[str, ...]:
    """What a guarantee stands on when it uses this oracle; nothing for a total oracle with its own proof.

    >>> from oracledp.oracles.cp_sat import CpSatOracle
    >>> print(*oracle_assumptions(CpSatOracle()), sep="; ")
    the claim of optimality by cp-sat is true; cp-sat answers whatever the data within its deterministic work limit (60)
    """
    claims = {
        Trust.PROVED: (),
        Trust.CLAIMED: (f"the claim of optimality by {oracle.name} is true",),
        Trust.GUESSED: (f"the guess of {oracle.name} is a true minimiser",),
    }[oracle.trust]
    limit = getattr(oracle, "work_limit", None)
    within = "" if limit is None else f" within its deterministic work limit ({limit:g})"
    return claims if oracle.total else (*claims, f"{oracle.name} answers whatever the data{within}")


def rspm(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    oracle: str | Oracle = "auto",
    embedding: str = "k-hot",
    goal: str = "min",
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Choose privately a query that (nearly) minimises the count of records it holds on.

    Pure ε-differential privacy by Theorem 1 (proofs/perturbed-minimisation.md). With a total oracle
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
    chosen = resolve(oracle, queries)
    mechanism = ReportSeparatorPerturbedMin.calibrate(
        queries,
        epsilon=positive(epsilon, "epsilon"),
        neighbours=Neighbours.parse(neighbours),
        oracle=chosen,
        embedding=embedding,
    )
    source = SystemRandomness() if source is None else source
    guarantee = pay(mechanism, ledger, source)
    objective = objective_of(table, queries, goal=goal, resolution=mechanism.perturbation.resolution)
    found = mechanism.run(objective, source)
    if isinstance(found, Failed):
        raise OracleFailure(f"{chosen.name} failed: {found.reason}; nothing is released and the budget is spent")
    return Release(queries.query(*found.parts), guarantee, found.certificate, mechanism.name)


def objective_of(table: Table, queries: QueryClass, *, goal: str = "min", resolution: int) -> Objective:
    """The count of records a query holds on, or minus it."""
    if goal not in ("min", "max"):
        raise ParameterError(f"goal must be 'min' or 'max', got {goal!r}")
    weights = table.counts if goal == "min" else -table.counts
    return Objective.of(queries, table.matrix(queries.literals), weights, resolution=resolution)
