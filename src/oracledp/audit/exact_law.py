"""``audit.exact``: the exact law of a mechanism on all small data sets, compared with its claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import combinations, combinations_with_replacement
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.lattice_law import LatticeMinimiser, NoiseKind, one_hot_law
from oracledp.audit.law import Law, delta_between, epsilon_between
from oracledp.audit.permute_and_flip import permute_and_flip_law
from oracledp.classes.base import QueryClass
from oracledp.classes.separation import all_records
from oracledp.classes.tables import Parts
from oracledp.errors import ParameterError
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.gaussian_min import GaussianPerturbation, GaussianReportSeparatorPerturbedMin
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.perturbation import KHotPerturbation, SeparatorPerturbation
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.choice import exponential_law

DataSet = tuple[int, ...]  # counts of all 2^d records
SLACK = 1e-9


@dataclass(frozen=True)
class Finding:
    """Claimed against exact, over every pair of neighbours that was looked at."""

    name: str
    claimed: Guarantee
    epsilon_low: float
    epsilon_high: float
    delta_low: float
    delta_high: float
    pairs: int

    @property
    def holds(self) -> bool:
        """Whether the claim is confirmed: pure claims by epsilon, approximate ones by delta at the claimed epsilon."""
        if self.claimed.delta == 0:
            return self.epsilon_high <= float(self.claimed.epsilon) + SLACK
        return self.delta_high <= float(self.claimed.delta) + SLACK

    @property
    def broken(self) -> bool:
        """Whether the claim is refuted beyond any rounding."""
        if self.claimed.delta == 0:
            return self.epsilon_low > float(self.claimed.epsilon) + SLACK
        return self.delta_low > float(self.claimed.delta) + SLACK

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        return {
            "name": self.name,
            "claimed_epsilon": float(self.claimed.epsilon),
            "claimed_delta": float(self.claimed.delta),
            "exact_epsilon": self.epsilon_high if self.epsilon_high < inf else None,
            "delta": self.delta_high,
            "neighbours": self.claimed.neighbours.value,
            "pairs": self.pairs,
            "holds": self.holds,
        }


def exact(mechanism: Any, *, rows: int = 2, sign: int = 1, name: str | None = None) -> Finding:
    """The exact epsilon and delta of a mechanism over all data sets of ``rows`` records and all their neighbours.

    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> finding = exact(ExponentialMechanism(Conjunctions(Literals.named("a")), Fraction(1), Neighbours.ADD_REMOVE))
    >>> finding.holds, finding.pairs
    (True, 6)
    """
    queries, claimed = mechanism.queries, mechanism.guarantee
    pairs = list(neighbour_pairs(2**queries.dimension, rows, claimed.neighbours))
    laws: dict[DataSet, Law] = {}
    for data in {data for pair in pairs for data in pair}:
        laws[data] = law_of(mechanism, objective_for(queries, data, sign, resolution_of(mechanism)))
    return compare(name or mechanism.name, claimed, ((laws[a], laws[b]) for a, b in pairs))


def compare(name: str, claimed: Guarantee, pairs: Iterable[tuple[Law, Law]]) -> Finding:
    """Both directions of every pair of laws, against the claim."""
    epsilons, deltas, count = [(0.0, 0.0)], [(0.0, 0.0)], 0
    for first, second in pairs:
        count += 1
        for a, b in ((first, second), (second, first)):
            epsilons.append(epsilon_between(a, b))
            deltas.append(delta_between(a, b, claimed.epsilon))
    (e_low, e_high), (d_low, d_high) = (tuple(map(max, zip(*rows, strict=True))) for rows in (epsilons, deltas))
    return Finding(name, claimed, e_low, e_high, d_low, d_high, count)


def neighbour_pairs(universe: int, rows: int, neighbours: Neighbours) -> Iterator[tuple[DataSet, DataSet]]:
    """All pairs of neighbouring histograms: of ``rows`` records each, or of up to ``rows`` and one more."""
    if rows < 1:
        raise ParameterError("rows must be at least 1")
    if neighbours is Neighbours.ADD_REMOVE:
        for size in range(rows):
            for data in _histograms(universe, size):
                for record in range(universe):
                    yield data, _added(data, record)
        return
    for rest in _histograms(universe, rows - 1):
        for one, other in combinations(range(universe), 2):
            yield _added(rest, one), _added(rest, other)


def _histograms(universe: int, size: int) -> Iterator[DataSet]:
    for chosen in combinations_with_replacement(range(universe), size):
        counts = [0] * universe
        for record in chosen:
            counts[record] += 1
        yield tuple(counts)


def _added(data: DataSet, record: int) -> DataSet:
    return tuple(count + (index == record) for index, count in enumerate(data))


def objective_for(queries: QueryClass, data: DataSet, sign: int, resolution: int) -> Objective:
    """The objective of one small data set."""
    weights = sign * np.array(data, dtype=np.int64)
    return Objective.of(queries, all_records(queries.dimension), weights, resolution=resolution)


def law_cells(mechanism: Any) -> int:
    """How many points an exact law of this mechanism has to visit, for each data set."""
    perturbation = getattr(mechanism, "perturbation", None)
    return 1 if perturbation is None else minimiser_of(mechanism).cells


def resolution_of(mechanism: Any) -> int:
    """The lattice on which the mechanism reads its objective."""
    perturbation = getattr(mechanism, "perturbation", mechanism)
    return int(getattr(perturbation, "resolution", 0))


@singledispatch
def law_of(mechanism: Any, objective: Objective) -> Law:
    """The exact law of one run of a mechanism on one objective."""
    raise ParameterError(f"no exact law is known for {type(mechanism).__name__}")


@law_of.register
def _(mechanism: ExponentialMechanism, objective: Objective) -> Law:
    outputs, scores = tuple(mechanism.queries.all_parts()), objective.all_values()
    rate = mechanism.rate / (1 << objective.resolution)
    if mechanism.permute_and_flip:
        return permute_and_flip_law(outputs, scores, rate)
    return Law.from_fractions(outputs, exponential_law(scores, rate))


@law_of.register
def _(mechanism: ReportNoisyMin, objective: Objective) -> Law:
    outputs = tuple(mechanism.queries.all_parts())
    return one_hot_law(outputs, objective.all_values(), NoiseKind("geometric", Fraction(mechanism.scale)))


@law_of.register(ReportSeparatorPerturbedMin)
@law_of.register(GaussianReportSeparatorPerturbedMin)
def _(mechanism: Any, objective: Objective) -> Law:
    minimiser = minimiser_of(mechanism)
    return minimiser.law(values_of(minimiser, objective))


def minimiser_of(mechanism: Any) -> LatticeMinimiser:
    """The argmin that a perturbed minimisation computes, as labels, coefficients and noise."""
    queries, perturbation = mechanism.queries, mechanism.perturbation
    if isinstance(perturbation, KHotPerturbation):
        return khot_minimiser(queries, perturbation.scale)
    kinds = {GaussianPerturbation: "gaussian", SeparatorPerturbation: "laplace"}
    return separator_minimiser(queries, NoiseKind(kinds[type(perturbation)], Fraction(perturbation.scale)))


def values_of(minimiser: LatticeMinimiser, objective: Objective) -> NDArray[np.int64]:
    """The objective at each label's output."""
    outputs: Any = dict.fromkeys(minimiser.outputs)
    known: dict[Any, int] = {parts: objective.value(parts) for parts in outputs}
    return np.array([known[output] for output in minimiser.outputs], dtype=np.int64)


