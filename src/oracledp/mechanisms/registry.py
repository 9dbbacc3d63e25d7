"""Selections by name: what ``--mechanism`` and ``mechanism=`` may say, and what other packages may add.

A mechanism that somebody else wrote runs through the same door. Its guarantee then says whose word it stands on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from oracledp.classes.base import QueryClass
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.gaussian_min import GaussianReportSeparatorPerturbedMin
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.table_selection import Chosen, Selector
from oracledp.oracles.base import Oracle
from oracledp.oracles.registry import resolve
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness
from oracledp.registries import Registry


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a selection is calibrated for; every number is public.

    No table has more rows than ``rows_bound``, and no record weighs more than ``unit``. ``delta`` is None unless it was
    given, and a pure mechanism does not need it.
    """

    queries: QueryClass
    epsilon: Fraction
    neighbours: Neighbours
    delta: Fraction | None = None
    oracle: str | Oracle = "auto"
    rows_bound: int = MOST_ROWS
    unit: int = 1


Calibrate = Callable[[Wanted], Selector]


def _exponential(wanted: Wanted) -> Selector:
    return ExponentialMechanism(wanted.queries, wanted.epsilon, wanted.neighbours)


def _permute_and_flip(wanted: Wanted) -> Selector:
    return ExponentialMechanism(wanted.queries, wanted.epsilon, wanted.neighbours, permute_and_flip=True)


def _noisy_min(wanted: Wanted) -> Selector:
    return ReportNoisyMin(wanted.queries, wanted.epsilon, wanted.neighbours)


def _perturbed(embedding: str) -> Calibrate:
    def calibrate(wanted: Wanted) -> Selector:
        return ReportSeparatorPerturbedMin.calibrate(
            wanted.queries,
            epsilon=wanted.epsilon,
            neighbours=wanted.neighbours,
            oracle=resolve(wanted.oracle, wanted.queries),
            embedding=embedding,
            rows_bound=wanted.rows_bound,
            unit=wanted.unit,
        )

    return calibrate


def _gaussian(wanted: Wanted) -> Selector:
    if wanted.delta is None:
        raise ParameterError("the mechanism 'rspm:gaussian' needs delta, for instance 1e-6")
    return GaussianReportSeparatorPerturbedMin.calibrate(
        wanted.queries,
        epsilon=wanted.epsilon,
        delta=wanted.delta,
        neighbours=wanted.neighbours,
        oracle=resolve(wanted.oracle, wanted.queries),
    )


SELECTIONS: Registry[Calibrate] = Registry(
    "oracledp.mechanisms",
    "mechanism",
    {
        "exponential": _exponential,
        "permute-and-flip": _permute_and_flip,
        "rspm": _perturbed("k-hot"),
        "rspm:separator": _perturbed("separator"),
        "rspm:gaussian": _gaussian,
        "report-noisy-min": _noisy_min,
    },
)


@dataclass(frozen=True)
class OutsideSelector:
    """A selection of another package: nothing is changed but what its guarantee says.

    Its proof is its own; how charges add up is in proofs/composition.md.
    """

    inner: Selector
    name: str

    @property
    def guarantee(self) -> Guarantee:
        """Its own, and whose word that is."""
        return self.inner.guarantee.assuming(f"the mechanism {self.name}, which is not oracledp's, keeps its promise")

    @property
    def queries(self) -> QueryClass:
        """Its own."""
        return self.inner.queries

    @property
    def resolution(self) -> int:
        """Its own."""
        return self.inner.resolution

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Its own."""
        self.inner.check(rows_bound, unit)

    def choose(self, objective: Objective, source: Randomness) -> Chosen:
        """Its own."""
        return self.inner.choose(objective, source)


def selector(name: str, wanted: Wanted) -> Selector:
    """A calibrated selection by name.

    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> rules = Conjunctions(Literals.named("a", "b"))
    >>> selector("rspm", Wanted(queries=rules, epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE)).name
    'rspm:k-hot'
    """
    made = SELECTIONS[name](wanted)
    return made if SELECTIONS.is_own(name) else OutsideSelector(made, name)
