"""Calibrated noise on the parts of a query: the embeddings of Theorem 1 (proofs/perturbed-minimisation.md)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import LinearCosts, QueryClass
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.capacity import MOST_SCALES, fits, refuse_overflow
from oracledp.exact.merging import absolute_sum
from oracledp.mechanisms.many_minima import PricedBranch
from oracledp.mechanisms.objective import BranchProblem, Objective
from oracledp.oracles.problem import WeightedProblem
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import LARGEST_SCALE, discrete_laplace, geometric
from oracledp.randomness.source import Randomness

Noise = NDArray[np.int64]


@dataclass(frozen=True)
class Perturbation(ABC):
    """Noise with an integer scale on the lattice 2^-resolution, calibrated to epsilon and the neighbours."""

    queries: QueryClass
    scale: int
    resolution: int

    @property
    @abstractmethod
    def coordinates(self) -> int:
        """How many independent draws one run needs."""

    @abstractmethod
    def draw(self, source: Randomness) -> Noise:
        """Fresh noise, in lattice units."""

    @abstractmethod
    def perturb(self, objective: Objective, noise: Noise) -> tuple[BranchProblem, ...]:
        """The objective with this noise added, branch by branch."""

    def draw_many(self, runs: int, source: Randomness) -> Noise:
        """Fresh noise for so many runs, one row each, as if each had drawn its own."""
        rows = [self.draw(source) for _ in range(runs)]
        return np.array(rows, dtype=np.int64).reshape(runs, self.coordinates)

    def price(self, objective: Objective, noise: Noise) -> tuple[PricedBranch, ...] | None:
        """What :meth:`perturb` makes of each row of noise; None where that must be done one by one."""
        return None

    @property
    @abstractmethod
    def tie_delta(self) -> Fraction:
        """The probability of a tie (T1, isolation lemma): charged to delta if ties are broken arbitrarily."""

    @property
    def reach(self) -> int:
        """How far from zero one draw can be."""
        return MOST_SCALES * self.scale

    @property
    @abstractmethod
    def spread(self) -> int:
        """How many draws, counted as often as they occur, the costs or weights of a problem sum up at most."""

    @property
    def drawable(self) -> bool:
        """Whether the sampler takes this scale."""
        return self.scale <= LARGEST_SCALE

    def fits(self, rows_bound: int, unit: int = 1) -> bool:
        """Whether every problem on so many rows, whatever they hold, stays within 64-bit integers with its noise."""
        noise = self.reach * self.spread
        return self.drawable and fits(rows_bound=rows_bound, unit=unit, resolution=self.resolution, noise=noise)

    def check(self, rows_bound: int, unit: int = 1) -> None:
        """Refuse, by public numbers, what does not fit."""
        if not self.drawable:
            raise CapacityError("the noise scale exceeds 2^55 lattice units: use a larger epsilon or a smaller class")
        refuse_overflow(rows_bound=rows_bound, unit=unit, resolution=self.resolution, noise=self.reach * self.spread)


@dataclass(frozen=True)
class KHotPerturbation(Perturbation):
    """One-sided geometric noise on each part, dummies included: scale Δk/ε, k the length of a description.

    The witness of q is -Δ on each of its k parts, so e^-ε <= p(η)/p(η+v) needs a scale of Δk/ε only.
    """

    @classmethod
    def calibrate(
        cls, queries: QueryClass, *, epsilon: Fraction, neighbours: Neighbours, resolution: int
    ) -> KHotPerturbation:
        """The least integer scale t with Δ·2^s·k/t <= ε."""
        shift = neighbours.comparison_sensitivity << resolution
        return cls(queries, max(1, ceil(shift * queries.hot / epsilon)), resolution)

    @property
    def coordinates(self) -> int:
        """One draw per part and per dummy."""
        return self.queries.part_count + self.queries.dummies

    def draw(self, source: Randomness) -> Noise:
        """Noise on (-inf, 0]."""
        return -geometric(self.scale, self.coordinates, source)

    def draw_many(self, runs: int, source: Randomness) -> Noise:
        """All draws are independent and alike."""
        return -geometric(self.scale, runs * self.coordinates, source).reshape(runs, self.coordinates)

    def perturb(self, objective: Objective, noise: Noise) -> tuple[BranchProblem, ...]:
        """Costs on parts; a query with s sizable parts takes the least dummies in place of the others."""
        parts, dummies = noise[: self.queries.part_count], np.sort(noise[self.queries.part_count :])
        sizes = np.concatenate([[0], np.cumsum(dummies)])[::-1].astype(np.int64)
        return tuple(
            replace(
                piece,
                problem=piece.problem.with_noise(
                    parts[: piece.branch.base.part_count].copy(),
                    sizes if self.queries.dummies else None,
                    sum(int(noise[part]) for part in piece.branch.extra),
                ),
            )
            for piece in objective.pieces
        )

    def price(self, objective: Objective, noise: Noise) -> tuple[PricedBranch, ...]:
        """The same costs, a row for each row of noise."""
        parts, dummies = noise[:, : self.queries.part_count], np.sort(noise[:, self.queries.part_count :], axis=1)
        sums = np.concatenate([np.zeros((len(noise), 1), dtype=np.int64), np.cumsum(dummies, axis=1)], axis=1)
        sizes = np.ascontiguousarray(sums[:, ::-1])
        return tuple(
            PricedBranch(
                piece,
                np.ascontiguousarray(parts[:, : piece.branch.base.part_count]),
                sizes if self.queries.dummies else np.zeros((len(noise), len(piece.problem.size_costs)), np.int64),
                noise[:, list(piece.branch.extra)].sum(axis=1, dtype=np.int64),
            )
            for piece in objective.pieces
        )

    @property
    def spread(self) -> int:
        """Each part once; the costs by size are sums of up to all dummies."""
        return self.queries.part_count + self.queries.dummies * (self.queries.dummies + 1) // 2

    @property
    def tie_delta(self) -> Fraction:
        """T1: at most k(1 - e^{-1/t}) <= k/t."""
        return Fraction(self.queries.hot, self.scale)


@dataclass(frozen=True)
class SeparatorPerturbation(Perturbation):
    """Discrete Laplace noise on the elements of a separator set: scale wm/ε with w = ceil(Δ/r) on the lattice.

    r is the margin; w is rounded up to a lattice point, as the witness must lie on the lattice (trap P1).
    For nested classes the pairwise sensitivity is the distance itself, so Δ counts as 1 (tightening T5).
    """

    shift: int

    @classmethod
    def calibrate(
        cls, queries: QueryClass, *, epsilon: Fraction, neighbours: Neighbours, resolution: int
    ) -> SeparatorPerturbation:
        """The least integer scale t with w·m/t <= ε."""
        shift, count = separator_shift(queries, neighbours, resolution)
        return cls(queries, max(1, ceil(shift * count / epsilon)), resolution, shift)

    @property
    def coordinates(self) -> int:
        """One draw per element."""
        return len(self.queries.separator())

    def draw(self, source: Randomness) -> Noise:
        """Two-sided noise."""
        return discrete_laplace(self.scale, self.coordinates, source)

    def draw_many(self, runs: int, source: Randomness) -> Noise:
        """All draws are independent and alike."""
        return discrete_laplace(self.scale, runs * self.coordinates, source).reshape(runs, self.coordinates)

    def perturb(self, objective: Objective, noise: Noise) -> tuple[BranchProblem, ...]:
        """Each element enters with its noise as weight, as a cost on parts where the class allows it."""
        return tuple(_with_separator_noise(piece, noise) for piece in objective.pieces)

    def price(self, objective: Objective, noise: Noise) -> tuple[PricedBranch, ...] | None:
        """The same costs, a row for each row of noise, where the class has them."""
        priced = [_priced_separator_noise(piece, noise) for piece in objective.pieces]
        return None if None in priced else tuple(one for one in priced if one is not None)

    @property
    def spread(self) -> int:
        """As often as the elements occur in the costs of the parts, or once each as weighted records."""
        return max(self.coordinates, *(_times_counted(branch.base) for branch in self.queries.branches()))

    @property
    def tie_delta(self) -> Fraction:
        """Isolation lemma: m times the greatest mass, tanh(1/2t) <= 1/(2t)."""
        return Fraction(self.coordinates, 2 * self.scale)


def separator_shift(queries: QueryClass, neighbours: Neighbours, resolution: int) -> tuple[int, int]:
    """The witness's step on each element, in lattice units, and the number of elements."""
    separator = queries.separator()
    if len(separator) == 0:
        raise ParameterError("this class has a single query: there is nothing to choose")
    sensitivity = 1 if queries.nested else neighbours.comparison_sensitivity
    return ceil(Fraction(sensitivity << resolution, separator.margin)), len(separator)


