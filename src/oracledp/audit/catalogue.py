"""The mechanisms that ``oracledp audit`` looks at: each one small enough for its law to be summed exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracledp.audit.exact_law import Finding, exact, law_cells
from oracledp.classes import (
    Conjunctions,
    DecisionLists,
    Disjunctions,
    Halfspaces,
    Parities,
    QueryClass,
    ReadOnceFormulas,
    ZeroOneLoss,
)
from oracledp.data.literals import Literal, Literals
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.gaussian_min import GaussianReportSeparatorPerturbedMin
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.privacy.guarantee import Neighbours

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3))
MOST_CELLS = 1_000_000  # per data set: seconds for the whole catalogue
Build = Callable[[QueryClass, Fraction, Neighbours], Any]


@dataclass(frozen=True)
class Entry:
    """A mechanism over the small classes on which its law is affordable."""

    name: str
    build: Build
    classes: dict[str, QueryClass]

    def findings(self) -> list[Finding]:
        """One finding per class, epsilon and neighbour relation whose law is small enough to be summed."""
        return [
            exact(mechanism, rows=2, name=f"{self.name} / {kind}")
            for kind, queries in self.classes.items()
            for epsilon in EPSILONS
            for neighbours in Neighbours
            if law_cells(mechanism := self.build(queries, epsilon, neighbours)) <= MOST_CELLS
        ]


def _names(count: int) -> Literals:
    return Literals.named(*"abcdef"[:count])


def small_classes() -> dict[str, QueryClass]:
    """One or two small members of each class."""
    target = Literal.boolean("y")
    raw: dict[str, QueryClass] = {
        "conjunctions": Conjunctions(_names(2), max_width=1),
        "disjunctions": Disjunctions(_names(2), max_width=1),
        "parities": Parities(_names(2), max_width=1),
        "coded parities": Parities(_names(2), code=((1, 0), (0, 1), (1, 1))),
        "halfspaces": Halfspaces(_names(1), weights=(-1, 0, 1)),
        "sparse halfspaces": Halfspaces(_names(2), max_nonzero=1, weights=(-1, 0, 1)),
        "free halfspaces": Halfspaces(_names(1), weights=(0, 1), thresholds=(0, 1)),
        "decision lists": DecisionLists(_names(1), length=1),
        "formulas": ReadOnceFormulas(_names(2), gate="nand"),
        "signed": Conjunctions(_names(1)).closure(),
    }
    return raw | {
        "loss": ZeroOneLoss.of(Conjunctions(_names(1)), target),
        "signed loss": ZeroOneLoss.of(Parities(_names(1)).closure(), target),
    }


def _rspm(embedding: str) -> Build:
    def build(queries: QueryClass, epsilon: Fraction, neighbours: Neighbours) -> ReportSeparatorPerturbedMin:
        return ReportSeparatorPerturbedMin.calibrate(
            queries,
            epsilon=epsilon,
            neighbours=neighbours,
            oracle=ExhaustiveOracle(),
            embedding=embedding,
            resolution=0,
        )

    return build


def _gaussian(queries: QueryClass, epsilon: Fraction, neighbours: Neighbours) -> GaussianReportSeparatorPerturbedMin:
    return GaussianReportSeparatorPerturbedMin.calibrate(
        queries, epsilon=epsilon, delta=Fraction(1, 1000), neighbours=neighbours, oracle=ExhaustiveOracle()
    )


def catalogue() -> tuple[Entry, ...]:
    """Every mechanism, with classes whose exact law takes seconds."""
    every = small_classes()
    return (
        Entry("exponential", ExponentialMechanism, every),
        Entry("permute-and-flip", lambda q, e, n: ExponentialMechanism(q, e, n, permute_and_flip=True), every),
        Entry("report-noisy-min", lambda q, e, n: ReportNoisyMin(q, e, n, resolution=2), every),
        Entry("rspm:k-hot", _rspm("k-hot"), every),
        Entry("rspm:separator", _rspm("separator"), every),
        Entry("rspm:gaussian", _gaussian, every),
    )
