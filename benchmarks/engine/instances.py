"""The problems that are timed. Seeded, so every oracle and every run meets the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.engine.labelled import Bits, Flags
from oracledp.classes import Conjunctions, DecisionLists, Parities, Parts, QueryClass
from oracledp.data.literals import Literals
from oracledp.oracles.problem import WeightedProblem

SCALE = 1 << 10  # weights and noise are multiples of 1/1024
ATTRIBUTES = (4, 9, 16, 7, 15, 6, 5, 2, 42, 10, 10, 10, 10, 8)  # the values of fourteen categorical columns

Weights = NDArray[np.int64]


def named(count: int) -> Literals:
    """That many literals."""
    return Literals.named(*(f"x{j}" for j in range(count)))


def signs(kind: str, label: Flags, seed: int = 0) -> Weights:
    """-1 where a query should hold and 1 where it should not: by the label, or at random."""
    positive = label if kind == "label" else np.random.default_rng(seed).random(len(label)) < 0.5
    return np.where(positive, -SCALE, SCALE).astype(np.int64)


def against_product(columns: Bits, seed: int = 0) -> tuple[Bits, Weights]:
    """The table with weight -1 beside a table of independent columns with the same shares, weight 1."""
    drawn = np.random.default_rng(seed).random(columns.shape) < columns.mean(axis=0)
    weights = np.repeat(np.array([-SCALE, SCALE], dtype=np.int64), len(columns))
    return np.vstack([columns, drawn.astype(np.uint8)]), weights


def with_negations(columns: Bits) -> Bits:
    """The columns and their negations."""
    return np.hstack([columns, 1 - columns])


def conjunctions(columns: Bits, weights: Weights, width: int | None = None) -> WeightedProblem:
    """Conjunctions over all columns."""
    return WeightedProblem.build(Conjunctions(named(columns.shape[1]), max_width=width), columns, weights)


def parities(columns: Bits, weights: Weights, width: int | None = None) -> WeightedProblem:
    """Parities over all columns."""
    return WeightedProblem.build(Parities(named(columns.shape[1]), max_width=width), columns, weights)


def decision_lists(columns: Bits, weights: Weights, length: int | None, width: int = 1) -> WeightedProblem:
    """Lists over the columns and their negations."""
    literals = named(columns.shape[1]).with_negations()
    return WeightedProblem.build(DecisionLists(literals, length=length, width=width), with_negations(columns), weights)


def separator_costs(problem: WeightedProblem, epsilon: float | None, draws: int = 1, seed: int = 0) -> Weights:
    """Laplace noise of scale 2d/epsilon on each part; only its size matters here, so its law need not be exact."""
    parts = problem.query_class.part_count
    if epsilon is None:
        return np.zeros((draws, parts), dtype=np.int64)
    drawn = np.random.default_rng(seed).laplace(0, 2 * parts * SCALE / epsilon, (draws, parts))
    return np.rint(drawn).astype(np.int64)


def hot_costs(problem: WeightedProblem, epsilon: float, draws: int, seed: int = 0) -> tuple[Weights, Weights]:
    """One-sided noise of the k-hot embedding: on each part, and on each number of dummies."""
    queries, rng = problem.query_class, np.random.default_rng(seed)
    scale = 2 * queries.hot * SCALE / epsilon
    parts = -rng.exponential(scale, (draws, queries.part_count)).astype(np.int64)
    dummies = np.sort(-rng.exponential(scale, (draws, queries.dummies)).astype(np.int64), axis=1)
    filled = np.cumsum(dummies, axis=1)[:, ::-1]
    none = np.zeros((draws, 1 if queries.dummies else 0), dtype=np.int64)
    return parts, np.hstack([filled, none])


def dual_queries(count: int, seed: int = 0) -> tuple[QueryClass, list[Parts], Weights, list[Sequence[int]]]:
    """Signed conjunctions of three values of different attributes, and the one-hot groups of the attributes."""
    rng = np.random.default_rng(seed)
    starts = np.cumsum([0, *ATTRIBUTES]).tolist()
    groups: list[Sequence[int]] = [tuple(range(a, b)) for a, b in pairwise(starts)]
    chosen = [rng.choice(len(groups), 3, replace=False) for _ in range(count)]
    queries = [tuple(sorted(int(rng.choice(groups[group])) for group in three)) for three in chosen]
    return Conjunctions(named(starts[-1]), max_width=3), queries, rng.choice([-1, 1], count).astype(np.int64), groups