def khot_labels(queries: QueryClass) -> tuple[tuple[Parts, ...], NDArray[np.int64]]:
    """Every label of the k-hot embedding, a query and the dummies that pad it: its output and its parts."""
    labels: list[tuple[Parts, tuple[int, ...]]] = []
    for parts in queries.all_parts():
        padding = queries.dummies - queries.sizable(parts) if queries.dummies else 0
        labels += [(parts, chosen) for chosen in combinations(range(queries.dummies), padding)]
    coefficients = np.zeros((len(labels), queries.part_count + queries.dummies), dtype=np.int64)
    for row, (parts, chosen) in zip(coefficients, labels, strict=True):
        row[list(parts)] = 1
        row[[queries.part_count + dummy for dummy in chosen]] = 1
    return tuple(parts for parts, _ in labels), coefficients


def khot_minimiser(queries: QueryClass, scale: int) -> LatticeMinimiser:
    """The k-hot mechanism with one-sided noise of this scale."""
    outputs, coefficients = khot_labels(queries)
    return LatticeMinimiser(outputs, *_without_pairs(coefficients, Fraction(scale)))


def _without_pairs(coefficients: NDArray[np.int64], scale: Fraction) -> tuple[NDArray[np.int64], tuple[NoiseKind, ...]]:
    """Where each label has exactly one of two parts, only the difference of their noise matters: discrete Laplace."""
    columns, kinds = list(coefficients.T), [NoiseKind("geometric", scale)] * coefficients.shape[1]
    for a, b in combinations(range(len(columns)), 2):
        geometric = kinds[a].kind == kinds[b].kind == "geometric"
        if geometric and np.all(columns[a] + columns[b] == 1):
            columns[a], kinds[a] = np.zeros_like(columns[a]), NoiseKind("nothing", scale)
            kinds[b] = NoiseKind("laplace", scale)
    kept = [i for i, kind in enumerate(kinds) if kind.kind != "nothing"]
    # One-sided coordinates have the smaller support: the last coordinate, the one summed in closed form, is two-sided.
    kept.sort(key=lambda i: kinds[i].kind)
    return np.stack([columns[i] for i in kept], axis=1), tuple(kinds[i] for i in kept)


def separator_minimiser(queries: QueryClass, kind: NoiseKind) -> LatticeMinimiser:
    """Every pattern on the separator set with the first label that has it: equal patterns are one function."""
    elements = queries.separator().records
    first: dict[tuple[int, ...], Parts] = {}
    for parts in queries.all_parts():
        first.setdefault(tuple(queries.evaluate(parts, elements).astype(int).tolist()), parts)
    patterns = np.array(list(first), dtype=np.int64).reshape(len(first), len(elements))
    return LatticeMinimiser(tuple(first.values()), patterns, (kind,) * patterns.shape[1])