def _times_counted(base: QueryClass) -> int:
    """Costs are sums of some draws, up to their sign: noise of one each shows how many."""
    linear = base.linear_costs(np.ones(len(base.separator()), dtype=np.int64))
    return 0 if linear is None else absolute_sum(linear.parts)


def _with_separator_noise(piece: BranchProblem, noise: Noise) -> BranchProblem:
    """sum_i η_i q(e_i) for this branch; a negated branch has q(e_i) = 1 - base, and 1 on the formal element."""
    base = piece.branch.base
    inner = noise[: len(base.separator())]
    sign = -1 if piece.branch.negated else 1
    constant = sum(noise.tolist()) if piece.branch.negated else 0
    linear = base.linear_costs(sign * inner)
    if linear is None:
        return replace(piece, problem=_append(piece.problem, sign * inner, constant))
    return replace(piece, problem=_add_costs(piece.problem, linear, constant))


@lru_cache(maxsize=4)
def _unit_costs(base: QueryClass) -> tuple[Noise, Noise] | None:
    """What one unit of noise on each element adds to the constant and to the costs of the parts; they are linear."""
    units = [base.linear_costs(unit) for unit in np.eye(len(base.separator()), dtype=np.int64)]
    known = [one for one in units if one is not None]
    if len(known) < len(units):
        return None
    constants = np.array([one.constant for one in known], dtype=np.int64)
    return constants, np.array([one.parts for one in known], dtype=np.int64)


def _priced_separator_noise(piece: BranchProblem, noise: Noise) -> PricedBranch | None:
    """:func:`_with_separator_noise` for each row of noise; None where elements must go in as records."""
    units = _unit_costs(piece.branch.base)
    if units is None:
        return None
    inner = (-1 if piece.branch.negated else 1) * noise[:, : len(units[0])]
    constants = inner @ units[0] + (noise.sum(axis=1, dtype=np.int64) if piece.branch.negated else 0)
    no_sizes = np.zeros((len(noise), len(piece.problem.size_costs)), dtype=np.int64)
    return PricedBranch(piece, np.ascontiguousarray(inner @ units[1]), no_sizes, constants)


def _add_costs(problem: WeightedProblem, linear: LinearCosts, constant: int) -> WeightedProblem:
    return problem.with_noise(linear.parts, None, linear.constant + constant)


def _append(problem: WeightedProblem, weights: Noise, constant: int) -> WeightedProblem:
    elements = PackedRecords.of(problem.query_class.separator().records)
    return WeightedProblem.build(
        problem.query_class,
        PackedRecords.together([problem.packed, elements]),
        np.concatenate([problem.weights, weights]),
        problem.constant + constant,
    )
