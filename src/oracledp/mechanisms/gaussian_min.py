"""Gaussian RSPM with the constants of Theorem 2: kept for completeness and for small classes with margins."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from oracledp.classes.base import QueryClass
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_SCALES
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.gaussian_bound import calibrate_variance, gaussian_delta
from oracledp.mechanisms.perturbation import Noise, SeparatorPerturbation, separator_shift
from oracledp.mechanisms.perturbed_min import PerturbedSelector, oracle_assumptions
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.table_selection import select
from oracledp.oracles.base import Oracle
from oracledp.oracles.registry import admit, resolve
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import row_delta, row_epsilon
from oracledp.randomness.noise import LARGEST_SCALE, discrete_gaussian
from oracledp.randomness.source import Randomness

if TYPE_CHECKING:
    from oracledp.data.table import Table
    from oracledp.privacy.ledger import Ledger


@dataclass(frozen=True)
class GaussianPerturbation(SeparatorPerturbation):
    """Discrete Gaussian noise on the separator set; ``scale`` is the variance in squared lattice units."""

    def draw(self, source: Randomness) -> Noise:
        """Two-sided noise."""
        return discrete_gaussian(Fraction(self.scale), self.coordinates, source)

    @property
    def reach(self) -> int:
        """The sampler's proposals have scale sqrt(variance) + 1 at most."""
        return MOST_SCALES * (isqrt(self.scale) + 1)

    @property
    def drawable(self) -> bool:
        """Whether the sampler takes this variance."""
        return isqrt(self.scale) < LARGEST_SCALE

    @property
    def tie_delta(self) -> Fraction:
        """m times the greatest mass, 1/Z <= 1/sqrt(2π·variance) < 2/(5·sqrt(variance))."""
        return Fraction(2 * self.coordinates, 5 * max(1, isqrt(self.scale)))


@dataclass(frozen=True)
class GaussianReportSeparatorPerturbedMin(PerturbedSelector):
    """(ε, δ)-DP by Theorem 2 (proofs/gaussian-rspm.md), δ certified in integers; contingent on its oracle.

    For full classes the noise is of order m/ε, as Laplace noise is: the paper's sqrt(m) does not exist (E2).
    """

    queries: QueryClass
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    perturbation: GaussianPerturbation
    oracle: Oracle
    name: str = "rspm:gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", admit(self.oracle))

    @classmethod
    def calibrate(
        cls, queries: QueryClass, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours, oracle: Oracle
    ) -> GaussianReportSeparatorPerturbedMin:
        """The least variance whose certified delta is small enough, on the lattice of the integers."""
        known = admit(oracle)
        if not known.fixed_ties:
            raise ParameterError(
                f"Gaussian RSPM needs ties in a fixed order, which nobody vouches for with {known.name}"
            )
        shift, elements = separator_shift(queries, neighbours, 0)
        variance = calibrate_variance(epsilon=epsilon, delta=delta, shift=shift, elements=elements, size=queries.size)
        return cls(queries, epsilon, delta, neighbours, GaussianPerturbation(queries, variance, 0, shift), known)

    @property
    def guarantee(self) -> Guarantee:
        """The certified pair, recomputed from the noise that will be used."""
        certified = gaussian_delta(
            epsilon=self.epsilon,
            variance=self.perturbation.scale,
            shift=self.perturbation.shift,
            elements=self.perturbation.coordinates,
            size=self.queries.size,
        )
        if certified > self.delta:
            raise ParameterError("the noise does not give the delta that is claimed")
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
            assumes=oracle_assumptions(self.oracle),
            proof="gaussian-rspm",
        )


def gaussian_rspm(
    table: Table,
    queries: QueryClass,
    *,
    epsilon: Exact,
    delta: Exact,
    neighbours: Neighbours | str = Neighbours.DEFAULT,
    oracle: str | Oracle = "auto",
    goal: str = "min",
    ledger: Ledger | None = None,
    source: Randomness | None = None,
) -> Release:
    """Choose a query privately with Gaussian noise on the separator set (proofs/gaussian-rspm.md).

    Under add/remove-one unless ``neighbours="replace-one"`` is asked for.
    """
    share = row_epsilon(epsilon, table.unit)
    mechanism = GaussianReportSeparatorPerturbedMin.calibrate(
        queries,
        epsilon=share,
        delta=row_delta(delta, share, table.unit),
        neighbours=Neighbours.parse(neighbours),
        oracle=resolve(oracle, queries),
    )
    return select(table, mechanism, goal=goal, ledger=ledger, source=source)
