"""The search for a good design with parts of equal size (Theorems 2 to 4): a grid, then exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from experiments.parts.search_independent import Task
from experiments.parts.theorem_equal import AgainstAverage, EqualParts, EveryPart, OneSided
from oracledp.mechanisms.robust.delta import certified_delta
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table

Floats = NDArray[np.float64]

EQUAL_THEOREMS: dict[str, type[EqualParts]] = {"note": EveryPart, "T2+T3": OneSided, "T2+T4": AgainstAverage}
SHARES = (0.2, 0.4, 0.6, 0.8)  # of the second term of delta, for the changed part's own deviation
MOST_PARTS = 1200
SLACK = 1e-3  # of delta, left for the rounding of floats to fractions


@dataclass(frozen=True)
class Candidate:
    """One choice of the discrete parameters with the ε' that it allows; ``merit`` is the signal."""

    merit: float
    parts: int
    ratio: Fraction
    threshold: int
    minimum_passing: int
    inner: float
    own: float
    others: float


def equal_design(task: Task, epsilon: Fraction, delta: Fraction, theorem: str) -> Design | None:
    """The best certified design with equal parts by one theorem, or None."""
    best: list[Candidate] = []
    for parts in _part_counts(task):
        for ratio in _ratios(task):
            best += _candidates(task, theorem, parts, ratio)
        best = sorted(best, key=lambda candidate: -candidate.merit)[:20]
    for candidate in best:
        design = _exact(candidate, task, epsilon, delta, theorem)
        if certified_delta(design) <= delta and float(design.beta) <= task.beta:
            return design
    return None


def _part_counts(task: Task) -> list[int]:
    least = task.fewest_others + 3
    most = min(MOST_PARTS, task.rows // 2, task.max_calls // 2)
    return sorted({round(least * 1.04**i) for i in range(400) if least * 1.04**i <= most})


def _ratios(task: Task) -> list[Fraction]:
    """Twenty choices of ε_T up to ε."""
    return [Fraction(ceil(1000 * exp(-task.epsilon * i / 24)), 1000) for i in range(4, 24)]


def _candidates(task: Task, theorem: str, parts: int, ratio: Fraction) -> list[Candidate]:
    """The best N_min for this number of parts and this noise."""
    r = float(ratio)
    threshold = parts - ceil(log(1 / (task.beta * (1 + r))) / -log(r))
    if threshold <= task.fewest_others:
        return []
    above = np.arange(parts + 1) - threshold  # the test's exact table, in floats
    g = np.where(above > 0, 1 - r ** np.abs(above) / (1 + r), r ** (np.abs(above) + 1.0) / (1 + r))
    size, runs = task.rows // parts, task.max_calls // parts
    found = []
    for share in SHARES:
        inner, own, others = _allowed(task, theorem, g, size, runs, share)
        at = int(np.argmax(inner))
        if inner[at] > 0:
            chosen = (float(inner[at]), float(own[at]), float(others[at]))
            found.append(Candidate(chosen[0] * size, parts, ratio, threshold, at + 1, *chosen))
    return found


def _allowed(task: Task, theorem: str, g: Floats, size: int, runs: int, share: float) -> tuple[Floats, Floats, Floats]:
    """For each N_min from 1 to K - 1: the greatest ε', and the two deviations that go with it."""
    parts = len(g) - 1
    N = np.arange(1, parts)
    weight = g[2:] / (N + 1)
    with np.errstate(all="ignore"):  # a pass probability that underflows belongs to no useful N_min
        likeness = np.minimum((N + 1) * task.growth * g[1:-1] / g[2:] - N, N * (task.growth - 1))
    kappa = np.minimum.accumulate(likeness[::-1])[::-1]
    if theorem == "note":
        low, top = g[1:-1], 1 / (N + 1)
        unseen = (kappa * (parts - 1) / (runs * N) + 1 / max(runs - 1, 1)) / (exp(1) * (N + 1))
    else:
        low = np.concatenate([[g[1]], np.maximum.accumulate(np.maximum(weight, g[1]))])[: len(N)]
        top = np.maximum.accumulate(weight[::-1])[::-1]
        unseen = kappa / runs * np.maximum.accumulate(((parts - N) * weight / N)[::-1])[::-1]
        unseen = unseen + ((1 - 1 / runs) ** (runs - 1) / runs) * top
    room = (task.delta * (1 - SLACK) - low - unseen) / top
    good = (room > 0) & (kappa > 1) & (task.fewest_others <= N)
    with np.errstate(all="ignore"):
        own, others, slope = _deviations(theorem, parts, size, N, room, share)
        inner = np.where(good, np.log(kappa) / slope, 0)
    inner = np.where(np.isfinite(inner), inner, 0)
    return inner, own * inner, others * inner


def _deviations(
    theorem: str, parts: int, size: int, N: NDArray[np.int64], room: Floats, share: float
) -> tuple[Floats, Floats, Floats]:
    """Both deviations and ln κ per unit of ε', when the second term of delta is ``room`` before its weight."""
    if theorem == "note":
        own = np.sqrt(size * np.log(2 * parts / room) / 2)
        return own, np.zeros_like(own), 2 * own
    own = np.sqrt((size - 1) * np.log(1 / (share * room)) / 2)
    rest = (1 - share) * room
    if theorem == "T2+T3":
        others = np.sqrt(size * np.log((parts - 1) / rest) / 2)
        return own, others, 1 + own + others
    others = np.sqrt(2 * (parts - 1) * size * np.log(1 / rest))
    return own, others, 1 + own + ((parts - 1) * sqrt(size) / 4 + others) / N


def _exact(candidate: Candidate, task: Task, epsilon: Fraction, delta: Fraction, theorem: str) -> Design:
    def fraction(value: float) -> Fraction:
        return Fraction(value * (1 - 1e-9)).limit_denominator(10**12)

    return Design(
        epsilon=epsilon,
        delta=delta,
        rows=task.rows,
        parts=candidate.parts,
        runs_per_part=task.max_calls // candidate.parts,
        epsilon_inner=fraction(candidate.inner),
        pass_probabilities=laplace_table(candidate.parts, candidate.ratio, candidate.threshold),
        theorem=EQUAL_THEOREMS[theorem](candidate.minimum_passing, fraction(candidate.own), fraction(candidate.others)),
    )
